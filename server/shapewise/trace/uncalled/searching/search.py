"""The way to inputs that work: uphill, each change kept that lets a run come further."""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Callable
from dataclasses import replace

from ..attempt import MADE, Attempt
from ..case import Case
from ..inputs.sizes import RUNS, Free
from ..inputs.specs import arrays_in, bundles_in
from ..running import attempted
from .demands import Refiner
from .trouble import Trouble

_HOPELESS = re.compile(r"(?<!ReLU\.forward\(\) )missing \d+ required|unexpected keyword argument")


def search(case: Case, left: list[int]) -> Stuck | None:
    """Change the inputs until every run takes them: uphill, with `left` tries. A change counts if it comes further.

    None if they do, else what it came furthest to.
    """
    stuck = climb(case, left)
    while stuck is not None:
        better = _with_other_ranks(case, left, stuck) or _with_another_kind(case, left, stuck)
        if better is None:
            return stuck
        stuck = better[0]
    return None


def _with_other_ranks(case: Case, left: list[int], stuck: Stuck) -> tuple[Stuck | None] | None:
    """Where the first other rank of an input leads that comes further; None if none does."""
    same = 0
    for change in list(Refiner(*stuck[:2], [case.constructor, case.inputs]).ranks()):
        state = State(case)
        if left[0] > 0 and _applies(case, change):
            reached = climb(case, left)
            if reached is None or height(reached) > height(stuck):
                return (reached,)
            refused = stuck[0].asks_for_more and not stuck[0].name  # by the file, not by a layer
            same += refused and str(reached[0].error) == str(stuck[0].error)
        state.restore()
        if same == _SAME:
            return None
    return None


def _with_another_kind(case: Case, left: list[int], stuck: Stuck) -> tuple[Stuck | None] | None:
    """Where it leads that what was taken for a number is none; None if it leads nowhere."""
    state = State(case)
    if left[0] > 0 and _applies(case, Refiner(*stuck[:2], [case.constructor, case.inputs]).not_that_kind):
        reached = climb(case, left)
        if reached is None or height(reached) > height(stuck):
            return (reached,)
    state.restore()
    return None


OTHER_TRIES = 8
"""Changes to inputs that work, to have one of another rank."""
_SAME = 5
"""Ranks with which the file refuses in the same words: it asks for something else."""
Stuck = tuple[Trouble, Attempt, int]
"""What is in the way, in which run."""


def height(stuck: Stuck) -> tuple[int, int]:
    """How far it came: in which run, and there."""
    return stuck[2], stuck[1].progress


def steps(stuck: Stuck) -> tuple[int, int]:
    """How far it came, whether or not the constructor was through: one that is given more may do more, and end there."""
    return stuck[2], stuck[1].progress % MADE


def climb(case: Case, left: list[int], narrow: bool = False) -> Stuck | None:
    """Make changes that help at once, as long as there are any. None if all runs work.

    `narrow`: none but that dims which nothing names are equal.
    """
    number = 0
    attempt, trouble = _tried(case, number, left)
    if trouble is not None and _HOPELESS.search(str(trouble.error)):
        left[0] = 0
    while True:
        while trouble is None:
            number += 1
            if number == RUNS:
                return None
            attempt, trouble = _tried(case, number, left)
        if left[0] <= 0:
            return trouble, attempt, number
        better = _step_up(case, left, trouble, attempt, number, narrow)
        if better is None:
            return trouble, attempt, number
        attempt, trouble = better
        if number:  # what was changed has to do for the runs before, too
            number = 0
            attempt, trouble = _tried(case, number, left)


def _step_up(
    case: Case, left: list[int], trouble: Trouble, attempt: Attempt, number: int, narrow: bool
) -> tuple[Attempt, Trouble | None] | None:
    """The first change with which the run comes further, or stops there for another reason."""
    state = State(case)
    refiner = Refiner(trouble, attempt, [case.constructor, case.inputs])
    level: Callable[[], bool] | None = None
    for change in [*(_one_choice(case) if number and not narrow else ()), *refiner.changes()]:
        if narrow:
            change = _only_dims(state, change)
        found = _changed(case, left, state, change, attempt, trouble, number)
        if found is None:
            continue
        again, worse = found
        if worse is None or again.progress > attempt.progress:
            return found
        level = level or change
        state.restore()
    if level is not None and left[0] > 0 and _applies(case, level):
        return _tried(case, number, left)
    if narrow:
        return None
    for change in [refiner.odd_windows, *_pins(case, number), *refiner.guesses()]:
        found = _changed(case, left, state, change, attempt, trouble, number)
        if found is not None and (found[1] is None or found[0].progress > attempt.progress):
            return found
        state.restore()
    return _with_windows(case, left, state, refiner, attempt, trouble, number)


