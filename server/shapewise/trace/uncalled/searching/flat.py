"""Inputs that are flattened: rows of a parameter's width, and products of two dims that need not be alike."""

from __future__ import annotations

from ..case import Case
from ..inputs.sizes import Free, Made, root
from ..inputs.specs import arrays_in
from .loosen import all_work
from .search import State


def in_rows(case: Case) -> None:
    """What is made rows of a parameter's width has such rows: `x.view(-1, self.width)`. It may have them in more dims."""
    for array in arrays_in(case.inputs.values()):
        dim = array.dims[0] if array.dims and len(array.dims) == 1 else None
        if (
            array.said is not None
            or not isinstance(dim, Free)
            or dim.label is not None
            or dim.equals is not None
        ):
            continue
        widths = [one for one in dim.multiples if isinstance(one, Free) and one.label is not None]
        if len(widths) != 1 or len(dim.multiples) != 1:
            continue
        state, rows = State(case), Free()
        case.sizes.add(rows)
        dim.equals, array.dims = Made("*", (rows, widths[0])), [rows, widths[0]]
        if all_work(case):
            array.is_flat = True
        else:
            state.restore()


def unsquared(case: Case) -> None:
    """An input is square only since another has as many numbers: `target.view(-1, output.size(1))`."""
    for array in arrays_in(case.inputs.values()):
        dims = [dim for dim in array.dims or () if isinstance(dim, Free)]
        if len(dims) != 2 or dims[0] is dims[1] or root(dims[0]) is not root(dims[1]):
            continue
        side = root(dims[0])
        squares = [free for free in case.sizes.all() if _is_square(free.equals, side)]
        if side.label is not None or dims[1].equals is None or not squares:
            continue
        state = State(case)
        dims[1].equals = None
        for free in squares:
            free.equals = Made("*", (dims[0], dims[1]))
        if not all_work(case):
            state.restore()


def _is_square(equals: object, side: Free) -> bool:
    return (
        isinstance(equals, Made)
        and equals.name == "*"
        and all(isinstance(one, Free) and root(one) is side for one in equals.operands)
    )
