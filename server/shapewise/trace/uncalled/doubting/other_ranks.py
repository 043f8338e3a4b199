"""What a function writes down on inputs of other ranks, and which inputs may have others."""

from __future__ import annotations

import itertools

from ..case import Case, Option
from ..inputs.sizes import Expr, Free, Made, frees_in, root
from ..inputs.specs import Array, arrays_in, with_rank
from ..reading.compared import dims_spread, ranks_asked
from ..running import Recorded, attempted
from ..searching.levelled import flattened
from ..searching.search import OTHER_TRIES, State, climb, search
from ..searching.trouble import Trouble
from ..solve import Ranked, Solved, in_all_runs, of_runs
from ..targets import takes_open_shapes
from .rounds import first_run


def add_ranks(
    case: Case, found: Solved, every: list[Array], free: list[Array], kept: list[Array]
) -> set[Array]:
    """Add what is written down where inputs have other ranks. Returns the inputs that may have them.

    `free`: those of `every` whose rank the text does not state; `kept`: those of the constructor.
    """
    usual = found.recorded[0].broadcasts
    is_open = takes_open_shapes(case.env.module.text)
    varied: set[Array] = set()
    each = [[one for one in arrays_in([spec]) if one in free] for spec in case.inputs.values()]
    items = _items(each)
    alone = [
        arrays
        for arrays in (*each, *items, *_of_one_shape(case, free, each))
        if arrays and len(arrays) < len(free)
    ]
    made = [[*free, *kept], kept, *([one] for one in kept if len(kept) > 1)] if kept else []
    for chosen in [*([free] if free else ()), *alone, *made]:
        in_front = _with_dims(case, every, chosen, 1)
        if in_front and min(len(array.dims or ()) for array in chosen) == 1:
            in_front += _with_dims(case, every, chosen, 2)
        fewer = [one for less in (-1, -2) for one in _with_dims(case, every, chosen, less)]
        other = in_front + fewer
        for more, known in ((1, in_front), (-1, fewer)):
            if (is_open or more < 0) and not known:
                other += _with_dims(case, every, chosen, more, behind=True)
        if chosen in items and not _is_held_beside(
            chosen[0]
        ):  # that it would be broadcast is no reason to doubt it
            other = [one for one in other if one.first.broadcasts <= usual]
        found.ranks += other
        if any(one.first.broadcasts <= usual for one in other):
            varied |= set(chosen)
    direct = [array for array in free if array in case.inputs.values()]
    for array in direct:
        other = _alike(case, array, direct) or _with_a_one(case, array, direct)
        other += _taller(case, array)
        other += _as_asked(case, array, is_known=array in varied or bool(other))
        other += _repeated(case, array) + _merged(case, array)
        found.ranks += other
        if any(one.first.broadcasts <= usual for one in other):
            varied.add(array)
    for array in kept:
        found.ranks += _repeated(case, array)
    return varied


def spread(case: Case, free: list[Array], varied: set[Array]) -> list[Option]:
    """The inputs that a view spreads to as many dims as they have here, where none of the other ranks was found that it is for."""
    return [
        ("inputs", name, spec)
        for name, spec in case.inputs.items()
        if isinstance(spec, Array) and spec in free and spec not in varied and case.node is not None
        if len(spec.dims or ()) in dims_spread(case.node, name)
    ]


_MOST = 6
"""Inputs of which groups are tried."""


def _items(each: list[list[Array]]) -> list[list[Array]]:
    """Each item by itself of the inputs that hold several, where they are few: `x_past, x_future, x_static = x`."""
    groups = [[*dict.fromkeys(arrays)] for arrays in each]  # the parts of a state are one
    return [[one] for arrays in groups if 1 < len(arrays) <= _MOST for one in arrays]


def _of_one_shape(case: Case, free: list[Array], each: list[list[Array]]) -> list[list[Array]]:
    """The inputs that are of one shape, but for those that are given as one: a map and what it should be."""
    if len(free) > _MOST:
        return []
    groups: dict[tuple[int, ...], list[Array]] = {}
    for one in free:
        groups.setdefault(_shape(case, one), []).append(one)
    return [arrays for arrays in groups.values() if len(arrays) > 1 and arrays not in each]


def _is_held_beside(array: Array) -> bool:
    """Whether an input has its first dim only since it is held beside another, element by element."""
    first = (array.dims or [1])[0]
    return isinstance(first, Free) and first.broadcast


