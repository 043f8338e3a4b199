"""An average of weights whose two shares are swapped: it takes nearly all of the new ones at each step."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from dataclasses import dataclass

from ..edits.statements import replace, source
from ..queries.lineage import Lineage, lineage_of, short
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Scalar, Tensor, Value
from ..vocabulary.findings import Edit, Finding, Fix
from ..vocabulary.span import Span
from .asking.tree import Tree
from .telling.found import argument_node, fix, found_at

RULE = "average-follows-at-once"
_LITTLE = 0.1
"""An average that keeps less than this of what it was is the new weights."""
_GIVEN = frozenset("data detach to Parameter parameters clone".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each update of one model's weights by another's, or by a decay, that keeps a small share, above 0, of what was there."""
    lineage = lineage_of(log)
    told: set[Span] = set()
    for op in ops_of(log, ("copy_", "add_", "lerp_", "+", "add")):
        if len(op.args) < 2 or not isinstance(op.args[0], Tensor) or op.span in told:
            continue
        statement = _statement(tree, op)
        shares = _shares(log, lineage, op, statement)
        if shares is None or not math.isclose(shares.kept + shares.taken, 1.0, abs_tol=1e-6):
            continue
        if not _is_little(shares.kept) or not _is_written(shares.kept, tree):
            continue
        if not _are_weights(lineage, shares.own, shares.new) and not _is_decay(shares, statement, tree):
            continue
        told.add(op.span)
        yield found_at(
            RULE,
            op.span,
            f"{shares.kept:.3g} of the average is kept, and {shares.taken:.3g} are the new values: it is a copy of them after each "
            "update. An average keeps the large share and takes the small one.",
            *_swapped(tree, statement),
        )


@dataclass(frozen=True, slots=True)
class _Shares:
    """What is kept of one value, and what is taken of the other."""

    kept: float
    taken: float
    own: Value
    new: Value


def _statement(tree: Tree, op: Op) -> ast.stmt | None:
    node = tree.at(op.span, ast.expr)
    return None if node is None else tree.course.places.statement(node)


def _is_little(share: float) -> bool:
    return 0 < share < _LITTLE and not math.isclose(share, _LITTLE)


def _is_written(share: float, tree: Tree) -> bool:
    """Whether the file says one of the two shares: what is computed of a count of updates is little at first alone."""
    return any(
        math.isclose(number, share, rel_tol=1e-6) or math.isclose(number, 1 - share, rel_tol=1e-9)
        for node in tree.course.places.nodes
        if isinstance(node, ast.Constant) and isinstance(number := node.value, float)
    )


def _is_decay(shares: _Shares, statement: ast.stmt | None, tree: Tree) -> bool:
    """Whether the large share is called a decay and is written as a number: it is what is to be kept, of whatever it is an average."""
    if (
        statement is None
        or "decay" not in ast.unparse(statement).lower()
        or not isinstance(shares.new, Tensor)
    ):
        return False
    return (
        isinstance(shares.own, Tensor) and shares.own.shape == shares.new.shape and _says(shares.taken, tree)
    )


def _says(share: float, tree: Tree) -> bool:
    return any(
        isinstance(node, ast.Constant) and isinstance(node.value, float) and math.isclose(node.value, share)
        for node in tree.course.places.nodes
    )


def _shares(log: Log, lineage: Lineage, op: Op, statement: ast.stmt | None) -> _Shares | None:
    """Of an update in place, or of a sum that is given the name of one of its two parts."""
    own, other = op.args[0], op.args[1]
    name = short(op.name)
    if name == "lerp_":
        weight = _number(op.argument("weight", at=2))
        return None if weight is None else _Shares(1 - weight, weight, own, other)
    if name == "add_":
        scaled = _scaled(lineage, other)
        alpha = _number(op.argument("alpha"))
        if scaled is None and alpha is None:
            return None
        taken, of = (alpha, other) if alpha is not None else scaled or (0.0, other)
        kept = next((_number(one.args[1]) for one in _scalings(log, own)), None)
        return None if kept is None or taken is None else _Shares(kept, taken, own, of)
    total = lineage.maker(other) if name == "copy_" else op
    if total is None or short(total.name) not in ("+", "add") or len(total.args) != 2:
        return None
    parts = [_scaled(lineage, arg) for arg in total.args]
    if parts[0] is None or parts[1] is None:
        return None
    both = ((parts[0], parts[1]), (parts[1], parts[0]))
    if name == "copy_":
        mine = next((pair for pair in both if _is_of(own, pair[0][1])), None)
    else:
        place = _place_of_target(statement)
        mine = None if place is None else both[place]
    return None if mine is None else _Shares(mine[0][0], mine[1][0], mine[0][1], mine[1][1])


