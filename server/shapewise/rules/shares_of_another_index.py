"""Weights of edges over their sum, where that is read by the other end of each edge than it was added up by."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from ..edits.statements import replace
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "shares-of-another-index"
_ADDS = frozenset("index_add index_add_ scatter_add scatter_add_".split())


class _Sum(NamedTuple):
    """What was added up by which index, and where."""

    by: str
    given: str
    call: ast.Call


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each `w / total[dst]` whose total is of the same w, by another index: `total.index_add(0, src, w)`."""
    if "index_add" not in tree.text and "scatter_add" not in tree.text:
        return
    places = tree.course.places
    sums = {(places.function(one.call), name): one for name, one in _sums(tree)}
    for node in tree.course.nodes(ast.BinOp):
        assert isinstance(node, ast.BinOp)
        if not isinstance(node.op, ast.Div):
            continue
        for name, index in _reads(node.right):
            made = sums.get((places.function(node), name))
            if made is None or ast.dump(node.left) != made.given or index.id == made.by:
                continue
            whole = ast.unparse(node.left)
            yield found(
                RULE,
                tree,
                node,
                f"{name} adds {whole} up by {made.by}, and is read by {index.id}: {whole} is divided by a sum that it is no part of, and "
                "the shares do not add up to one. Read it by the index that it was added up by.",
                fix(f"read by {made.by}", replace(tree.text, index, made.by)),
                related=[Related(tree.span(made.call), f"added up by {made.by}")],
            )


def _sums(tree: Tree) -> Iterator[tuple[str, _Sum]]:
    """The names of sums by an index: `total = zeros.index_add(0, dst, w)`, `total.index_add_(0, dst, w)`. Not those added up twice."""
    found: dict[tuple[object, str], list[_Sum]] = {}
    for call in tree.course.nodes(ast.Call):
        assert isinstance(call, ast.Call)
        if not isinstance(call.func, ast.Attribute) or call.func.attr not in _ADDS or len(call.args) != 3:
            continue
        index, statement = _root(call.args[1]), tree.course.places.statement(call)
        name = None
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            name = statement.targets[0].id if isinstance(statement.targets[0], ast.Name) else None
        elif isinstance(statement, ast.Expr) and isinstance(call.func.value, ast.Name):
            name = call.func.value.id
        if name is not None and index is not None and ast.unparse(call.args[0]) == "0":
            key = tree.course.places.function(call), name
            found.setdefault(key, []).append(_Sum(index, ast.dump(call.args[2]), call))
    for (_, name), made in found.items():
        if len(made) == 1:
            yield name, made[0]


def _root(index: ast.expr) -> str | None:
    """`dst` of `dst`, `dst[:, None]`, `dst.unsqueeze(-1).expand_as(w)`."""
    while isinstance(index, ast.Call | ast.Attribute | ast.Subscript):
        index = index.func if isinstance(index, ast.Call) else index.value
    return index.id if isinstance(index, ast.Name) else None


def _reads(total: ast.expr) -> Iterator[tuple[str, ast.Name]]:
    """The names that are read by an index in what something is divided by: `total[dst]`, `total.index_select(0, dst)`."""
    for one in ast.walk(total):
        if isinstance(one, ast.Subscript) and isinstance(one.value, ast.Name):
            if isinstance(one.slice, ast.Name):
                yield one.value.id, one.slice
        elif isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and len(one.args) == 2:
            if one.func.attr in ("index_select", "gather") and isinstance(one.func.value, ast.Name):
                if isinstance(one.args[1], ast.Name):
                    yield one.func.value.id, one.args[1]
