"""Inputs that work in all runs, what the runs then write down, and what would be otherwise."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import torch

from .case import Case, Recorded, attempted
from .demands import even_in_one
from .search import State, climb, search
from .sizes import RUNS, Free, Sizes
from .specs import Array, Plain, Row, arrays_in, with_rank
from .targets import takes_open_shapes

_SECONDS = 1.5
"""Of this thread's time, for one function: there are others."""
_FLAT = (2,)
"""The rank that all inputs begin with where the first search found nothing: a batch of rows."""
_TRIES = 120
"""Changes to the inputs of one function."""
_OTHER_TRIES = 8


@dataclass
class Solved:
    """Inputs that a call takes in all runs, and what was written down in each.

    `absent`: parameters of the constructor that are not given; what it makes them then is another number.
    `words`: the sizes that were made up, a row of numbers each, with the word that the code has for it.
    """

    recorded: list[Recorded]
    arrays: dict[str, Array]
    words: dict[tuple[int, ...], str | None]
    absent: frozenset[str] = frozenset()
    otherwise: list[Recorded] = field(default_factory=list)
    """The first run where something else is otherwise than the ranks of the inputs."""
    turned: list[Recorded] = field(default_factory=list)
    """The first run where the inputs lie in memory otherwise."""
    ranks: list[Ranked] = field(default_factory=list)
    settled: dict[str, int] = field(default_factory=dict)
    """The inputs that have to have as many dims as they have."""


@dataclass
class Ranked:
    """The first run on inputs of other ranks, and all runs if they were all made."""

    first: Recorded
    solved: Solved | None = None


def solved(case: Case) -> Solved | None:
    """Inputs that work in every run, None if none were found. Raises BudgetExhausted."""
    if not _begun(case):
        return None
    _lower(case)
    _level(case)
    _loosen(case)
    _widen(case)
    recorded = _in_all_runs(case)
    if recorded is None and not case.count.pinned:
        case.count.pinned = True
        recorded = _in_all_runs(case)
    if recorded is None:
        return None
    return _of_runs(case, recorded)


def _begun(case: Case) -> bool:
    """Inputs that every run takes: from ranks that are likely one by one, then from the same rank for all."""
    free = [array for array in arrays_in(case.inputs.values()) if array.said is None]
    others = _FLAT if len(free) > 1 else ()
    state = State(case)
    until = time.thread_time() + _SECONDS
    for number, rank in enumerate((None, *others)):
        case.until = until - (_SECONDS / 2 if number < len(others) else 0.0)
        if rank is not None:
            state.restore()
            for array in free:
                with_rank(array, rank)
        if search(case, [_TRIES]):
            return True
    return False


def _of_runs(case: Case, recorded: list[Recorded]) -> Solved:
    """What was written down in all runs, with what is known of the inputs as they are now."""
    arrays = {name: spec for name, spec in case.inputs.items() if isinstance(spec, Array)}
    for name, spec in case.inputs.items():
        if isinstance(spec, Row):
            arrays.update((f"{name}[{at}]", one) for at, one in enumerate(arrays_in(spec.items)))
    absent = {name for name, one in case.constructor.items() if isinstance(one, Plain) and one.value is None}
    return Solved(recorded, arrays, _words(case.sizes), frozenset(absent))


def _words(sizes: Sizes) -> dict[tuple[int, ...], str | None]:
    """The made-up sizes that are not bound to others, each a row, and what the code calls it."""
    words: dict[tuple[int, ...], str | None] = {}
    for free in sizes.all():
        if free.equals is None:
            try:
                row = tuple(sizes.value(free, run) for run in range(RUNS))
            except ArithmeticError:
                continue
            if len(set(row)) > 1:
                words.setdefault(row, free.label if free.label and free.label.isidentifier() else None)
    return words


def _in_all_runs(case: Case) -> list[Recorded] | None:
    """What each run writes down; a condition that may come out otherwise is taken both ways.

    Where one of the ways cannot be gone (a shortcut that only equal widths take), the runs are taken that
    went by either; if none did, because sizes that are made up leave a remainder, the second leaves none.
    """
    recorded, opened = _each(case, set())
    if recorded is None:
        return None
    both = _differing(recorded) | opened
    if not both:
        return recorded
    undecided, _ = _each(case, both)
    if undecided is not None:
        return undecided
    if opened - _differing(recorded):
        attempt = attempted(case, 1, keep=False)[0]
        if not even_in_one(attempt):
            return None
        recorded, opened = _each(case, set())
        if recorded is None or opened - _differing(recorded):
            return None
    return recorded


