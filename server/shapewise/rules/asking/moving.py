"""A statement that moves past another one of its block: calls that are right, in the wrong order."""

from __future__ import annotations

import ast

from ...edits.statements import insert_after, insert_before, remove_statement, source
from ...vocabulary.findings import Fix
from ..telling.found import fix
from .tree import Tree


def moved(
    tree: Tree, title: str, node: ast.AST | None, other: ast.AST | None, behind: bool, deeper: bool = False
) -> list[Fix]:
    """A fix that moves the call of a statement behind another one or before it.

    None where they do not stand in one block (`deeper`: the other one may stand in an inner one), or the call is more than
    a line and a statement of its own.
    """
    if node is None or other is None:
        return []
    places = tree.course.places
    statement, anchor = places.statement(node), places.statement(other)
    if not isinstance(statement, ast.Expr) or statement.value is not node or anchor is None:
        return []
    block = places.block(statement)
    is_near = anchor in block or (deeper and any(anchor in ast.walk(one) for one in block))
    if not is_near or statement.lineno != statement.end_lineno:
        return []
    insert = insert_after if behind else insert_before
    edits = (
        remove_statement(tree.text, statement, alone=False),
        insert(tree.text, anchor, source(tree.text, statement)),
    )
    return [fix(title, *edits)]
