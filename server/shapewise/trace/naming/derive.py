"""How an op made a size, from the sizes and integers of that very op."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ...vocabulary.events import Event, Group, Op, Scalar, Tensor
from .rows import Aligned, Row, is_known

Step = tuple[str, tuple[Any, ...]]
"""An operator and its operands, each a row or a step again."""
_SHIFT = 4096


def derivation(event: Op, runs: Aligned, shape: tuple[Row, ...], at: int) -> Step | None:
    """An operator and rows that give the size at `at` of a result in every run; None where several would do."""
    row = shape[at]
    inputs = list(_shapes([_args(run) for run in runs]))
    inputs += list(_shapes([_kwargs(run) for run in runs]))
    if any(row in dims for dims in inputs) or not is_known(row):
        return None
    integers = list(_integers([_args(run) for run in runs]))
    integers += list(_integers([_kwargs(run) for run in runs]))
    if event.name == "torch.arange":
        return _counted(row, integers)
    if "rfft" in event.name:
        return _of_half_a_spectrum(row, inputs, is_inverse="irfft" in event.name)
    for level in (_products, _sums, _by_number, _by_integers, _rest):
        if level is _by_number and (
            "pool" in event.name.lower() or (_is_made_of_weights(event.name) and at == len(shape) - 1)
        ):
            continue  # whether it rounds up or down does not show where sizes come out even
        found = dict.fromkeys(level(row, inputs, integers, shape, at))
        if len(found) == 1:
            return next(iter(found))
        if found:
            return None
    return None


_WEIGHTS = frozenset("linear bilinear embedding lstm gru rnn lstmcell grucell rnncell matmul bmm mm".split())


def _is_made_of_weights(name: str) -> bool:
    """Whether a layer of this name has its last dim from its weights: nothing is cut or padded there."""
    return name.lower().removesuffix("()").rpartition(".")[2] in _WEIGHTS


def _args(event: Event) -> tuple[Any, ...]:
    return event.args if isinstance(event, Op) else ()


def _kwargs(event: Event) -> tuple[Any, ...]:
    return tuple(value for _, value in event.kwargs) if isinstance(event, Op) else ()


def _counted(row: Row, integers: list[Row]) -> Step | None:
    """`ceil((end - start)/step)`, as torch's documentation of arange says."""
    if not 1 < len(integers) <= 3:
        return None
    start, end, step = (*integers, _const(1, row))[:3]
    span: Any = end if not any(start) else ("-", (end, start))
    if set(step) == {1}:
        return span if isinstance(span[0], str) else None
    if len(set(step)) > 1 or step[0] < 1:
        return None
    return "//", (("+", (span, _const(step[0] - 1, row))), step)


