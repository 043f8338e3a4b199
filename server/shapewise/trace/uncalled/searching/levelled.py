"""Inputs that work, with no dim more or fewer than they need: what a parameter gave a batch by force is undone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..case import Case
from ..inputs.sizes import Free, Made, frees_in, root
from ..inputs.specs import Array, Plain, Row, arrays_in, with_rank
from ..running import attempted
from .search import OTHER_TRIES, State, climb


def lower(case: Case) -> None:
    """A batch has the size of a parameter only by force: with one dim fewer it may have any. What is flattened has one."""
    for array in arrays_in(case.inputs.values()):
        rank = len(array.dims or ())
        if rank == 1 and array.said is None and flattened(array):
            array.is_flat = True
        products = _products(case, array) if rank > 1 and array.said is None else []
        if products:
            state = State(case)
            with_rank(array, 1)
            for free in products:
                free.equals = None
            if climb(case, [OTHER_TRIES]) is not None or len(array.dims or ()) != 1:
                state.restore()
            else:
                array.is_flat = True
                continue
        if rank < 2 or array.said is not None or not _is_too_high(case, array):
            continue
        for fewer in range(rank - 1, max(1, rank - 3), -1) if rank > 3 else (rank - 1,):
            state, tied = State(case), _tied(case)
            with_rank(array, fewer)
            stuck = climb(case, [OTHER_TRIES])
            is_it = stuck is None and len(array.dims or ()) == fewer
            if is_it and not _is_too_high(case, array) and len(_tied(case)) <= len(tied):
                break
            state.restore()


def flattened(array: Array) -> list[Free]:
    """The dims that the one of an input is the product of: `label.reshape(-1)` beside a batch of several dims."""
    first = array.dims[0] if array.dims else None
    made = first.equals if isinstance(first, Free) else None
    factors = made.operands if isinstance(made, Made) and made.name == "*" else ()
    return [one for one in factors if isinstance(one, Free) and one.label is None]


def _products(case: Case, array: Array) -> list[Free]:
    """The dims that are as large as all dims of an input together: `action.view(-1)` beside a batch."""
    dims = {root(dim) for dim in array.dims or () if isinstance(dim, Free)}
    if len(dims) < len(array.dims or ()):
        return []
    made = [(free, free.equals) for free in case.sizes.all() if isinstance(free.equals, Made)]
    return [free for free, one in made if one.name == "*" and dims <= set(frees_in(one))]


def side_by_side(case: Case) -> None:
    """Inputs have a width that is two parameters together only by force: with one dim fewer each has one of the two."""
    wide = [one for one in arrays_in(case.inputs.values()) if one.said is None and _is_of_several(one)]
    if len(wide) < 2 or any(len(array.dims or ()) < 2 for array in wide):
        return
    state = State(case)
    ranks = [len(array.dims or ()) - 1 for array in wide]
    for array, rank in zip(wide, ranks):
        with_rank(array, rank)
    for other in arrays_in(case.inputs.values()):
        if other.said is None and other not in wide:  # its dims were made of theirs
            with_rank(other, min(len(other.dims or ()), max(ranks)) or 1)
    stuck = climb(case, [2 * OTHER_TRIES])
    kept = ranks == [len(array.dims or ()) for array in wide]
    if stuck is not None or not kept or any(map(_is_of_several, wide)):
        state.restore()


def _is_of_several(array: Array) -> bool:
    last = array.dims[-1] if array.dims else None
    made = last.equals if isinstance(last, Free) else None
    while isinstance(made, Free) and made.equals is not None:
        made = made.equals
    return (
        isinstance(made, Made)
        and made.name == "+"
        and len({one for one in frees_in(made) if one.label is not None}) > 1
    )


def higher(case: Case) -> None:
    """A batch has the size of a parameter only by force, as what it is indexed with has too few dims: with one more it may have any.

    A layer's input has a batch, too.
    """
    for at, array in enumerate(arrays_in(case.inputs.values())):
        rank = len(array.dims or ())
        if rank == 1 and (at or _is_lowest(case)) and array.said is None:
            _raise(case, array)
            continue
        if rank not in (2, 3) or array.said is not None or not _begins_with_a_parameter(array):
            continue
        state, usual = State(case), attempted(case, 0, keep=False)[0].broadcasts
        if rank > 2 and not usual:
            continue
        with_rank(array, rank + 1)
        stuck = climb(case, [2 * OTHER_TRIES if rank > 2 else OTHER_TRIES])
        if (
            stuck is not None
            or len(array.dims or ()) != rank + 1
            or _begins_with_a_parameter(array)
            or rank > 2
            and attempted(case, 0, keep=False)[0].broadcasts >= usual
        ):
            state.restore()


def _raise(case: Case, array: Array) -> None:
    """Give an input of one dim a batch, if it is a layer's, or as many dims as the others have, if it is held against these then without broadcasting."""
    usual = attempted(case, 0, keep=False)[0].broadcasts
    first = array.dims[0] if array.dims else None
    is_a_layers = _begins_with_a_parameter(array) and not (isinstance(first, Free) and first.broadcast)
    if not usual and not is_a_layers:
        return
    tallest = max(len(one.dims or ()) for one in arrays_in(case.inputs.values()))
    for rank in dict.fromkeys((2, tallest) if usual and tallest > 2 else (2,)):
        state = State(case)
        with_rank(array, rank)
        stuck = climb(case, [OTHER_TRIES * (rank - 1)])
        again = attempted(case, 0, keep=False)[0].broadcasts if stuck is None else usual
        is_it = stuck is None and len(array.dims or ()) == rank and not _is_forced(array)
        if is_it and again < usual + (is_a_layers and rank == 2):
            return
        state.restore()


