"""Anomaly detection switched on for the whole program."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..fixes.statements import remove_statement
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .found import fix, found
from .tree import Tree

RULE = "anomaly-left-on"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every unconditional `set_detect_anomaly(True)`."""
    places = tree.course.places
    for event in tree.course.calls("torch.autograd.set_detect_anomaly"):
        mode = event.argument("mode", 0)
        statement = places.statement(event.node)
        if mode is None or mode.const is not True or event.branches_in(None):
            continue
        if not isinstance(statement, ast.Expr) or statement.value is not event.node:
            continue
        alone = len(places.block(statement)) == 1
        yield found(
            RULE,
            tree,
            event.node,
            "anomaly detection makes every backward several times slower. Switch it on while looking for a nan, "
            "around the code in question.",
            fix("remove it", remove_statement(tree.text, statement, alone)),
        )
