"""Shapes under each other, aligned right as torch aligns them."""

from __future__ import annotations

from collections.abc import Sequence

from ...vocabulary.events import Size, Tensor
from ..lineage import ELEMENTWISE
from .run import Run
from .words import dim

_PRODUCTS = frozenset("@ matmul bmm".split())
_MORE = frozenset(
    "masked_fill lerp addcmul addcdiv copy_ fmax fmin atan2 hypot xlogy logaddexp isclose".split()
)


def told(run: Run) -> str | None:
    """The table of an op that broadcasts, if its operands differ; below a clash stands a cross."""
    if run.short not in ELEMENTWISE | _PRODUCTS | _MORE:
        return None
    operands = run.tensors
    if len(operands) < 2:
        return None
    shapes = [tensor.shape for _, tensor in operands]
    multiplies = run.short in _PRODUCTS
    if multiplies and min(map(len, shapes)) < 2 or not multiplies and len(set(shapes)) == 1:
        return None
    rows = [(name or f"operand {number}", tensor.shape) for number, (name, tensor) in enumerate(operands, 1)]
    result = run.op.result
    if run.op.failure is None and isinstance(result, Tensor):
        rows.append(("result", result.shape))
    table = _table(rows)
    if run.op.failure is not None:
        crosses = _product_clash(shapes) if multiplies else _clash(shapes)
        table += _crossed(rows, crosses)
    return table


def _table(rows: Sequence[tuple[str, Sequence[Size]]]) -> str:
    widths = _widths(rows)
    names = max(len(name) for name, _ in rows)
    lines = []
    for name, sizes in rows:
        cells = [""] * (len(widths) - len(sizes)) + [dim(size) for size in sizes]
        lines.append(f"{name:<{names}}" + "".join(f"  {cell:>{width}}" for cell, width in zip(cells, widths)))
    return "\n".join(lines)


def _crossed(rows: Sequence[tuple[str, Sequence[Size]]], crosses: set[int]) -> str:
    """One more line, with a cross below each of these dims, counted from the right."""
    if not crosses:
        return ""
    widths = _widths(rows)
    cells = "".join(
        f"  {'✗' if len(widths) - at in crosses else '':>{width}}" for at, width in enumerate(widths)
    )
    return "\n" + (" " * max(len(name) for name, _ in rows) + cells).rstrip()


def _widths(rows: Sequence[tuple[str, Sequence[Size]]]) -> list[int]:
    rank = max(len(sizes) for _, sizes in rows)
    return [
        max((len(dim(s[at - rank])) for _, s in rows if len(s) >= rank - at), default=1) for at in range(rank)
    ]


def _clash(shapes: Sequence[Sequence[Size]]) -> set[int]:
    """The dims, from 1 at the right, in which sizes differ and none of them is 1."""
    found = set()
    for back in range(1, max(map(len, shapes)) + 1):
        sizes = {one[-back] for one in shapes if len(one) >= back} - {1}
        if len(sizes) > 1 and all(isinstance(size, int) for size in sizes):
            found.add(back)
    return found


def _product_clash(shapes: Sequence[Sequence[Size]]) -> set[int]:
    first, second = shapes[0], shapes[1]
    found = (
        {back + 2 for back in _clash([first[:-2], second[:-2]])}
        if min(len(first), len(second)) > 2
        else set()
    )
    return found | ({1} if first[-1] != second[-2] else set())
