"""Targets on the diagonal of scores whose diagonal was filled with -inf."""

from __future__ import annotations

from collections.abc import Iterator

from ..queries.lineage import Lineage, lineage_of, short
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Scalar, Tensor, Value
from ..vocabulary.findings import Finding, Related
from .asking.refusals import list_of
from .asking.tree import Tree
from .asking.weights import is_very_low
from .telling.found import found_at

RULE = "target-masked-out"
UNCALLED = True
_LOSSES = ("cross_entropy", "CrossEntropyLoss()")
_FILLS = ("masked_fill", "masked_fill_", "fill_diagonal_")
_STEPS = 8


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each cross entropy of square scores whose row i has the target i, and nothing left there."""
    lineage = lineage_of(log)
    fills = [op for op in ops_of(log, _FILLS) if _is_of_the_diagonal(lineage, op)]
    for op in ops_of(log, _LOSSES) if fills else ():
        given = [arg for arg in op.args if isinstance(arg, Tensor)]
        if len(given) < 2 or len(given[0].shape) != 2 or given[0].shape[0] != given[0].shape[1]:
            continue
        ids = {one.id for one, _ in lineage.behind(given[0]) if isinstance(one, Tensor)}
        fill = next((one for one in fills if ids & {_id(one.args[0]), _id(one.result)}), None)
        counted = _counted(lineage, given[1])
        if fill is None or counted is None:
            continue
        yield found_at(
            RULE,
            op.span,
            f"row i of {list_of(given[0].shape)} has the target i, and the diagonal was filled with a number that leaves nothing of "
            "it: the loss is as large as that number is low, whatever is learned. The targets are where the other views stand.",
            related=[Related(fill.span, "the diagonal is filled here"), Related(counted.span, "the targets")],
        )


def _id(value: Value) -> int | None:
    return value.id if isinstance(value, Tensor) else None


def _is_of_the_diagonal(lineage: Lineage, op: Op) -> bool:
    """Whether an op fills the diagonal with something very low."""
    if not is_very_low(op.args[-1]):
        return False
    return short(op.name) == "fill_diagonal_" or (len(op.args) == 3 and _comes_of(lineage, op.args[1], "eye"))


def _counted(lineage: Lineage, target: Tensor) -> Op | None:
    """The `arange(n)` that a target is, moved or cast at most: 0, 1, 2, ..."""
    maker = _maker(lineage, target)
    if maker is None or short(maker.name) != "arange" or any(one != Scalar(1) for one in maker.args[1:]):
        return None
    return maker


def _comes_of(lineage: Lineage, mask: Value, name: str) -> bool:
    maker = _maker(lineage, mask)
    return maker is not None and short(maker.name) == name


def _maker(lineage: Lineage, value: Value) -> Op | None:
    """The op that made the numbers of a tensor, what moves or casts it left out."""
    for _ in range(_STEPS):
        maker = lineage.maker(value)
        if maker is None or short(maker.name) not in ("to", "cuda", "long", "bool", "contiguous", "detach"):
            return maker
        value = maker.args[0]
    return None
