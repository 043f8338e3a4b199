"""A loop in Python over what one op does at once: a prefix mean per step, the entry of each row."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import found

RULE = "vectorisable-python-loop"
_REDUCES = ("sum", "mean")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Loops over range that store prefix sums or means, or sum up the entries p[i, y[i]]."""
    for loop in tree.course.nodes(ast.For):
        if not isinstance(loop, ast.For) or len(loop.body) not in (1, 2) or loop.orelse:
            continue
        index, item = _counting(loop)
        if index is None:
            continue
        for statement in loop.body:
            if (added := _added(statement)) is not None and _picks(added, index, item):
                yield found(
                    RULE,
                    tree,
                    loop,
                    "this reads one entry of each row in Python. x[torch.arange(n), y] reads them all at once.",
                )
            elif (
                item is None and isinstance(statement, ast.Assign) and _prefixes(loop.body, statement, index)
            ):
                yield found(
                    RULE,
                    tree,
                    loop,
                    "this sums up every prefix anew in Python, in quadratic time. cumsum does it at once, and so does a "
                    "product with a lower triangular matrix.",
                )


def _counting(loop: ast.For) -> tuple[str | None, str | None]:
    """The index of a loop over `range(n)`; that and the item of one over `enumerate(y)`."""
    called = getattr(loop.iter.func, "id", None) if isinstance(loop.iter, ast.Call) else None
    match loop.target:
        case ast.Name(id=index) if called == "range":
            return index, None
        case ast.Tuple(elts=[ast.Name(id=index), ast.Name(id=item)]) if called == "enumerate":
            return index, item
    return None, None


def _added(statement: ast.stmt) -> ast.expr | None:
    """What is added up: of `s += x`, of `s = s + x`."""
    match statement:
        case ast.AugAssign(target=ast.Name() | ast.Attribute(), value=value):
            return value
        case ast.Assign(
            targets=[ast.Name(id=name)],
            value=ast.BinOp(left=ast.Name(id=left), op=ast.Add() | ast.Sub(), right=right),
        ) if name == left:
            return right
    return None


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _picks(value: ast.expr, index: str, item: str | None) -> bool:
    """Whether an expression reads `x[i, y[i]]`, or `x[i, item]`."""
    for node in ast.walk(value):
        if (
            isinstance(node, ast.Subscript)
            and isinstance(node.slice, ast.Tuple)
            and len(node.slice.elts) == 2
        ):
            row, column = node.slice.elts
            if _is(row, index) and (
                (item is not None and _is(column, item))
                or (isinstance(column, ast.Subscript) and _is(column.slice, index))
            ):
                return True
    return False


def _prefixes(body: list[ast.stmt], statement: ast.Assign, index: str) -> bool:
    """Whether `out[..., i]` is set to the sum or mean of `x[..., : i + 1]`."""
    target = statement.targets[0]
    if not isinstance(target, ast.Subscript) or not any(_is(part, index) for part in _parts(target.slice)):
        return False
    return any(
        isinstance(node, ast.Call)
        and (getattr(node.func, "attr", "") in _REDUCES)
        and any(_up_to(part, index) for one in body for part in ast.walk(one))
        for node in ast.walk(statement.value)
    )


def _parts(node: ast.expr) -> list[ast.expr]:
    return list(node.elts) if isinstance(node, ast.Tuple) else [node]


def _up_to(node: ast.AST, index: str) -> bool:
    """`: i + 1`."""
    return (
        isinstance(node, ast.Slice)
        and node.lower is None
        and isinstance(node.upper, ast.BinOp)
        and isinstance(node.upper.op, ast.Add)
        and _is(node.upper.left, index)
        and isinstance(node.upper.right, ast.Constant)
        and node.upper.right.value == 1
    )
