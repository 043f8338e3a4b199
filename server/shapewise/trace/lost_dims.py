"""A size that only data decides, met by another one although it is another dim's: `x / counts` of `(n, 6)` and `(n,)`.

Such a size may be the one that it meets, so that the program goes on (`fitting`). But where it is surely that of
another dim of the same operand, each element would meet the number of another if the two were equal by chance, and
where they are not, torch refuses.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..vocabulary.events import Failure, Op, Tensor

_OPERATORS = frozenset(
    "+ - * / // % ** == != < <= > >= & | ^ add sub mul div true_divide pow eq ne lt le gt ge maximum minimum".split()
)

Row = tuple[object, ...]
"""A size in each world. In two of these no two sizes are equal that are not the same one."""
_PRODUCTS = frozenset("@ matmul mm".split())


def lost_dim(merged: Op, runs: Sequence[Op]) -> Failure | None:
    """What torch refuses, of an op as all worlds have it and as each does."""
    name = merged.name.rsplit(".", 1)[-1]
    if merged.failure is not None or name not in _OPERATORS | _PRODUCTS or len(merged.args) != 2:
        return None
    one, other = (_rows([run.args[at] for run in runs if len(run.args) == 2]) for at in (0, 1))
    if one is None or other is None:
        return None
    message = _multiplied(one, other) if name in _PRODUCTS else _broadcast(one, other)
    operands = tuple(arg for arg in merged.args if isinstance(arg, Tensor))
    return None if message is None else Failure("RuntimeError", message, authentic=True, operands=operands)


def _broadcast(one: list[Row], other: list[Row]) -> str | None:
    for whole, part in ((one, other), (other, one)):
        for at in range(1, len(part) + 1 if len(part) < len(whole) else 0):
            met, own = whole[-at], part[-at]
            others = [*whole[:-at], *whole[len(whole) - at + 1 :]]
            if _is_fixed(met) and met[0] != 1 and not _is_fixed(own) and others.count(own) == 1:
                a, b = (met[0], "?") if whole is one else ("?", met[0])
                return (
                    f"The size of tensor a ({a}) must match the size of tensor b ({b}) at non-singleton dimension "
                    f"{len(whole) - at}"
                )
    return None


def _multiplied(left: list[Row], right: list[Row]) -> str | None:
    """`(n, 3) @ (n, 3)`"""
    if len(left) != 2 or len(right) != 2:
        return None
    for (met, beside), own in (((left[1], left[0]), right[0]), ((right[0], right[1]), left[1])):
        if _is_fixed(met) and not _is_fixed(own) and own == beside:
            sizes = ["?" if not _is_fixed(row) else row[0] for row in (*left, *right)]
            return "mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})".format(*sizes)
    return None


def _is_fixed(row: Row) -> bool:
    return len(set(row)) == 1


def _rows(values: Sequence[object]) -> list[Row] | None:
    """The sizes of a tensor, each in every world."""
    shapes = [value.shape for value in values if isinstance(value, Tensor)]
    if len(shapes) < len(values) or len({len(shape) for shape in shapes}) != 1:
        return None
    rows = [tuple(sizes) for sizes in zip(*shapes)]
    return rows if all(type(size) is int for row in rows for size in row) else None