def _with_windows(
    case: Case,
    left: list[int],
    state: State,
    refiner: Refiner,
    attempt: Attempt,
    trouble: Trouble,
    number: int,
) -> tuple[Attempt, Trouble | None] | None:
    """Windows that leave a picture as large as it is, and then a change that helps: its size is to be a multiple, say."""
    for change in (refiner.odd_windows, refiner.windows_of_three):
        if left[0] > 0 and _applies(case, change):
            again, worse = _tried(case, number, left)
            if (
                worse is not None
                and again.progress == attempt.progress
                and str(worse.error) != str(trouble.error)
            ):
                between = State(case)
                for second in Refiner(worse, again, [case.constructor, case.inputs]).changes():
                    found = _changed(case, left, between, second, again, worse, number)
                    if found is not None and (found[1] is None or found[0].progress > attempt.progress):
                        return found
                    between.restore()
        state.restore()
    return None


def _applies(case: Case, change: Callable[[], bool]) -> bool:
    """Make a change; False if it does not apply, or leads to sizes that cannot be.

    What was refused need not be what the function takes: nothing is asked for then.
    """
    try:
        return change() and not case.sizes.is_circular()
    except (ArithmeticError, LookupError, TypeError, RecursionError):
        return False  # the last: a size that one step of it made of itself


def _only_dims(state: State, change: Callable[[], bool]) -> Callable[[], bool]:
    """A change that is made only if it does no more than say that two dims are equal."""

    def made() -> bool:
        if not _applies(state.case, change):
            return False
        if state.only_dims_bound():
            return True
        state.restore()
        return False

    return made


def _changed(
    case: Case,
    left: list[int],
    state: State,
    change: Callable[[], bool],
    attempt: Attempt,
    trouble: Trouble,
    number: int,
) -> tuple[Attempt, Trouble | None] | None:
    """What a change leads to, if not to less, nor to the very same refusal; else it is undone."""
    if left[0] > 0 and _applies(case, change):
        again, worse = _tried(case, number, left)
        if worse is not None and "overflow" in str(
            worse.error
        ):  # what it asks for is right, and is too large
            if _applies(case, Refiner(worse, again, [case.constructor, case.inputs]).smaller):
                again, worse = _tried(case, number, left)
        if worse is None or again.progress > attempt.progress:
            return again, worse
        if again.progress == attempt.progress and str(worse.error) != str(trouble.error):
            return again, worse
    state.restore()
    return None


def _tried(case: Case, number: int, left: list[int]) -> tuple[Attempt, Trouble | None]:
    """One try; numbers that turn out to count something are made small, and it is tried again."""
    counting: list[Free] = []
    reached = 0
    while True:
        left[0] = 0 if time.thread_time() > case.until else left[0] - 1
        # the others are mostly gone through to the end, and are written down then
        attempt, trouble, _ = attempted(case, number, keep=number > 0 and case.ending is None, looks=True)
        if trouble is not None and trouble.raised and attempt.progress < reached:
            even = [free for free in counting if not free.odd and free.default is None]
            if even:  # as primes they were odd, and the file did not refuse them
                for free in even:
                    free.odd = True
                continue
        reached, counting = attempt.progress, []
        if case.ending is not None and case.ending.refuted:
            left[0] = 0
        small = [
            free for free in case.sizes.all() if _is_one_of(free, attempt, attempt.counted) and not free.small
        ]
        known = {free.rounds for free in case.sizes.all() if free.rounds}
        looped = [free for free in case.sizes.all() if _is_one_of(free, attempt, attempt.rounds - known)]
        if any(free.small for free in looped):
            looped = _looped(case, looped, number, attempt)
        if not small and not looped:
            return attempt, trouble
        for free in small:
            free.small = True
            counting.append(free)
        for free in looped:
            few = _ROUNDS + attempt.fewer.get(case.sizes.value(free, number), 0)
            few += (
                _ROUNDS < few < _MANY and few in case.sizes.taken
            )  # `[1] * (blocks - 1)` beside three channels
            free.rounds = min(free.default or few, few if len(looped) > 2 else _MANY)