def _is_lowest(case: Case) -> bool:
    """Whether all inputs behind the first have more dims than it has."""
    first, *others = arrays_in(case.inputs.values())
    return bool(others) and all(len(one.dims or ()) > len(first.dims or ()) for one in others)


def _begins_with_a_parameter(array: Array) -> bool:
    first = array.dims[0] if array.dims else None
    return isinstance(first, Free) and _is_parameter(first.equals)


def _is_too_high(case: Case, array: Array) -> bool:
    """Whether an input has a dim more than it needs, to all appearances: none is left for a batch of any size."""
    dims = array.dims or []
    is_bound = len(dims) > 3 and all(isinstance(dim, Free) and dim.equals is not None for dim in dims)
    return ((len(dims) == 3 or is_bound) and _is_forced(array)) or _is_aslant(case, array)


def _is_aslant(case: Case, array: Array) -> bool:
    """Whether broadcasting made a dim equal to one that stands elsewhere in another input, or in this one.

    A matrix that is square met one that is: `torch.where(adj > 0, e, zero)` of `e = h + h.T`.
    """
    dims = [one for one in array.dims or () if isinstance(one, Free)]
    if len(dims) == 2 and all(one.broadcast for one in dims) and root(dims[0]) is root(dims[1]):
        return False
    for at, dim in enumerate(array.dims or ()):
        if not isinstance(dim, Free) or not dim.broadcast or dim.equals is None:
            continue
        for other in arrays_in(case.inputs.values()):
            places = [
                place
                for place, one in enumerate(other.dims or ())
                if one is not dim and _root_of(one) is root(dim)
            ]
            if places and at not in places:
                return True
    return False


def _root_of(dim: Free | int) -> Any:
    return root(dim) if isinstance(dim, Free) else dim


def unforced(case: Case) -> None:
    """Parameters are equal only since an input has dims that meet both: with a number in its place they need not be."""
    tied = _tied(case)
    if tied and (_apart(case, tied) or _columns(case, tied) or _in_front(case, tied)):
        return
    for name, spec in [*case.inputs.items()] if tied else ():
        if not isinstance(spec, Array) or spec.said is not None or spec.likely:
            continue
        state = State(case)
        case.inputs[name] = Plain(0.5)
        for free in tied:
            free.equals = None
        if climb(case, [OTHER_TRIES]) is None and not any(_is_parameter(free.equals) for free in tied):
            return
        state.restore()


