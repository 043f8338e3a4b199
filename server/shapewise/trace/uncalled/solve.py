"""Inputs that work in all runs, and what the runs then write down."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import Any

from ...vocabulary.events import Bound, Scalar, Value
from .attempt import OUTRANKED, Wish
from .case import Case, Recorded, attempted
from .demands import even_in_one
from .paired import by_words
from .search import State, climb, height, search
from .sizes import RUNS, Free, Made, Sizes, frees_in
from .specs import HALVED, Array, Bundle, Plain, Row, arrays_in, with_rank

_SECONDS = 2.5
"""Of this thread's time, for one function: there are others."""
_FLAT = (2,)
"""The rank that all inputs begin with where the first search found nothing: a batch of rows."""
_TRIES = 120
"""Changes to the inputs of one function."""
OTHER_TRIES = 8


@dataclass
class Solved:
    """Inputs that a call takes in all runs, and what was written down in each.

    `absent`: parameters of the constructor that are not given; what it makes them then is another number.
    `filled`: those among them that it makes a number.
    `assigned`: by the scope of each function of what was tried, the names that its text assigns on any way.
    `words`: the sizes that were made up, a row of numbers each, with the word that the code has for it.
    `fields`: the words among them that are fields of a config, with the parameter of the constructor that it is.
    """

    recorded: list[Recorded]
    arrays: dict[str, Array]
    words: dict[tuple[int, ...], str | None]
    assigned: dict[str, frozenset[str]]
    absent: frozenset[str] = frozenset()
    filled: frozenset[str] = frozenset()
    fields: dict[str, str] = field(default_factory=dict)
    like: dict[Any, Value] = field(default_factory=dict)
    """What was said of other runs, whose words are used where they mean the same here."""
    otherwise: list[Recorded] = field(default_factory=list)
    """The first run where something else is otherwise than the ranks of the inputs."""
    elsewise: list[Solved] = field(default_factory=list)
    """All runs where a parameter has another value than its default, which it has in `recorded`."""
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
    """Inputs that work in every run, None if none were found. Raises BudgetExhausted, and Dear."""
    if not _begun(case):
        return None
    case.most = math.inf
    _lower(case)
    _side_by_side(case)
    _higher(case)
    _level(case)
    _loosen(case)
    by_words(case)
    _widen(case)
    recorded = in_all_runs(case)
    if recorded is None and not case.count.pinned:
        case.count.pinned = True
        recorded = in_all_runs(case)
    if recorded is None or not (case.has_maps or case.has_options or _takes_other_counts(case)):
        return None
    return of_runs(case, recorded)


def _takes_other_counts(case: Case) -> bool:
    """Whether lists of which nobody has said how long they are may have one more; else the inputs were made for just these.

    Where the text takes them apart, it says how long they are.
    """
    count = case.count
    if not (count.pinned or count.rounds):
        return True
    before, rounds = count.default or 0, count.rounds
    count.default, count.rounds = before + 1, rounds + bool(rounds)
    try:
        trouble = attempted(case, 0, keep=False)[1]
    finally:
        count.default, count.rounds = before, rounds
    return trouble is None or "to unpack" in str(trouble.error)


def _begun(case: Case) -> bool:
    """Inputs that every run takes: such that have as many dims as the weights that they meet, else any."""
    if _found(case):
        return True
    if not (
        case.stuck is not None and isinstance(case.stuck.error, Wish) and str(case.stuck.error) == OUTRANKED
    ):
        return False
    case.level = False
    return _found(case)


