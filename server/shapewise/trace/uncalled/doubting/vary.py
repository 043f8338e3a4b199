"""What a function writes down where something is otherwise that nothing settles: ranks, dtypes, loops, layouts."""

from __future__ import annotations

import time

import torch

from ..attempt import Attempt
from ..case import Case
from ..definitions import speaks_of_autocast
from ..inputs.sizes import Expr, Free, Made, frees_in, root
from ..inputs.specs import Array, Plain, Ranks, arrays_in, frees_of, with_rank
from ..reading.alternatives import ANOTHER
from ..reading.compared import may_be_none, ranks_asked
from ..running import Recorded, attempted
from ..searching.levelled import flattened
from ..searching.paired import in_doubt
from ..searching.search import OTHER_TRIES, State, climb, search
from ..solve import SECONDS, Ranked, Solved, in_all_runs, of_runs
from ..targets import takes_open_shapes
from .decided import of_extremes, of_numbers, of_one_for_all, of_ones
from .rounds import first_run, grown, is_as_ever, longer, of_lists, once_more


def vary(case: Case, found: Solved) -> None:
    """Add what the runs write down where something is otherwise that nothing settles.

    Loops over a parameter go round once more, inputs are integers, lie in memory otherwise, or have more dims
    or fewer.
    """
    case.until = time.thread_time() + SECONDS  # what is not varied is told as certain
    every = [array for array in found.arrays.values() if array.dims is not None]
    free = [array for array in every if not array.stated]
    kept = [one for one in arrays_in(case.constructor.values()) if one.dims is not None and not one.stated]
    looped = [one for one in dict.fromkeys([*case.sizes.all(), *frees_of(case.specs())]) if one.rounds]
    if looped and not is_as_ever(case, found, looped):
        found.grown, found.longer = grown(case, looped), once_more(case, found, looped)
    found.otherwise += longer(case)
    found.listed = of_lists(case)
    found.otherwise += _resized(case) + _smaller(case, every)
    found.otherwise += [one for _ in in_doubt(case) for one in first_run(case)]
    for array in (*every, *kept):
        if array.dtype == torch.float32:
            for other in (torch.int64, torch.bool):
                array.dtype = other
                if recorded := first_run(case):
                    found.otherwise += recorded
                    break
            array.dtype = torch.float32
    found.otherwise += _cast(case, every)
    found.otherwise += of_ones(case, every) + of_one_for_all(case)
    found.elsewise = _unpinned(case, found) + of_extremes(case) + of_numbers(case)
    found.turned = _turned(case, every) + _of_one_sample(case, every)
    found.otherwise += _tables(case)
    _words(case, found)
    found.worded += _without(case)
    usual = found.recorded[0].broadcasts
    is_open = takes_open_shapes(case.env.module.text)
    varied: set[Array] = set()
    each = [[one for one in arrays_in([spec]) if one in free] for spec in case.inputs.values()]
    alone = [arrays for arrays in each if arrays and len(arrays) < len(free)]
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
        found.ranks += other
        if any(one.first.broadcasts <= usual for one in other):
            varied |= set(chosen)
    direct = [array for array in free if array in case.inputs.values()]
    for array in direct:
        other = _alike(case, array, direct) + _taller(case, array) + _as_asked(case, array)
        other += _repeated(case, array) + _merged(case, array)
        found.ranks += other
        if any(one.first.broadcasts <= usual for one in other):
            varied.add(array)
    found.otherwise += _one_query(case) + _of_masks(case)
    likely = {name: len(array.dims or ()) for name, array in found.arrays.items() if array in free}
    settled = {
        name: len(spec.dims)
        for name, spec in case.inputs.items()
        if isinstance(spec, Array) and spec.dims is not None and spec not in varied
    }
    found.settled = Ranks(settled, likely)


def _resized(case: Case) -> list[Recorded]:
    """Pictures of another size, where all runs have the same since not all go together."""
    if not case.other_sizes:
        return []
    state = State(case)
    for free in case.sizes.all():
        if free.choices and free.equals is None:
            free.choices = (case.other_sizes[0],)
    found = first_run(case)
    state.restore()
    return found


_LARGE = 16
"""A dim that is one certain number of the text, and larger than this, may be cut to it: positions of a table."""