def _tied(case: Case) -> list[Free]:
    """The parameters that the search made equal to others."""
    return [
        free
        for free in case.sizes.all()
        if free.label is not None and not free.same and free.equals is not None and _is_parameter(free.equals)
    ]


def _untied(case: Case, tied: list[Free]) -> bool:
    """Whether inputs are found with which parameters need not be equal."""
    for free in case.sizes.all():  # what was made equal through them is not what they are
        if free in tied or (free.label is None and _leads_to(free, tied)):
            free.equals = None
    return climb(case, [2 * OTHER_TRIES]) is None and not any(_is_parameter(free.equals) for free in tied)


def _leads_to(free: Free, tied: list[Free]) -> bool:
    """Whether a dim was made equal to one of some parameters."""
    while isinstance(free.equals, Free):
        free = free.equals
        if free in tied:
            return True
    return False


def _apart(case: Case, tied: list[Free]) -> bool:
    """The parts of a state were taken for alike: each has dims of its own, and what both meet a column."""
    state = State(case)
    for spec in case.inputs.values():
        if isinstance(spec, Row) and len(spec.items) > 1 and all(one is spec.items[0] for one in spec.items):
            first = arrays_in(spec.items[:1])
            if first and first[0].dims is not None:
                others = [replace(first[0], ranks=list(first[0].ranks)) for _ in spec.items[1:]]
                for one in others:
                    with_rank(one, len(first[0].dims))
                    for dim in one.dims or ():
                        case.sizes.add(dim) if isinstance(dim, Free) else None  # what has a place is restored
                before, spec.items = spec.items, [first[0], *others]
                split = State(case)
                if _untied(case, tied):
                    return True
                split.restore()
                if _columns(case, tied):
                    return True
                spec.items = before
                state.restore()
    return False


def _columns(case: Case, tied: list[Free]) -> bool:
    """An input that meets several parameters has one there: it is broadcast to each."""
    for array in arrays_in(case.inputs.values()):
        last = array.dims[-1] if array.dims and len(array.dims) > 1 else None
        if array.said is not None or not isinstance(last, Free) or not _is_parameter(last.equals):
            continue
        state, before = State(case), array.dims
        array.dims = [*(before or [])[:-1], 1]
        if _untied(case, tied):
            return True
        array.dims = before
        state.restore()
    return False


def _in_front(case: Case, tied: list[Free]) -> bool:
    """An input has a dim more: what was cut is that, and no width (`x[:, -block_size:]`)."""
    for array in arrays_in(case.inputs.values()):
        rank = len(array.dims or ())
        if array.said is not None or array.likely or rank != 2:
            continue
        state = State(case)
        with_rank(array, rank + 1)
        if _untied(case, tied) and len(array.dims or ()) == rank + 1:
            return True
        state.restore()
    return False


def level(case: Case) -> None:
    """An input behind the first has no dim in front that only broadcasting gives the others."""
    for array in arrays_in(case.inputs.values())[1:]:
        rank = len(array.dims or ())
        usual = attempted(case, 0, keep=False)[0].broadcasts
        if not usual or rank < 2 or array.said is not None:
            continue
        state, before = State(case), array.dims
        array.dims = (array.dims or [])[1:]
        ranks = [len(one.dims or ()) for one in arrays_in(case.inputs.values())]
        stuck = climb(case, [OTHER_TRIES], narrow=True)
        same = ranks == [len(one.dims or ()) for one in arrays_in(case.inputs.values())]
        if stuck is not None or not same or attempted(case, 0, keep=False)[0].broadcasts >= usual:
            state.restore()
        else:
            array.taller = before


def _is_forced(array: Array) -> bool:
    """Whether the last dim is a parameter's, and one before it another's."""
    named = [isinstance(dim, Free) and _is_parameter(dim.equals) for dim in array.dims or ()]
    return named[-1:] == [True] and any(named[:-1])


def _is_parameter(expr: Any) -> bool:
    return isinstance(expr, Free) and (expr.label is not None or _is_parameter(expr.equals))
