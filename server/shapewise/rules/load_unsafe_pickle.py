"""A checkpoint that may run code when it is loaded."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..fixes.edits import add_keyword
from ..program.values import constant, open_ended
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .found import fix, found
from .tree import Tree
from .versions import at_least

RULE = "load-unsafe-pickle"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every torch.load that unpickles whatever is there: by choice, or by default before torch 2.6."""
    for event in tree.course.calls("torch.load"):
        node, given = event.node, event.kwargs.get("weights_only")
        by_choice = given is not None and constant(given) is False
        if not isinstance(node, ast.Call) or event.value is None:
            continue
        if open_ended(event.value) and not by_choice:
            continue
        if not by_choice and (given is not None or at_least(log, 2, 6)):
            continue
        yield found(
            RULE,
            tree,
            node,
            "a pickle runs code while it is loaded. From a source that is not trusted, load with weights_only=True.",
            fix("weights_only=True", add_keyword(tree.text, node, "weights_only=True")),
            severity="hint" if by_choice else None,
        )