def _each(case: Case, undecided: set[Any]) -> tuple[list[Recorded] | None, set[Any]]:
    """What each run writes down with some conditions undecided, and the conditions on a remainder that they met."""
    recorded: list[Recorded] = []
    opened: set[Any] = set()
    before, case.env.run.undecided = case.env.run.undecided, case.env.run.undecided | undecided
    try:
        for number in range(RUNS):
            attempt, _, found = attempted(case, number, keep=True)
            if found is None:
                return None, opened
            recorded.append(found)
            opened |= attempt.open
    finally:
        case.env.run.undecided = before
    return recorded, opened


def _differing(recorded: list[Recorded]) -> set[Any]:
    """The conditions that come out differently between runs."""
    return {
        at
        for other in recorded[1:]
        for at, outcomes in recorded[0].decisions.items()
        if any(mine != theirs for mine, theirs in zip(outcomes, other.decisions.get(at, ())))
    }


def _lower(case: Case) -> None:
    """A batch has the size of a parameter only by force: with one dim fewer it may have any."""
    for array in arrays_in(case.inputs.values()):
        if len(array.dims or ()) != 3 or array.said is not None or not _is_forced(array):
            continue
        state = State(case)
        with_rank(array, 2)
        if climb(case, [_OTHER_TRIES]) is not None or len(array.dims or ()) != 2 or _is_forced(array):
            state.restore()


def _level(case: Case) -> None:
    """An input behind the first has no dim in front that only broadcasting gives the others."""
    for array in arrays_in(case.inputs.values())[1:]:
        rank = len(array.dims or ())
        usual = attempted(case, 0, keep=False)[0].broadcasts
        if not usual or rank < 2 or array.said is not None:
            continue
        state = State(case)
        array.dims = (array.dims or [])[1:]
        ranks = [len(one.dims or ()) for one in arrays_in(case.inputs.values())]
        stuck = climb(case, [_OTHER_TRIES], narrow=True)
        same = ranks == [len(one.dims or ()) for one in arrays_in(case.inputs.values())]
        if stuck is not None or not same or attempted(case, 0, keep=False)[0].broadcasts >= usual:
            state.restore()


def _is_forced(array: Array) -> bool:
    """Whether the last dim is a parameter's, and one before it another's."""
    named = [isinstance(dim, Free) and _is_parameter(dim.equals) for dim in array.dims or ()]
    return named[-1:] == [True] and any(named[:-1])


def _is_parameter(expr: Any) -> bool:
    return isinstance(expr, Free) and (expr.label is not None or _is_parameter(expr.equals))


