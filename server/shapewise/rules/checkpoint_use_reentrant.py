"""Activation checkpointing without saying which kind."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import add_keyword
from ..program.values import open_ended
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "checkpoint-use-reentrant"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every checkpoint without use_reentrant."""
    for event in tree.course.calls(
        "torch.utils.checkpoint.checkpoint", "torch.utils.checkpoint.checkpoint_sequential"
    ):
        node = event.node
        if "use_reentrant" in event.kwargs or not isinstance(node, ast.Call) or event.value is None:
            continue
        if "**" in event.kwargs or open_ended(event.value) and any(kw.arg is None for kw in node.keywords):
            continue
        yield found(
            RULE,
            tree,
            node,
            "torch asks for use_reentrant to be given. The reentrant kind, still the default, needs an input that requires "
            "grad and does not go with autograd.grad; use_reentrant=False has neither limit.",
            fix("use_reentrant=False", add_keyword(tree.text, node, "use_reentrant=False")),
        )
