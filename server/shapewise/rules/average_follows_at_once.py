"""An average of weights whose two shares are swapped: it takes nearly all of the new ones at each step."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from ..queries.lineage import Lineage, lineage_of, short
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Scalar, Tensor, Value
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import found_at

RULE = "average-follows-at-once"
_LITTLE = 0.1
"""An average that keeps less than this of what it was is the new weights."""
_GIVEN = frozenset("data detach to Parameter parameters clone".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each update of one model's weights by another's that keeps a small share, above 0, of what was there."""
    lineage = lineage_of(log)
    for op in ops_of(log, ("copy_", "add_", "lerp_")):
        if len(op.args) < 2 or not isinstance(op.args[0], Tensor):
            continue
        shares = _shares(log, lineage, op)
        if shares is None or not math.isclose(sum(shares), 1.0, abs_tol=1e-6) or not _is_little(shares[0]):
            continue
        if not _is_written(shares[0], tree):
            continue
        yield found_at(
            RULE,
            op.span,
            f"{shares[0]:.3g} of the average is kept, and {shares[1]:.3g} are the new weights: it is a copy of them after each update. "
            "An average keeps the large share and takes the small one.",
        )


def _is_little(share: float) -> bool:
    return 0 < share < _LITTLE and not math.isclose(share, _LITTLE)


def _is_written(share: float, tree: Tree) -> bool:
    """Whether the file says one of the two shares: what is computed of a count of updates is little at first alone."""
    return any(
        math.isclose(number, share, rel_tol=1e-6) or math.isclose(number, 1 - share, rel_tol=1e-9)
        for node in tree.course.places.nodes
        if isinstance(node, ast.Constant) and isinstance(number := node.value, float)
    )


def _shares(log: Log, lineage: Lineage, op: Op) -> tuple[float, float] | None:
    """What is kept of the weights, and what is taken of the others."""
    own, other = op.args[0], op.args[1]
    name = short(op.name)
    if name == "lerp_":
        weight = _number(op.argument("weight", at=2))
        return None if weight is None or not _are_weights(lineage, own, other) else (1 - weight, weight)
    if name == "add_":
        scaled = _scaled(lineage, other)
        alpha = _number(op.argument("alpha"))
        if scaled is None and alpha is None:
            return None
        taken, of = (alpha, other) if alpha is not None else scaled or (0.0, other)
        kept = next((_number(one.args[1]) for one in _scalings(log, own)), None)
        return (
            (kept, taken)
            if kept is not None and taken is not None and _are_weights(lineage, own, of)
            else None
        )
    total = lineage.maker(other)
    if total is None or short(total.name) not in ("+", "add") or len(total.args) != 2:
        return None
    parts = [_scaled(lineage, arg) for arg in total.args]
    if parts[0] is None or parts[1] is None:
        return None
    for (share, of), (rest, others) in ((parts[0], parts[1]), (parts[1], parts[0])):
        if _is_of(own, of) and _are_weights(lineage, own, others):
            return share, rest
    return None


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