def _widen(case: Case) -> None:
    """A picture's size that was found to work: others that do are its values in the other runs."""
    chosen = [free for free in case.sizes.all() if free.choices and free.equals is None]
    if not chosen:
        return
    size = chosen[0].choices[0]
    works = [size]
    for other in (size + 1, size + 2, size + 3, size - 1, size - 2, size - 3, size + 8, 2 * size, size // 2):
        for free in chosen:
            free.choices = (other,)
        if attempted(case, 0, keep=False)[1] is None:
            works.append(other)
    for free in chosen:
        free.choices = tuple(works)
    if any(attempted(case, number, keep=False)[1] is not None for number in range(RUNS)):
        for free in chosen:  # only equal ones go together
            free.choices = (size,)


def _loosen(case: Case) -> None:
    """Undo each change that nothing needs: a refusal may have been understood wrongly."""
    for free in case.sizes.all():
        equals = free.equals
        if equals is None:
            continue
        free.equals = None
        if any(attempted(case, number, keep=False)[1] is not None for number in range(RUNS)):
            free.equals = equals
    for free in case.sizes.all():
        choices = free.choices
        if choices and free.equals is None:
            free.choices, free.least = (), 256
            if any(attempted(case, number, keep=False)[1] is not None for number in range(RUNS)):
                free.choices = choices


def vary(case: Case, found: Solved) -> None:
    """Add what the runs write down where something is otherwise that nothing settles.

    Loops over a parameter go round once more, inputs are integers, lie in memory otherwise, or have more dims
    or fewer.
    """
    every = [array for array in found.arrays.values() if array.dims is not None]
    free = [array for array in every if not array.stated]
    looped = [one for one in case.sizes.all() if one.rounds]
    if looped:
        for one in looped:
            one.rounds += 1
        found.otherwise += _recorded(case)
        for one in looped:
            one.rounds -= 1
    for array in every:
        if array.dtype == torch.float32:
            array.dtype = torch.int64
            found.otherwise += _recorded(case)
            array.dtype = torch.float32
    found.turned = _turned(case, every)
    found.otherwise += _tables(case)
    usual = found.recorded[0].broadcasts
    is_open = takes_open_shapes(case.env.module.text)
    varied: set[Array] = set()
    each = [[one for one in arrays_in([spec]) if one in free] for spec in case.inputs.values()]
    alone = [arrays for arrays in each if arrays and len(arrays) < len(free)]
    for chosen in [*([free] if free else ()), *alone]:
        in_front = _with_dims(case, every, chosen, 1)
        fewer = [one for less in (-1, -2) for one in _with_dims(case, every, chosen, less)]
        other = in_front + fewer
        for more, known in ((1, in_front), (-1, fewer)):
            if is_open and not known:
                other += _with_dims(case, every, chosen, more, behind=True)
        found.ranks += other
        if any(one.first.broadcasts <= usual for one in other):
            varied |= set(chosen)
    direct = [array for array in free if array in case.inputs.values()]
    for array in direct:
        other = _alike(case, array, direct)
        found.ranks += other
        if any(one.first.broadcasts <= usual for one in other):
            varied.add(array)
    found.otherwise += _one_query(case)
    found.settled = {
        name: len(spec.dims)
        for name, spec in case.inputs.items()
        if isinstance(spec, Array) and spec.dims is not None and spec not in varied
    }


def _turned(case: Case, arrays: list[Array]) -> list[Recorded]:
    """The inputs lie in memory with their second dim last: what is computed of them element by element does too."""
    for array in arrays:
        array.turned = True
    try:
        return _recorded(case)
    finally:
        for array in arrays:
            array.turned = False


def _one_query(case: Case) -> list[Recorded]:
    """What is asked with may be one step, where it is held against all keys."""
    query = case.inputs.get("query")
    if not isinstance(query, Array) or len(query.dims or ()) < 3:
        return []
    assert query.dims is not None
    before, query.dims = query.dims, [*query.dims[:-2], 1, query.dims[-1]]
    try:
        return _recorded(case)
    finally:
        query.dims = before


def _with_dims(
    case: Case, every: list[Array], chosen: list[Array], more: int, behind: bool = False
) -> list[Ranked]:
    """What is written down where some inputs have more dims, or fewer: in front, or `behind`."""
    free = [array for array in every if not array.stated]
    extra = [Free() for _ in range(max(0, more))]
    state = State(case)
    try:
        for array in chosen:
            assert array.dims is not None
            if behind:
                array.dims = [*array.dims, *extra] if more > 0 else array.dims[:more]
            else:
                array.dims = [*extra, *array.dims] if more > 0 else array.dims[-more:]
        if not all(array.dims for array in chosen):
            return []
        whole = {id(array) for array in chosen} == {id(array) for array in free}
        if whole and not _has_squares(case, every) and (recorded := _in_all_runs(case)) is not None:
            return [Ranked(recorded[0], _of_runs(case, recorded))]
        ranks = [len(array.dims or ()) for array in free]
        stuck = climb(case, [_OTHER_TRIES if more < 0 else 1], narrow=True)
        if ranks != [len(array.dims or ()) for array in free] or (stuck is not None and stuck[2] == 0):
            return []
        _loosen_squares(case, every)
        return _ranked(case, stuck is None and whole)
    finally:
        state.restore()


def _ranked(case: Case, whole: bool = True) -> list[Ranked]:
    """What is written down on inputs of these ranks, if the first run works. `whole`: the others work too."""
    recorded = _in_all_runs(case) if whole else None
    if recorded is not None:
        return [Ranked(recorded[0], _of_runs(case, recorded))]
    return [Ranked(first) for first in _recorded(case)]


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
                found += _recorded(case)
                spec.value = default
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


def _has_squares(case: Case, arrays: list[Array]) -> bool:
    """Whether two dims of one input are equal."""
    shapes = [[case.sizes.value(dim, 0) for dim in array.dims or ()] for array in arrays]
    return any(len(set(sizes)) < len(sizes) for sizes in shapes)


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


def _recorded(case: Case) -> list[Recorded]:
    """What the first run writes down, if it works."""
    recorded = attempted(case, 0, keep=True)[2]
    return [] if recorded is None else [recorded]
