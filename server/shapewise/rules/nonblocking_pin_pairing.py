"""Pinned memory without what it is for."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import add_keyword
from ..program.values import Value, constant, within
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.loaders import loaders, to_cuda
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "nonblocking-pin-pairing"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every blocking copy to a GPU of what a loader with pin_memory gives."""
    for loader in loaders(tree.course):
        if not _is_pinned(loader.given("pin_memory", 7)):
            continue
        for event in to_cuda(loader, tree.course):
            node = event.node
            if "non_blocking" in event.kwargs or not isinstance(node, ast.Call):
                continue
            yield found(
                RULE,
                tree,
                node,
                "the memory is pinned, and the copy waits all the same. With non_blocking=True it overlaps with what "
                "the GPU computes.",
                fix("non_blocking=True", add_keyword(tree.text, node, "non_blocking=True"), safe=True),
            )


def _is_pinned(given: Value | None) -> bool:
    """Whether it is wherever there is a GPU to copy to: always, or asked of the device."""
    if given is None:
        return False
    if given.by == "compare":
        return any(constant(one) in ("cuda", "cpu") for one in given.args)
    return constant(given) is True or any(one.by == "torch.cuda.is_available" for one in within(given, 2))
