"""Pinned memory without what it is for."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..fixes.edits import add_keyword
from ..program.values import constant
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .found import fix, found
from .loaders import loaders, to_cuda
from .tree import Tree

RULE = "nonblocking-pin-pairing"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every blocking copy to a GPU of what a loader with pin_memory gives."""
    for loader in loaders(tree.course):
        if constant(loader.given("pin_memory", 7)) is not True:
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
