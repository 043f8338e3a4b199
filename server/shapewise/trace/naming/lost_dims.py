"""A size that only data decides, met by another one although it is another dim's: `x / counts` of `(n, 6)` and `(n,)`.

Such a size may be the one that it meets, so that the program goes on (`fitting`). But where it is surely that of
another dim of the same operand, each element would meet the number of another if the two were equal by chance, and
where they are not, torch refuses.

That they are equal by chance is not to be thought of where the size is how many elements a condition holds for, or how
many rows a file has. How many unlike values there are is a number that a program may well count on (of a matrix with
a row for each of six states, six), and so may it on one element being equal to something.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...vocabulary.events import Failure, Op, Tensor, Value
from .rows import Row, rows_of, tensors_of

_OPERATORS = frozenset(
    "+ - * / // % ** == != < <= > >= & | ^ add sub mul div true_divide pow eq ne lt le gt ge maximum minimum".split()
)
_PRODUCTS = frozenset("@ matmul mm".split())
_EQUALITIES = frozenset("== eq".split())
_OF_A_CONDITION = frozenset("nonzero argwhere masked_select".split())
_OF_DATA = frozenset("tensor as_tensor from_numpy FloatTensor LongTensor Tensor".split())


class LostDims:
    """Reads all ops in order, each as all worlds have it and as each does. A row is a size in each world: in two of
    these no two sizes are equal that are not the same one."""

    def __init__(self, is_told_apart: Callable[[Row], bool]) -> None:
        self._is_told_apart = is_told_apart
        """Whether data decides a size, and it is told from all others."""
        self._arbitrary: dict[Row, bool] = {}
        """Of each open size, whether it may be any number, by the op that it first came out of."""
        self._equalities: set[int] = set()

    def learn(self, merged: Op, runs: Sequence[Any]) -> None:
        """Which sizes an op is the first to give."""
        if _name(merged) in _EQUALITIES and isinstance(merged.result, Tensor):
            self._equalities.add(merged.result.id)
        for parts in tensors_of([getattr(run, "result", None) for run in runs]):
            for row in rows_of(parts) or ():
                if row not in self._arbitrary and self._is_told_apart(row):
                    self._arbitrary[row] = self._is_arbitrary(merged)

    def _is_arbitrary(self, op: Op) -> bool:
        name = _name(op)
        if name == "[]":
            return len(op.args) == 2 and self._is_condition(op.args[1])
        if name in _OF_A_CONDITION:
            return bool(op.args) and self._is_condition(op.args[-1])
        return name in _OF_DATA

    def _is_condition(self, value: Value) -> bool:
        return isinstance(value, Tensor) and value.dtype == "bool" and value.id not in self._equalities

    def failure(self, merged: Op, runs: Sequence[Any]) -> Failure | None:
        """What torch refuses unless two sizes are equal by chance."""
        name = _name(merged)
        if merged.failure is not None or name not in _OPERATORS | _PRODUCTS or len(merged.args) != 2:
            return None
        one, other = (_rows([run.args[at] for run in runs if len(run.args) == 2]) for at in (0, 1))
        if one is None or other is None:
            return None
        found = self._multiplied(one, other) if name in _PRODUCTS else self._broadcast(one, other)
        if found is None:
            return None
        operands = tuple(arg for arg in merged.args if isinstance(arg, Tensor))
        message, unless = found
        return Failure("RuntimeError", message, operands=operands, unless=unless)

    def _broadcast(self, one: list[Row], other: list[Row]) -> tuple[str, str] | None:
        for whole, part in ((one, other), (other, one)):
            for at in range(1, len(part) + 1 if len(part) < len(whole) else 0):
                met, own = whole[-at], part[-at]
                others = [*whole[:-at], *whole[len(whole) - at + 1 :]]
                if _is_fixed(met) and met[0] != 1 and self._arbitrary.get(own) and others.count(own) == 1:
                    a, b = (met[0], "?") if whole is one else ("?", met[0])
                    return (
                        f"The size of tensor a ({a}) must match the size of tensor b ({b}) at non-singleton dimension "
                        f"{len(whole) - at}",
                        f"the size that the data decide happens to be {met[0]} or 1",
                    )
        return None

    def _multiplied(self, left: list[Row], right: list[Row]) -> tuple[str, str] | None:
        """`(n, 3) @ (n, 3)`"""
        if len(left) != 2 or len(right) != 2:
            return None
        for (met, beside), own in (((left[1], left[0]), right[0]), ((right[0], right[1]), left[1])):
            if _is_fixed(met) and own == beside and self._arbitrary.get(own):
                sizes = ["?" if not _is_fixed(row) else row[0] for row in (*left, *right)]
                return (
                    "mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})".format(*sizes),
                    f"the size that the data decide happens to be {met[0]}",
                )
        return None


def _name(op: Op) -> str:
    return op.name.rsplit(".", 1)[-1]


def _is_fixed(row: Row) -> bool:
    return len(set(row)) == 1


def _rows(values: Sequence[object]) -> list[Row] | None:
    """The sizes of a tensor, each in every world."""
    shapes = [value.shape for value in values if isinstance(value, Tensor)]
    if len(shapes) < len(values) or len({len(shape) for shape in shapes}) != 1:
        return None
    rows = [tuple(sizes) for sizes in zip(*shapes)]
    return rows if all(type(size) is int for row in rows for size in row) else None
