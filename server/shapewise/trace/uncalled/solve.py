"""Inputs that work in all runs, and what the runs then write down."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ...vocabulary.events import Bound, Scalar, Value
from .attempt import Attempt
from .case import Case, Way
from .inputs.sizes import RUNS, Free, Sizes, root
from .inputs.specs import Array, Bundle, Plain, Ranks, Row, arrays_in, with_rank
from .running import Recorded, attempted
from .searching.divided import several_times
from .searching.evenly import even_in_one
from .searching.flat import in_rows, unsquared
from .searching.handed import is_one_of_many
from .searching.levelled import higher, level, lower, side_by_side, unforced
from .searching.loosen import loosen, unpin, unpin_higher, widen
from .searching.paired import by_words
from .searching.search import OTHER_TRIES, State, height, search, steps
from .searching.trouble import OUTRANKED, Wish

SECONDS = 2.5
"""Of this thread's time, for one function: there are others."""
_FLAT = (2,)
"""The rank that all inputs begin with where the first search found nothing: a batch of rows."""
_TRIES = 120
"""Changes to the inputs of one function."""


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
    case: Case | None = None
    """What was solved."""
    like: dict[Any, Value] = field(default_factory=dict)
    """What was said of other runs, whose words are used where they mean the same here."""
    otherwise: list[Recorded] = field(default_factory=list)
    """The first run where something else is otherwise than the ranks of the inputs."""
    listed: list[tuple[int, Recorded]] = field(default_factory=list)
    """The first run where a list of so many numbers, as it is by default, has one more."""
    worded: list[Recorded] = field(default_factory=list)
    """The first run with each other word: it may go another way, of which nothing is said here."""
    elsewise: list[Solved] = field(default_factory=list)
    """All runs where a parameter has another value than its default, which it has in `recorded`."""
    ways: list[Way] = field(default_factory=list)
    """What a parameter may be as well that selects among a few things, and takes other inputs then: each is tried as an option."""
    grown: Solved | None = None
    """All runs where loops go round as often as no other size is large: they tell what is called so."""
    longer: list[Solved] = field(default_factory=list)
    """All runs where loops go round once more."""
    fixed: set[int] = field(default_factory=set)
    """Numbers of parameters that are the same in all runs, as no others were found to work."""
    turned: list[Recorded] = field(default_factory=list)
    """The first run where the inputs lie in memory otherwise."""
    ranks: list[Ranked] = field(default_factory=list)
    settled: Ranks = field(default_factory=Ranks)
    has_dims: dict[str, int] = field(default_factory=dict)
    """How many dims each input has, by its name: `arrays` may be made others."""


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
    case.until = time.thread_time() + SECONDS  # however long the search took
    several_times(case)
    unpin(case)
    unpin_higher(case)
    lower(case)
    side_by_side(case)
    higher(case)
    level(case)
    unforced(case)
    loosen(case)
    in_rows(case)
    unsquared(case)
    by_words(case)
    widen(case)
    recorded = in_all_runs(case)
    if recorded is None and not case.count.pinned:
        case.count.pinned = True
        recorded = in_all_runs(case)
    if (
        recorded is None
        or _is_empty(case)
        or _is_forced(case)
        or is_one_of_many(case)
        or _is_squared_by_options(case)
        or not (case.has_maps or case.chooses_lists or _takes_other_counts(case))
    ):
        return None
    return of_runs(case, recorded)


def _is_empty(case: Case) -> bool:
    """Whether nothing is left of an input: it has no place there (`cat([x, attr])` of a width that is 0 with `attr_dim=0`)."""
    arrays = arrays_in(case.inputs.values())
    return any(case.sizes.possible(dim, 0) == 0 for array in arrays for dim in array.dims or ())


def _is_forced(case: Case) -> bool:
    """Whether a number of the constructor fits only if it is as large as one of the call: `num_heads` as `batch_size`."""
    given = {free for free in case.inputs.values() if isinstance(free, Free)}
    made = [free for free in case.constructor.values() if isinstance(free, Free) and not free.same]
    return any(root(free) in given for free in made if isinstance(free.equals, Free))


def _is_squared_by_options(case: Case) -> bool:
    """Whether what is given beside fits only if a batch is as large as another dim of the inputs, which it need not be else.

    Then it is of another form: a mask of `(B, T)` that is held against `(B, 1, T, S)`.
    """
    given = [spec for name, spec in case.inputs.items() if not case.chooses(name)]
    shapes = [[root(dim) for dim in array.dims or () if isinstance(dim, Free)] for array in arrays_in(given)]
    batches = {id(shape[0]) for shape in shapes if len(shape) > 1 and shape[0].label is None}
    is_squared = any(id(dim) in batches for shape in shapes for dim in shape[1:])
    if not case.has_options:
        case.target.squared[case.method] = is_squared
        return False
    return is_squared and not case.target.squared.get(case.method, True)


def _takes_other_counts(case: Case) -> bool:
    """Whether lists of which nobody has said how long they are may have one more; else the inputs were made for just these.

    Where the text takes them apart, it says how long they are, and so does a rank that torch asks for: `zeros(1, *shape)`.
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
    return trouble is None or "to unpack" in str(trouble.error) or str(trouble.error) == "rank"


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
    until = time.thread_time() + SECONDS
    best: tuple[tuple[int, int], State] | None = None
    for number, rank in enumerate((None, *others)):
        case.until = until - (SECONDS / 2 if number < len(others) else 0.0)
        if rank is not None:
            state.restore()
            for array in free:
                with_rank(array, rank)
        stuck = search(case, [tries])
        if stuck is None:
            return True
        case.asked |= stuck[0].asks_for_more
        if best is None or height(stuck) > best[0]:
            best, case.stuck, case.reached = (height(stuck), State(case)), stuck[0], steps(stuck)
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
        case,
        has_dims={name: len(array.dims or ()) for name, array in arrays.items()},
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


def in_all_runs(case: Case, goes_on: Callable[[Attempt], bool] = lambda first: True) -> list[Recorded] | None:
    """What each run writes down; a condition that may come out otherwise is taken both ways. None, too, unless it `goes_on` after the first.

    Where one of the ways cannot be gone (a shortcut that only equal widths take), the runs are taken that
    went by either; if none did, because sizes that are made up leave a remainder, the second leaves none.
    """
    recorded, opened = _each(case, set(), goes_on)
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


def _each(
    case: Case, undecided: set[Any], goes_on: Callable[[Attempt], bool] = lambda first: True
) -> tuple[list[Recorded] | None, set[Any]]:
    """What each run writes down with some conditions undecided, and the conditions on a remainder that they met."""
    recorded: list[Recorded] = []
    opened: set[Any] = set()
    before, case.env.run.conditions.undecided = (
        case.env.run.conditions.undecided,
        case.env.run.conditions.undecided | undecided,
    )
    try:
        for number in range(RUNS):
            attempt, _, found = attempted(case, number, keep=True)
            if found is None or (number == 0 and not goes_on(attempt)):
                return None, opened
            recorded.append(found)
            opened |= attempt.open
    finally:
        case.env.run.conditions.undecided = before
    return recorded, opened


def _differing(recorded: list[Recorded]) -> set[Any]:
    """The conditions that come out differently between runs."""
    return {
        key[0]
        for other in recorded[1:]
        for key, outcomes in recorded[0].decisions.items()
        if any(mine != theirs for mine, theirs in zip(outcomes, other.decisions.get(key, ())))
    }