def _with_dims(
    case: Case, every: list[Array], chosen: list[Array], more: int, behind: bool = False
) -> list[Ranked]:
    """What is written down where some inputs have more dims, or fewer: in front, or `behind`."""
    chosen = [*dict.fromkeys(chosen)]  # the parts of a state are one
    free = [array for array in every if not array.stated]
    extra = [Free() for _ in range(max(0, more))]
    state = State(case)
    usual = [(array, array.dims or []) for array in chosen]
    had_squares = _has_squares(case, every)
    apart = _unlike(case, every, chosen)
    try:
        for array in chosen:
            assert array.dims is not None
            if behind:
                array.dims = [*array.dims, *extra] if more > 0 else array.dims[:more]
            elif more < 0 and array.dims[:1] == [1] and len(array.dims) > 1 - more:
                array.dims = [
                    *array.dims[:1],
                    *array.dims[1 - more :],
                ]  # what is squeezed is there whatever else is
            else:
                array.dims = [*extra, *array.dims] if more > 0 else array.dims[-more:]
        if not all(array.dims for array in chosen):
            return []
        whole = {id(array) for array in chosen} == {id(array) for array in free}
        if whole and not _has_squares(case, every) and (recorded := in_all_runs(case)) is not None:
            return [Ranked(recorded[0], of_runs(case, recorded))]
        ranks = [len(array.dims or ()) for array in free]
        changed = State(case)
        stuck = climb(case, [OTHER_TRIES if more < 0 else 1], narrow=True)
        if stuck is not None and stuck[2] == 0:
            changed.restore()
            if behind or not (_unmade(case, usual) or _unshaped(every, chosen, stuck[0])):
                return []
            for array, dims in usual:  # what is made of the others is made of each sample
                array.dims = [*dims[:1], *extra, *dims[1 + max(0, -more) :]]
            stuck, whole = climb(case, [OTHER_TRIES]), True
        if ranks != [len(array.dims or ()) for array in free] or (stuck is not None and stuck[2] == 0):
            return []
        _loosen_squares(case, every)
        if not had_squares and _has_squares(case, every):
            return []  # it fits only by force
        if not apart <= _unlike(case, every, chosen):
            return []  # the others would have to be what nothing else makes them
        return _ranked(case, stuck is None and whole)
    finally:
        state.restore()


def _unlike(case: Case, every: list[Array], chosen: list[Array]) -> set[tuple[int, int]]:
    """The pairs of dims, by their places, that are of different sizes in the inputs that are not chosen."""
    others = [dim for array in every if array not in chosen for dim in array.dims or ()]
    sizes = [case.sizes.value(dim, 0) for dim in others]
    return {
        pair for pair in itertools.combinations(range(len(sizes)), 2) if len({sizes[at] for at in pair}) > 1
    }


def _unmade(case: Case, inputs: list[tuple[Array, list[Free | int]]]) -> bool:
    """Whether parameters, or dims of other inputs, were what the dims of some make (`channels * height * width`): they no longer are."""
    dims = {root(dim) for _, dims in inputs for dim in dims if isinstance(dim, Free)}
    others = {dim for array in arrays_in(case.inputs.values()) for dim in array.dims or ()}
    made = [
        free
        for free in case.sizes.all()
        if isinstance(free.equals, Made)
        and (free.label is not None or (free in others and free.equals.name == "*"))
        and not dims.isdisjoint(frees_in(free.equals))
    ]
    for free in made:
        free.equals = None
    return bool(made)


def _unshaped(every: list[Array], chosen: list[Array], trouble: Trouble) -> bool:
    """Whether the file compares whole shapes, so that the dims of the other inputs were those of the chosen: they no longer are."""
    if not trouble.raised or trouble.compared is None or not isinstance(trouble.compared[1], (tuple, list)):
        return False
    others = [dim for array in every if array not in chosen for dim in array.dims or ()]
    bound = [dim for dim in others if isinstance(dim, Free) and dim.label is None and dim.equals is not None]
    for dim in bound:
        dim.equals = None
    return bool(bound)


def _ranked(case: Case, whole: bool = True) -> list[Ranked]:
    """What is written down on inputs of these ranks, if the first run works. `whole`: the others work too."""
    recorded = in_all_runs(case) if whole else None
    if recorded is not None:
        return [Ranked(recorded[0], of_runs(case, recorded))]
    return [Ranked(first) for first in first_run(case)]


def _alike(case: Case, array: Array, arrays: list[Array]) -> list[Ranked]:
    """An input that has fewer dims than another may have its shape."""
    found: list[Ranked] = []
    for other in arrays:
        if array.dims and other.dims and len(array.dims) < len(other.dims):
            before, array.dims = array.dims, list(other.dims)
            found += _ranked(case)
            array.dims = before
    return found


def _with_a_one(case: Case, array: Array, arrays: list[Array]) -> list[Ranked]:
    """An input that lacks a dim behind its first that another has may have one of size 1 there: a view hides it."""
    dims = array.dims or []
    last = root(dims[-1]) if len(dims) > 1 and isinstance(dims[-1], Free) else None
    wider = [other.dims for other in arrays if other.dims and len(other.dims) == len(dims) + 1]
    if last is None or not any(isinstance(one[-1], Free) and root(one[-1]) is last for one in wider):
        return []
    array.dims = [dims[0], 1, *dims[1:]]
    found = _ranked(case)
    array.dims = dims
    return found


