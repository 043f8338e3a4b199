"""Where the elements of a tensor lie in memory: a small picture of its strides."""

from __future__ import annotations

from ...vocabulary.events import Tensor

_ROWS, _COLUMNS = 3, 6


def picture(tensor: Tensor) -> str | None:
    """Positions in memory of the first elements of the last two dims, if they do not simply follow each other.

    Counted from the tensor's own first element.
    """
    steps, sizes = tensor.stride, tensor.shape
    if tensor.contiguous is not False or steps is None or not sizes:
        return None
    known = [
        (size, step) for size, step in zip(sizes, steps) if isinstance(size, int) and isinstance(step, int)
    ]
    if len(known) != len(sizes) or 0 in sizes:
        return None
    (rows, down), (columns, right) = known[-2] if len(known) > 1 else (1, 0), known[-1]
    cells = [
        [str(row * down + column * right) for column in range(min(columns, _COLUMNS))]
        for row in range(min(rows, _ROWS))
    ]
    width = max(len(cell) for row in cells for cell in row)
    lines = [
        "  ".join(f"{cell:>{width}}" for cell in row) + (" …" if columns > _COLUMNS else "") for row in cells
    ]
    if rows > _ROWS:
        lines.append("…".rjust(width))
    return "\n".join(lines)