def _smaller(case: Case, arrays: list[Array]) -> list[Recorded]:
    """Dims that are one certain number are half as large: a table that has so many rows may be for fewer, too."""
    dims = [dim for array in arrays for dim in array.dims or () if isinstance(dim, Free)]
    certain = {dim: dim.equals for dim in dims if dim.equals is not None and not list(frees_in(dim.equals))}
    sizes = {dim: case.sizes.value(expr, 0) for dim, expr in certain.items()}
    if not any(size > _LARGE for size in sizes.values()):
        return []
    for dim, size in sizes.items():
        dim.equals = size // 2 if size > _LARGE else dim.equals
    try:
        return first_run(case)
    finally:
        for dim, expr in certain.items():
            dim.equals = expr


def _unpinned(case: Case, usually: Solved) -> list[Solved]:
    """All runs where a parameter that stayed as its default is has another value, if the inputs can be made to fit it."""
    found = []
    for free in [one for one in frees_of(case.specs()) if one.pinned and one.equals is None]:
        usual = free.default or 0
        for tries in (0, OTHER_TRIES):
            recorded = None
            for other in (usual + 1, usual + 2, 2 * usual or 4)[: None if not tries else 1]:
                state = State(case)
                free.default = other
                if not tries or climb(case, [tries]) is None:
                    recorded = in_all_runs(case)
                    if recorded is not None:
                        found.append(of_runs(case, recorded))
                state.restore()
                if recorded is not None:
                    break
            if recorded is not None:
                break
        else:
            usually.fixed.add(usual)
    usually.fixed |= _made_of(usually.fixed, attempted(case, 0, keep=False)[0])
    return found


def _made_of(fixed: set[int], attempt: Attempt) -> set[int]:
    """Numbers that are made of such and of numbers of the text alone: `patch_size**2 * 3`."""
    found: set[int] = set()
    for number, (_, operands) in attempt.made.items():  # in the order in which they were made
        parts = [one for one in operands if type(one) is int]
        if type(number) is not int or len(parts) < len(operands) or (fixed | found).isdisjoint(parts):
            continue
        if all(one in fixed or one in found or not attempt.is_made_up(one) for one in parts):
            found.add(number)
    return found


def _turned(case: Case, arrays: list[Array]) -> list[Recorded]:
    """The inputs lie in memory with their second dim last: what is computed of them element by element does too."""
    for array in arrays:
        array.turned = True
    try:
        return first_run(case)
    finally:
        for array in arrays:
            array.turned = False


def _of_one_sample(case: Case, arrays: list[Array]) -> list[Recorded]:
    """A batch of one: what was cut along the next dim lies in memory without gaps then."""
    state = State(case)
    for array in arrays:
        first = array.dims[0] if array.dims and len(array.dims) > 1 else None
        if isinstance(first, Free) and first.label is None and first.equals is None and not first.multiples:
            first.choices = (1,)
    try:
        return first_run(case)
    finally:
        state.restore()


def _cast(case: Case, arrays: list[Array]) -> list[Recorded]:
    """Under autocast, where the file speaks of it: nothing says that it is called elsewhere, nor on what."""
    if not speaks_of_autocast(case.env.module.text):
        return []
    floats = [array for array in arrays if array.dtype == torch.float32]
    found = []
    with torch.autocast("cpu", dtype=torch.bfloat16):
        for dtype in (torch.bfloat16, torch.float32):
            for array in floats:
                array.dtype = dtype
            found += first_run(case)
    return found


def _one_query(case: Case) -> list[Recorded]:
    """What is asked with may be one step, where it is held against all keys."""
    query = case.inputs.get("query")
    if not isinstance(query, Array) or len(query.dims or ()) < 3:
        return []
    assert query.dims is not None
    before, query.dims = query.dims, [*query.dims[:-2], 1, query.dims[-1]]
    try:
        return first_run(case)
    finally:
        query.dims = before


def _of_masks(case: Case) -> list[Recorded]:
    """A mask of each query for each key has one row for all queries, and for all heads."""
    found = []
    for name, spec in case.inputs.items():
        if isinstance(spec, Array) and "mask" in name and len(dims := spec.dims or []) > 2:
            for front in (dims[:1], dims[:-2]) if len(dims) > 3 else (dims[:-2],):
                spec.dims = [*front, *[1] * (len(dims) - 1 - len(front)), dims[-1]]
                if recorded := first_run(case):
                    found += recorded
                    break
            spec.dims = dims
    return found


