"""Backward under autocast."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.text import text_map
from ..program.modes import autocasts_around
from ..program.values import constant
from ..vocabulary.events import Log
from ..vocabulary.findings import Edit, Finding, Fix
from ..vocabulary.span import Span
from .asking.tree import Tree
from .telling.found import found

RULE = "backward-inside-autocast"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every backward within an autocast block of the same function."""
    for back in tree.training.backwards:
        node = back.event.node
        for context, value in autocasts_around(back.event):
            enabled = value.argument("enabled")
            if enabled is not None and constant(enabled) is False:
                continue
            yield found(
                RULE,
                tree,
                node,
                "backward runs in the dtypes that forward has chosen; under autocast it is at best useless. End the "
                "autocast block after the loss.",
                *_fixes(tree, node, context.node),
            )
            break


def _fixes(tree: Tree, node: ast.AST, block: ast.AST) -> tuple[Fix, ...]:
    """Dedent from the backward on, if it stands directly in the block."""
    statement = tree.course.places.statement(node)
    if not isinstance(block, ast.With) or statement not in block.body or statement is block.body[0]:
        return ()
    places = text_map(tree.text)
    rest = block.body[block.body.index(statement) :]
    outer = places.line(block.lineno)[: block.col_offset]
    edits = []
    for one in rest:
        if one.lineno != one.end_lineno:
            return ()
        edits.append(Edit(Span(one.lineno, 0, one.lineno, one.col_offset), outer))
    return (Fix("move it out of the block", "safe", tuple(edits)),)
