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


def lost_dim(merged: Op, runs: Sequence[Op]) -> Failure | None:
    """What torch refuses, of an op as all worlds have it and as each does."""
    if (
        merged.failure is not None
        or merged.name.rsplit(".", 1)[-1] not in _OPERATORS
        or len(merged.args) != 2
    ):
        return None
    rows = [_rows([run.args[at] for run in runs if len(run.args) == 2]) for at in (0, 1)]
    for whole, part in (rows, rows[::-1]):
        if whole is None or part is None or len(part) >= len(whole):
            continue
        for at in range(1, len(part) + 1):
            met, own = whole[-at], part[-at]
            others = [*whole[:-at], *whole[len(whole) - at + 1 :]]
            if len(set(met)) == 1 and met[0] != 1 and len(set(own)) > 1 and others.count(own) == 1:
                sizes = (str(met[0]), "?") if whole is rows[0] else ("?", str(met[0]))
                return Failure(
                    "RuntimeError",
                    f"The size of tensor a ({sizes[0]}) must match the size of tensor b ({sizes[1]}) at non-singleton "
                    f"dimension {len(whole) - at}",
                    authentic=True,
                    operands=tuple(arg for arg in merged.args if isinstance(arg, Tensor)),
                )
    return None


def _rows(values: Sequence[object]) -> list[Row] | None:
    """The sizes of a tensor, each in every world."""
    shapes = [value.shape for value in values if isinstance(value, Tensor)]
    if len(shapes) < len(values) or len({len(shape) for shape in shapes}) != 1:
        return None
    rows = [tuple(sizes) for sizes in zip(*shapes)]
    return rows if all(type(size) is int for row in rows for size in row) else None
