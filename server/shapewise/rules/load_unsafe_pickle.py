"""A checkpoint that may run code when it is loaded."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import add_keyword
from ..edits.statements import replace
from ..program.values import constant, open_ended
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .asking.versions import at_least
from .telling.found import fix, found, said_at

RULE = "load-unsafe-pickle"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every torch.load that unpickles whatever is there: by choice, or by default before torch 2.6."""
    told: set[ast.AST] = set()
    for event in tree.course.calls("torch.load"):
        node, given = event.node, event.kwargs.get("weights_only")
        by_choice = given is not None and constant(given) is False
        if not isinstance(node, ast.Call) or event.value is None:
            continue
        if open_ended(event.value) and not by_choice:
            continue
        if not by_choice and (given is not None or at_least(log, 2, 6)):
            continue
        said = said_at(tree, event, given)
        if not isinstance(said, ast.Call) or said in told:
            continue
        told.add(said)
        edit = (
            replace(tree.text, given.node, "True")
            if said is not node and given is not None and isinstance(given.node, ast.expr)
            else add_keyword(tree.text, node, "weights_only=True")
        )
        yield found(
            RULE,
            tree,
            said,
            "a pickle runs code while it is loaded. From a source that is not trusted, load with weights_only=True.",
            fix("weights_only=True", edit),
            severity="hint" if by_choice else None,
        )