def _of_half_a_spectrum(row: Row, inputs: list[tuple[Row, ...]], is_inverse: bool) -> Step | None:
    """`n//2 + 1` frequencies of n real numbers, and `2*(m - 1)` numbers of m frequencies, as torch's documentation of rfft says."""
    one, two = _const(1, row), _const(2, row)
    found: dict[Step, None] = {}
    for dim in (dim for dims in inputs for dim in dims if len(set(dim)) > 1 and is_known(dim)):
        if is_inverse and row == tuple(2 * (size - 1) for size in dim):
            found["*", (two, ("-", (dim, one)))] = None
        elif not is_inverse and row == tuple(size // 2 + 1 for size in dim):
            found["+", (("//", (dim, two)), one)] = None
    return next(iter(found)) if len(found) == 1 else None


def _const(value: int, like: Row) -> Row:
    return (value,) * len(like)


def _products(row: Row, inputs: Any, integers: Any, shape: Any, at: int) -> Iterator[Step]:
    """Neighbouring dims made one."""
    for dims in inputs:
        for start in range(len(dims)):
            for stop in range(start + 2, len(dims) + 1):
                part = [one for one in dims[start:stop] if set(one) != {1}]
                if len(part) > 1 and all(map(is_known, part)) and tuple(map(math.prod, zip(*part))) == row:
                    yield "*", tuple(part)


def _sums(row: Row, inputs: Any, integers: Any, shape: Any, at: int) -> Iterator[Step]:
    """Tensors put one behind the other along this dim."""
    alike = [dims for dims in inputs if len(dims) == len(shape)]
    if len(alike) > 1:
        parts = [dims[at] for dims in alike]
        if all(map(is_known, parts)) and tuple(map(sum, zip(*parts))) == row:
            yield "+", tuple(parts)


def _by_number(row: Row, inputs: Any, integers: Any, shape: Any, at: int) -> Iterator[Step]:
    """A dim and a plain number: cut, padded, repeated, split."""
    for dims in inputs:
        for one in dims:
            if len(set(one)) == 1 or not is_known(one):
                continue
            shift = row[0] - one[0]
            if abs(shift) <= _SHIFT and all(a - b == shift for a, b in zip(row, one)):
                yield ("+", (one, _const(shift, row))) if shift > 0 else ("-", (one, _const(-shift, row)))
            elif (
                one[0]
                and row[0] % one[0] == 0
                and all(b and a == row[0] // one[0] * b for a, b in zip(row, one))
            ):
                yield "*", (one, _const(row[0] // one[0], row))
            elif (
                row[0]
                and one[0] % row[0] == 0
                and all(a and b == one[0] // row[0] * a for a, b in zip(row, one))
            ):
                yield "//", (one, _const(one[0] // row[0], row))


def _by_integers(row: Row, inputs: Any, integers: Any, shape: Any, at: int) -> Iterator[Step]:
    """A dim and an integer of the call."""
    sizes = [one for dims in inputs for one in dims if len(set(one)) > 1 and is_known(one)]
    for other in integers:
        if len(set(other)) == 1:
            continue
        for one in sizes:
            if tuple(a * b for a, b in zip(one, other)) == row:
                yield "*", (one, other)
            if all(other) and tuple(a // b for a, b in zip(one, other)) == row:
                yield "//", (one, other)
            if tuple(a - b for a, b in zip(one, other)) == row:
                yield "-", (one, other)
            if tuple(a + b for a, b in zip(one, other)) == row:
                yield "+", (one, other)


def _rest(row: Row, inputs: Any, integers: Any, shape: Any, at: int) -> Iterator[Step]:
    """What -1 stands for: the number of elements by the other sizes."""
    for dims in inputs:
        others = [one for number, one in enumerate(shape) if number != at]
        if not all(map(is_known, (*dims, *others))):
            continue
        total = tuple(map(math.prod, zip(*dims))) if dims else ()
        if total and others and tuple(map(math.prod, zip(row, *others))) == total:
            above = list(dims)
            below = []
            for one in others:
                if one in above:
                    above.remove(one)
                elif set(one) != {1}:
                    below.append(one)
            above = [one for one in above if set(one) != {1}]
            if above and below:
                yield "//", (("*", tuple(above)), ("*", tuple(below)))


def _shapes(values: list[Any]) -> Iterator[tuple[Row, ...]]:
    """The shapes of the tensors among some arguments, each dim as a row."""
    for column in _columns(values):
        if all(isinstance(value, Tensor) for value in column) and len({len(v.shape) for v in column}) == 1:
            yield tuple(zip(*[value.shape for value in column]))


def _integers(values: list[Any]) -> Iterator[Row]:
    """The integers among some arguments."""
    for column in _columns(values):
        if all(isinstance(value, Scalar) and type(value.value) is int for value in column):
            yield tuple(value.value for value in column)


def _columns(values: list[Any]) -> Iterator[list[Any]]:
    """What arguments are made of, each as it was in every run."""
    if not isinstance(values[0], (Group, tuple)):
        yield values
        return
    items = [v.items if isinstance(v, Group) else v if isinstance(v, tuple) else () for v in values]
    if len({len(one) for one in items}) == 1:
        for column in zip(*items):
            yield from _columns(list(column))