def _taller(case: Case, array: Array) -> list[Ranked]:
    """An input may have the dim in front that was let away since broadcasting gives it to the others, or a column's behind."""
    taller = array.taller
    if array.is_flat:
        taller = [*flattened(array)] or [*(array.dims or ()), 1]
    if taller is None:
        return []
    before, array.dims = array.dims, taller
    found = _ranked(case)
    array.dims = before
    return found


def _repeated(case: Case, array: Array) -> list[Ranked]:
    """An input that `repeat` gives a dim in front may have that as one: `state.repeat(steps, 1, 1)`."""
    if array.dims is None or _shape(case, array) not in attempted(case, 0, keep=False)[0].repeated:
        return []
    before, array.dims = array.dims, [1, *array.dims]
    found = _ranked(case)
    array.dims = before
    return found


def _merged(case: Case, array: Array) -> list[Ranked]:
    """An input whose batch is as large as a number says that is given beside it may have its steps in one dim with that.

    `x.view(batch_size, -1, heads, width)` takes both.
    """
    before, found = array.dims or [], list[Ranked]()
    first = root(before[0]) if len(before) > 2 and isinstance(before[0], Free) else None
    if first is None or first.label is None:
        return found
    made: Expr = before[0]
    for front in range(2, len(before)):
        made = Made("*", (made, before[front - 1]))
        array.dims = [Free(equals=made), *before[front:]]
        found += _ranked(case)
    array.dims = before
    return found


def _shape(case: Case, array: Array) -> tuple[int, ...]:
    return tuple(case.sizes.value(dim, 0) for dim in array.dims or ())


def _as_asked(case: Case, array: Array, is_known: bool) -> list[Ranked]:
    """An input that is asked how many dims it has may have one more behind its first (`if points.dim() == 3`), or so many at all.

    `is_known`: what it is with some other rank.
    """
    name = next((name for name, spec in case.inputs.items() if spec is array), "")
    asked = None if case.node is None else ranks_asked(case.node, name)
    if asked is None or array.dims is None:
        return []
    rank, found = len(array.dims), list[Ranked]()
    if rank > 1:
        before, array.dims = array.dims, [array.dims[0], Free(), *array.dims[1:]]
        found = _ranked(case)
        array.dims = before
    known = {rank, *([rank + 1] if found else ())}
    if not (found or is_known) and known.issuperset(asked):  # the others go on where this one has left
        return _afresh(case, name, rank + 1, is_asked=False)
    return found + [one for other in asked if other not in known for one in _afresh(case, name, other)]


def _afresh(case: Case, name: str, rank: int, is_asked: bool = True) -> list[Ranked]:
    """An input has another rank, and all that fits it is looked for anew: what is a channel may be another dim.

    Where nothing is found that the text itself does not refuse, nothing is known of any rank; of one that the text
    does not ask for, only where the text refuses something else.
    """
    afresh = case.again()
    afresh.until = case.until
    spec = afresh.inputs.get(name)
    if not isinstance(spec, Array):
        return []
    with_rank(spec, rank)
    spec.ranks, spec.said, spec.settled = [], None, False
    stuck = search(afresh, [4 * OTHER_TRIES])
    if stuck is not None:
        may_be = not stuck[0].raised if is_asked else _refuses_more_than(rank, stuck[0])
        return [Ranked(Recorded([], [], {}))] if may_be else []
    recorded = in_all_runs(afresh)
    return [] if recorded is None else [Ranked(recorded[0], of_runs(afresh, recorded))]


def _refuses_more_than(rank: int, trouble: Trouble) -> bool:
    """Whether the file refuses something itself, and not the rank."""
    compared = trouble.compared or ("", rank, rank)
    return not (trouble.function or trouble.given) and rank not in compared[1:]


def _has_squares(case: Case, arrays: list[Array]) -> bool:
    """Whether two dims of one input are equal."""
    return any(len(set(sizes)) < len(sizes) for sizes in (_shape(case, array) for array in arrays))


def _loosen_squares(case: Case, arrays: list[Array]) -> None:
    """Undo what made two dims of one input equal, where the input that has another rank now does not need it."""
    for array in arrays:
        dims = [dim for dim in array.dims or () if isinstance(dim, Free) and dim.equals is not None]
        sizes = [case.sizes.value(dim, 0) for dim in array.dims or ()]
        if len(set(sizes)) == len(sizes):
            continue
        for dim in dims:
            equals, dim.equals = dim.equals, None
            if attempted(case, 0, keep=False)[1] is not None:
                dim.equals = equals
