"""The cache of the GPU's memory emptied in every step."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..fixes.statements import remove_statement
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .found import fix, found
from .tree import Tree

RULE = "empty-cache-in-loop"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every unconditional empty_cache in the innermost loop of a training step."""
    for event in tree.course.calls("torch.cuda.empty_cache"):
        if not event.loops or event.branches_in(event.loops[-1]):
            continue
        loop = event.loops[-1]
        if not any(back.event.loops[-1:] == [loop] for back in tree.training.backwards):
            continue
        statement = tree.course.places.statement(event.node)
        fixes = []
        if isinstance(statement, ast.Expr):
            alone = len(tree.course.places.block(statement)) == 1
            fixes = [fix("leave it out", remove_statement(tree.text, statement, alone))]
        yield found(
            RULE,
            tree,
            event.node,
            "this gives memory back that the next step asks for again, and waits for the GPU each time. It frees nothing that is "
            "in use.",
            *fixes,
        )