def _place_of_target(statement: ast.stmt | None) -> int | None:
    """Of `average[k] = a * average[k] + b * new`: which of the two parts has the name that is set."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    total, name = statement.value, ast.unparse(statement.targets[0])
    if not isinstance(total, ast.BinOp) or not isinstance(total.op, ast.Add):
        return None
    named = [
        isinstance(part, ast.BinOp) and name in (ast.unparse(part.left), ast.unparse(part.right))
        for part in (total.left, total.right)
    ]
    return named.index(True) if named.count(True) == 1 else None


def _swapped(tree: Tree, statement: ast.stmt | None) -> Iterator[Fix]:
    """`share` and `1 - share` in each other's place; where only one of them is written, the other for it."""
    if statement is None:
        return
    rests = [
        node
        for node in ast.walk(statement)
        if isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Sub)
        and isinstance(node.left, ast.Constant)
        and node.left.value == 1
    ]
    if len(rests) == 1:
        rest = rests[0]
        share = ast.unparse(rest.right)
        within = set(ast.walk(rest))
        alone = [
            node
            for node in ast.walk(statement)
            if isinstance(node, ast.expr) and node not in within and ast.unparse(node) == share
        ]
        if len(alone) == 1:
            long = source(tree.text, rest)
            parent = tree.course.places.parent(alone[0])
            long = f"({long})" if isinstance(parent, ast.BinOp) else long
            yield fix(
                "swap the shares",
                Edit(_with_parentheses(tree, rest), source(tree.text, rest.right)),
                replace(tree.text, alone[0], long),
            )
    elif not rests and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        called = statement.value
        if isinstance(called.func, ast.Attribute) and called.func.attr == "lerp_":
            weight = argument_node(called, "weight", 1)
            if isinstance(weight, (ast.Name, ast.Attribute)):
                written = source(tree.text, weight)
                yield fix(f"1 - {written}", replace(tree.text, weight, f"1 - {written}"))


def _with_parentheses(tree: Tree, node: ast.BinOp) -> Span:
    """Where it stands as a factor, with the parentheses that only a sum needs."""
    span = tree.span(node)
    lines = tree.text.splitlines()
    before, after = lines[span.line - 1][: span.column], lines[span.end_line - 1][span.end_column :]
    if (
        isinstance(tree.course.places.parent(node), ast.BinOp)
        and before.endswith("(")
        and after.startswith(")")
    ):
        return Span(span.line, span.column - 1, span.end_line, span.end_column + 1)
    return span


def _scalings(log: Log, own: Value) -> list[Op]:
    """`average.mul_(share)`"""
    return [one for one in ops_of(log, ("mul_",)) if len(one.args) == 2 and one.args[0] == own]


def _scaled(lineage: Lineage, value: Value) -> tuple[float, Value] | None:
    op = lineage.maker(value)
    if op is None or short(op.name) not in ("*", "mul") or len(op.args) != 2:
        return None
    for one, of in (op.args, op.args[::-1]):
        number = _number(one)
        if number is not None and isinstance(of, Tensor):
            return number, of
    return None


def _number(value: Value | None) -> float | None:
    return (
        float(value.value) if isinstance(value, Scalar) and type(value.value) in (int, float) else None  # type: ignore[arg-type]
    )


def _is_of(own: Value, other: Value) -> bool:
    return isinstance(own, Tensor) and isinstance(other, Tensor) and own.storage == other.storage


def _are_weights(lineage: Lineage, own: Value, other: Value) -> bool:
    """Whether both are weights as they are, of two models."""
    pair = [one for one in (own, other) if isinstance(one, Tensor) and one.leaf]
    made = [None if (op := lineage.maker(one)) is not None and op.args[:1] == (one,) else op for one in pair]
    return (
        len(pair) == 2
        and not _is_of(own, other)
        and pair[0].shape == pair[1].shape
        and all(op is None or short(op.name).strip("()") in _GIVEN for op in made)
    )
