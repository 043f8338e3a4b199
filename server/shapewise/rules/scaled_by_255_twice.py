"""Pixels that are divided by 255, and then again."""

from __future__ import annotations

from collections.abc import Iterator

from ..queries.lineage import Lineage, lineage_of, short
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Scalar, Tensor
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import found_at

RULE = "scaled-by-255-twice"
UNCALLED = True
_MOST = 255
_DIVIDES = frozenset("/ div div_ /=".split())
_TIMES = frozenset("* mul mul_ *=".split())
_KEEPS = frozenset(
    "float double half bfloat16 to clone detach contiguous permute transpose unsqueeze squeeze reshape view flatten [] cpu "
    "cuda flip interpolate pad stack cat normalize from_numpy type_as clamp".split()
)
_STEPS = 12


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each division by 255 of what is a quotient by 255 already, laid out otherwise or standardised since."""
    lineage = lineage_of(log)
    for op in ops_of(log, _DIVIDES | _TIMES):
        if not _is_by_255(op):
            continue
        before = _before(lineage, op)
        if before is not None and before.span != op.span:
            yield found_at(
                RULE,
                op.span,
                "what is divided by 255 here was divided by it before: what is left of the pixels lies below 0.004, and is nearly the same for "
                "all.",
                related=[Related(before.span, "divided by 255 here")],
            )


def _is_by_255(op: Op) -> bool:
    if len(op.args) != 2 or not isinstance(op.args[0], Tensor) or not isinstance(op.args[1], Scalar):
        return False
    value = op.args[1].value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    if short(op.name) in _DIVIDES:
        return value == _MOST
    return abs(value * _MOST - 1) < 1e-6


def _before(lineage: Lineage, op: Op) -> Op | None:
    """The division by 255 behind the operand of another, where nothing but layout and standardising is between them."""
    value = op.args[0]
    for _ in range(_STEPS):
        maker = lineage.maker(value)
        if maker is None or not maker.args or maker is op:
            return None
        if _is_by_255(maker):
            return maker
        first = maker.args[0]
        is_standardising = short(maker.name) in ("-", "sub", "/", "div") and len(maker.args) == 2
        if short(maker.name) not in _KEEPS and not (is_standardising and _is_small(lineage, maker)):
            return None
        if not isinstance(first, Tensor):
            return None
        value = first
    return None


def _is_small(lineage: Lineage, op: Op) -> bool:
    """Whether the other operand is a mean or a deviation: one number, or one for each channel."""
    first, other = op.args
    if isinstance(other, Tensor) and isinstance(first, Tensor):
        return other.shape.count(1) >= len(other.shape) - 1
    return isinstance(other, Scalar) and isinstance(other.value, int | float) and abs(other.value) <= 1
