"""Batches copied to the GPU from memory that can be paged out."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import add_keyword
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.loaders import to_cuda, training_loaders
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "pin-memory-missing"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every loader trained on whose batches go to a GPU, without pin_memory."""
    for loader, node in training_loaders(tree):
        moves = to_cuda(loader, tree.course)
        if loader.given("pin_memory", 7) is not None or not moves:
            continue
        edits = {add_keyword(tree.text, node, "pin_memory=True"): None}
        for move in moves:
            if "non_blocking" not in move.kwargs and isinstance(move.node, ast.Call):
                edits[add_keyword(tree.text, move.node, "non_blocking=True")] = None
        yield found(
            RULE,
            tree,
            node,
            "from pinned memory the copy to the GPU is faster, and can overlap with computing.",
            fix("pin the memory, and copy without waiting", *edits, safe=True),
        )