def _with_dims(
    case: Case, every: list[Array], chosen: list[Array], more: int, behind: bool = False
) -> list[Ranked]:
    """What is written down where some inputs have more dims, or fewer: in front, or `behind`."""
    free = [array for array in every if not array.stated]
    extra = [Free() for _ in range(max(0, more))]
    state = State(case)
    usual = [(array, array.dims or []) for array in chosen]
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
            if behind or not _unmade(case, usual):
                return []
            for array, dims in usual:  # what is made of the others is made of each sample
                array.dims = [*dims[:1], *extra, *dims[1 + max(0, -more) :]]
            stuck = climb(case, [OTHER_TRIES])
        if ranks != [len(array.dims or ()) for array in free] or (stuck is not None and stuck[2] == 0):
            return []
        _loosen_squares(case, every)
        return _ranked(case, stuck is None and whole)
    finally:
        state.restore()


def _unmade(case: Case, inputs: list[tuple[Array, list[Free | int]]]) -> bool:
    """Whether parameters were what the dims of some inputs make (`channels * height * width`): they no longer are."""
    dims = {root(dim) for _, dims in inputs for dim in dims if isinstance(dim, Free)}
    made = [
        free
        for free in case.sizes.all()
        if free.label is not None
        and isinstance(free.equals, Made)
        and not dims.isdisjoint(frees_in(free.equals))
    ]
    for free in made:
        free.equals = None
    return bool(made)


def _ranked(case: Case, whole: bool = True) -> list[Ranked]:
    """What is written down on inputs of these ranks, if the first run works. `whole`: the others work too."""
    recorded = in_all_runs(case) if whole else None
    if recorded is not None:
        return [Ranked(recorded[0], of_runs(case, recorded))]
    return [Ranked(first) for first in first_run(case)]


def _tables(case: Case) -> list[Recorded]:
    """A text that is given by default and chooses from a table: another choice."""
    found = []
    holders = [vars(case.target.value)] if isinstance(case.target.value, type) else []
    tables = [
        value for names in (*holders, case.env.names) for value in names.values() if type(value) is dict
    ]
    for spec in case.specs():
        if isinstance(spec, Plain) and type(spec.value) is str:
            others = [key for table in tables if spec.value in table for key in table if key != spec.value]
            if others:
                default, spec.value = spec.value, others[0]
                found += first_run(case)
                spec.value = default
    return found


def _words(case: Case, found: Solved) -> None:
    """A word that the text compares with others: each of them, with inputs that fit it, and one that it does not know."""
    for at, (spec, words) in enumerate(case.words()):
        usual, state = spec.value, State(case)
        others = [one for one in words if one != usual and one is not None][:_WORDS]
        unknown = [ANOTHER] if type(usual) is str else []
        for word in [*others, *([None] if None in words else ()), *unknown]:
            spec.value = word
            recorded = first_run(case)
            if not recorded and word != ANOTHER:
                afresh = case.again()  # what fits the usual one need not be what fits this
                afresh.until = case.until
                afresh.words()[at][0].value = word
                for one in (case, afresh):
                    if search(one, [4 * OTHER_TRIES]) is None and (every := in_all_runs(one)) is not None:
                        found.elsewise.append(of_runs(one, every))
                        break
            found.worded += recorded
            state.restore()
        spec.value = usual


_WORDS = 3


def _without(case: Case) -> list[Recorded]:
    """Each input that has no default and may be None is not there."""
    found = []
    for name, spec in case.inputs.items():
        if not isinstance(spec, Array) or case.node is None or case.chooses(name):
            continue
        if may_be_none(case.node, name):
            case.inputs[name] = Plain(None)
            found += first_run(case)
            case.inputs[name] = spec
    return found


def _alike(case: Case, array: Array, arrays: list[Array]) -> list[Ranked]:
    """An input that has fewer dims than another may have its shape."""
    found: list[Ranked] = []
    for other in arrays:
        if array.dims and other.dims and len(array.dims) < len(other.dims):
            before, array.dims = array.dims, list(other.dims)
            found += _ranked(case)
            array.dims = before
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


def _as_asked(case: Case, array: Array) -> list[Ranked]:
    """An input that is asked how many dims it has may have one more behind its first (`if points.dim() == 3`), or so many at all."""
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
    return found + [one for other in asked if other not in known for one in _afresh(case, name, other)]


def _afresh(case: Case, name: str, rank: int) -> list[Ranked]:
    """An input has another rank, and all that fits it is looked for anew: what is a channel may be another dim.

    Where nothing is found that the text itself does not refuse, nothing is known of any rank.
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
        return [] if stuck[0].raised else [Ranked(Recorded([], [], {}))]
    recorded = in_all_runs(afresh)
    return [] if recorded is None else [Ranked(recorded[0], of_runs(afresh, recorded))]


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
