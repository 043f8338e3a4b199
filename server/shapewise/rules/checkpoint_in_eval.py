"""Activation checkpointing also where nothing goes backward."""

from __future__ import annotations

from collections.abc import Iterator

from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .found import found
from .tree import Tree

RULE = "checkpoint-in-eval"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every unconditional checkpoint in the forward of a module."""
    for event in tree.course.calls(
        "torch.utils.checkpoint.checkpoint", "torch.utils.checkpoint.checkpoint_sequential"
    ):
        function = event.function
        if function is None or function.cls is None or not function.cls.is_module:
            continue
        if event.branches_in(None) or function.name != "forward":
            continue
        yield found(
            RULE,
            tree,
            event.node,
            "in evaluation nothing goes backward, and checkpointing only adds work. Ask self.training first.",
        )