def _found(case: Case) -> bool:
    """Inputs that every run takes: from ranks that are likely one by one, then from the same rank for all."""
    free = [array for array in arrays_in(case.inputs.values()) if array.said is None]
    tries = _TRIES if case.ending is None else 3 * OTHER_TRIES
    others = _FLAT if len(free) > 1 and case.ending is None else ()
    state = State(case)
    until = time.thread_time() + _SECONDS
    best: tuple[tuple[int, int], State] | None = None
    for number, rank in enumerate((None, *others)):
        case.until = until - (_SECONDS / 2 if number < len(others) else 0.0)
        if rank is not None:
            state.restore()
            for array in free:
                with_rank(array, rank)
        stuck = search(case, [tries])
        if stuck is None:
            return True
        case.asked |= stuck[0].asks_for_more
        if best is None or height(stuck) > best[0]:
            best, case.stuck = (height(stuck), State(case)), stuck[0]
    if best is not None:
        best[1].restore()
    return False


def of_runs(case: Case, recorded: list[Recorded]) -> Solved:
    """What was written down in all runs, with what is known of the inputs as they are now."""
    arrays = {name: spec for name, spec in case.inputs.items() if isinstance(spec, Array)}
    for name, spec in case.inputs.items():
        if isinstance(spec, Row):
            arrays.update((f"{name}[{at}]", one) for at, one in enumerate(arrays_in(spec.items)))
    absent = {name for name, one in case.constructor.items() if isinstance(one, Plain) and one.value is None}
    fields = {
        one: name
        for name, spec in case.constructor.items()
        if isinstance(spec, Bundle)
        for one in spec.fields
    }
    filled = {
        event.name.removeprefix("self.")
        for event in recorded[0].events
        if isinstance(event, Bound) and isinstance(event.value, Scalar) and type(event.value.value) is int
    }
    return Solved(
        recorded,
        arrays,
        _words(case.sizes),
        case.target.assigned(),
        frozenset(absent),
        frozenset(absent & filled),
        fields,
    )


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


def in_all_runs(case: Case) -> list[Recorded] | None:
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
        key[0]
        for other in recorded[1:]
        for key, outcomes in recorded[0].decisions.items()
        if any(mine != theirs for mine, theirs in zip(outcomes, other.decisions.get(key, ())))
    }


def _lower(case: Case) -> None:
    """A batch has the size of a parameter only by force: with one dim fewer it may have any."""
    for array in arrays_in(case.inputs.values()):
        rank = len(array.dims or ())
        if rank < 2 or array.said is not None or not _is_too_high(case, array):
            continue
        state = State(case)
        with_rank(array, rank - 1)
        stuck = climb(case, [OTHER_TRIES])
        if stuck is not None or len(array.dims or ()) != rank - 1 or _is_too_high(case, array):
            state.restore()


def _side_by_side(case: Case) -> None:
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


def _higher(case: Case) -> None:
    """A batch has the size of a parameter only by force, as what it is indexed with has too few dims: with one more it may have any."""
    for array in arrays_in(case.inputs.values()):
        rank = len(array.dims or ())
        if rank != 2 or array.said is not None or not _begins_with_a_parameter(array):
            continue
        state = State(case)
        with_rank(array, rank + 1)
        stuck = climb(case, [OTHER_TRIES])
        if stuck is not None or len(array.dims or ()) != rank + 1 or _begins_with_a_parameter(array):
            state.restore()


def _begins_with_a_parameter(array: Array) -> bool:
    first = array.dims[0] if array.dims else None
    return isinstance(first, Free) and _is_parameter(first.equals)


def _is_too_high(case: Case, array: Array) -> bool:
    """Whether an input has a dim more than it needs, to all appearances."""
    return (len(array.dims or ()) == 3 and _is_forced(array)) or _is_aslant(case, array)


def _is_aslant(case: Case, array: Array) -> bool:
    """Whether broadcasting made a dim equal to one that stands elsewhere in another input, or in this one."""
    for at, dim in enumerate(array.dims or ()):
        if not isinstance(dim, Free) or not dim.broadcast or dim.equals is None:
            continue
        for other in arrays_in(case.inputs.values()):
            places = [
                place
                for place, one in enumerate(other.dims or ())
                if one is not dim and _root_of(one) is _root(dim)
            ]
            if places and at not in places:
                return True
    return False