class State:
    """The inputs of a case as they are now."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.constructor, self.inputs = dict(case.constructor), dict(case.inputs)
        self.bundles = [(spec, dict(spec.fields)) for spec in bundles_in(case.specs())]
        self.order = case.sizes.order()
        self.frees = [
            (free, replace(free, multiples=list(free.multiples), even=list(free.even)))
            for free in case.sizes.all()
        ]
        self.arrays = [(array, replace(array, ranks=list(array.ranks))) for array in arrays_in(case.specs())]

    def only_dims_bound(self) -> bool:
        """Whether nothing has changed but that dims without a name equal others of those."""
        for free, was in self.frees:
            if {**free.__dict__, "equals": None} != {**was.__dict__, "equals": None}:
                return False
            if free.equals is not was.equals and not (
                free.label is None and isinstance(free.equals, Free) and free.equals.label is None
            ):
                return False
        return all((array.dims, array.dtype) == (then.dims, then.dtype) for array, then in self.arrays)

    def restore(self) -> None:
        """Make them so again."""
        case = self.case
        case.constructor.clear()
        case.constructor.update(self.constructor)
        case.inputs.clear()
        case.inputs.update(self.inputs)
        for bundle, fields in self.bundles:
            bundle.fields = dict(fields)
        case.sizes.put_order(self.order)
        for free, was in self.frees:
            free.__dict__.update(was.__dict__, multiples=list(was.multiples), even=list(was.even))
        for array, then in self.arrays:
            array.__dict__.update(then.__dict__, ranks=list(then.ranks))


_ROUNDS = 2
_MANY = 4
"""Rounds of a loop over a parameter: more show nothing new."""


def _looped(case: Case, found: list[Free], number: int, attempt: Attempt) -> list[Free]:
    """Those that a loop follows of numbers that are as large as its rounds: others may be by chance.

    They are told by rounds that none of the others has: all at once, and where that leads to another end, each alone.
    """
    small = [free for free in found if free.small]
    again, trouble, sure = _with_rounds(case, small, number, attempt.rounds)
    made = attempt.in_constructor if again.in_constructor else set()
    for free in small if trouble is not None and len(small) > 1 else ():
        if free not in sure and case.sizes.value(free, number) not in made:
            sure += _with_rounds(case, [free], number, attempt.rounds)[2]
    return [free for free in found if not free.small or free in sure]


def _with_rounds(
    case: Case, chosen: list[Free], number: int, others: set[int]
) -> tuple[Attempt, Trouble | None, list[Free]]:
    """A run in which each of these is a number of rounds that no other is, and those that a loop followed."""
    unlike = (rounds for rounds in itertools.count(_ROUNDS + 1) if rounds not in others)
    try:
        for free, rounds in zip(chosen, unlike):
            free.rounds = rounds
        attempt, trouble, _ = attempted(case, number, keep=False)
        return attempt, trouble, [free for free in chosen if free.rounds in attempt.rounds]
    finally:
        for free in chosen:
            free.rounds = 0


def _is_one_of(free: Free, attempt: Attempt, numbers: set[int]) -> bool:
    """Whether a parameter that nobody has given is one of these numbers, and not another by chance."""
    return (
        free.label is not None
        and free.equals is None
        and not free.rounds
        and attempt.sizes.possible(free, attempt.run) in numbers
    )


def _one_choice(case: Case) -> list[Callable[[], bool]]:
    """A parameter that may be one of a few numbers is the same in all runs: ranks hang on `spatial_dims`."""

    def choose(free: Free) -> bool:
        free.choices = (case.sizes.value(free, 0),)
        return True

    several = [one for one in case.sizes.all() if len(one.choices) > 1 and one.label and one.equals is None]
    return [lambda free=free: choose(free) for free in several]  # type: ignore[misc]


def _pins(case: Case, number: int) -> list[Callable[[], bool]]:
    """Other values of what has a default may not fit: one of them stays as it is, or all the small ones.

    In the first run the small ones are as they are, and the others may all have to be: `assert stride**layers == total_stride`.
    """
    every = [f for f in case.sizes.all() if f.default is not None and not f.pinned and f.equals is None]
    defaults = every if number else [free for free in every if free.default == 1 and not free.small]
    small = [free for free in defaults if free.small]
    large = [free for free in every if not free.small] if not number else []

    def pin(chosen: list[Free]) -> bool:
        for free in chosen:
            free.pinned = True
        return bool(chosen)

    ways = [[free] for free in small] + [small] + [[free] for free in defaults if not free.small] + [large]
    return [lambda way=way: pin(way) for way in ways]  # type: ignore[misc]