def _root_of(dim: Free | int) -> Any:
    return _root(dim) if isinstance(dim, Free) else dim


def _level(case: Case) -> None:
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
        case.other_sizes = works[1:]


def _loosen(case: Case) -> None:
    """Undo each change that nothing needs: a refusal may have been understood wrongly."""
    dims = [
        dim for array in arrays_in(case.inputs.values()) for dim in array.dims or () if isinstance(dim, Free)
    ]
    for free in dict.fromkeys([*case.sizes.all(), *dims]):
        equals = free.equals
        if equals is None or free.same:
            continue
        free.equals = None
        if not _all_work(case):
            free.equals = equals
    _let_go_together(case)
    _let_numbers_go(case, dims)
    for free in case.sizes.all():
        choices = free.choices
        if choices and free.equals is None:
            free.choices, free.least = (), 256
            if not _all_work(case):
                free.choices = choices
    _let_go(case)
    _leave_remainders(case)


def _let_go_together(case: Case) -> None:
    """Dims have a parameter's number, and need only be equal to one another: where all inputs have it, a size of its own."""
    inputs = [array.dims or [] for array in arrays_in(case.inputs.values())]
    for other in [free for free in case.sizes.all() if free.label is not None]:
        for at in range(max(map(len, inputs), default=0)):
            dims = [one for dims in inputs for one in dims[at : at + 1] if isinstance(one, Free)]
            tied = [one for one in dict.fromkeys(dims) if one is not other and _root(one) is other]
            if len(tied) < 2 or any(one.same or one.label for one in tied):
                continue
            before = [(one, one.equals) for one in tied]
            for one in tied:
                one.equals = None if one is tied[0] else tied[0]
            if not _all_work(case):
                for one, equals in before:
                    one.equals = equals


def _let_numbers_go(case: Case, dims: list[Free]) -> None:
    """Dims that were all taken for one certain number need only be equal to one another, where any other does as well."""
    certain: dict[int, list[Free]] = {}
    for dim in dict.fromkeys(dims):
        if type(dim.equals) is int and dim.label is None and not dim.same:
            certain.setdefault(dim.equals, []).append(dim)
    for number, tied in certain.items():
        if len(tied) < 2:
            continue
        for dim in tied:
            dim.equals = None if dim is tied[0] else tied[0]
        if not _all_work(case):
            for dim in tied:
                dim.equals = number


def _all_work(case: Case) -> bool:
    return all(attempted(case, number, keep=False)[1] is None for number in range(RUNS))


def _let_go(case: Case) -> None:
    """A parameter has another's number only by force: the inputs that were taken for the other's may be its own."""
    for free in case.sizes.all():
        other = free.equals
        if free.label is None or free.same or not isinstance(other, Free) or other.label is None:
            continue
        for array in arrays_in(case.inputs.values()):
            dims = [dim for dim in array.dims or () if isinstance(dim, Free) and _root(dim) is _root(other)]
            before = [(dim, dim.equals) for dim in dims]
            free.equals = None
            for dim in dims:
                dim.equals = free
            if dims and _all_work(case):
                break
            for dim, equals in before:
                dim.equals = equals
            free.equals = other


def _root(free: Free) -> Any:
    return _root(free.equals) if isinstance(free.equals, Free) else free


def _leave_remainders(case: Case) -> None:
    """Pictures that can be halved hide what happens to others (`pad` to an odd size): if those work, they are taken."""
    halved = [free for free in case.sizes.all() if HALVED in free.multiples and free.equals is None]
    before = [list(free.multiples) for free in halved]
    for free in halved:
        free.multiples.remove(HALVED)
        free.uneven = True
    if halved and not _all_work(case):
        for free, multiples in zip(halved, before):
            free.multiples[:], free.uneven = multiples, False
