"""A file in all the worlds that it may be in: what is equal in all of them, and names for what is not."""

from __future__ import annotations

import ast
import time
from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple

from ..vocabulary.events import Event
from .control import HURRY, STOP
from .limits import TO_ITS_END, WHOLE, Limits
from .naming.names_by_data import is_open, named
from .one_world import File, run_in
from .outline import Outline
from .run import Run
from .sources.sources import Sources
from .worlds import expected, worlds
from .worlds.measures import together
from .worlds.merging import Traced, merged

OTHERS = 3.0
"""Seconds of this thread's time that further worlds may take in addition to the first."""
_TWO = 2.25
"""So many times as long as one run with short loops took may two more take, besides those seconds: without them nothing
is known of what data decides. Where time is short they are stopped."""
_LAST = 8.0
"""Those of the run that is shown however far it came."""
_CHEAP = 1.0
"""Seconds in which a run comes to its end after which there may be time for long loops."""
_ATTEMPTS = 3
"""The second takes both ways of what worlds decide differently; the third what the world of no rows could not decide in it."""
_DEAR: OrderedDict[str, None] = OrderedDict()
"""The files that the last trace had to run with short loops: so does the next, at once."""
_FILES = 64


def in_all_worlds(
    file: File, sources: Sources, outline: Outline | None = None
) -> tuple[Run, Sequence[Event]]:
    """Run the file in one world; in all, if anything in it depends on which one it is.

    What they decide differently (an `if` on a size that depends on the data) is taken both ways in
    a second attempt; at once, if it was so the last time. Where no time is left for that, what the worlds
    of the first agree on is said. `outline`: a first look, for who waits.
    """
    if outline is not None:
        outline.at_first()
    known = expected.of_file(file.name)
    traced = _as_expected(file, sources, known) if known.differing else None
    if traced is None and HURRY.is_set():
        return _alone(file, sources, set())
    if traced is None and file.name in _DEAR and file.times == 1.0:
        traced = _to_its_end(file, sources)
    run, events = traced or _from_the_beginning(file, sources, outline)
    run.is_short |= run.cut is not None
    run.cut = run.cut or run.lost
    return run, events


def _as_expected(file: File, sources: Sources, known: expected.Known) -> tuple[Run, Sequence[Event]] | None:
    """As the last attempt of the last trace was; None if that is not what a trace from the beginning comes to."""
    run = run_in(file, sources, worlds.World(), set(), None, known=known)
    if not worlds.used() and not run.conditions.open_outcomes:
        return run, run.recorder.events
    others = _others(file, sources, run, set(), known) if worlds.used() else []
    if not others or not known.expects(at for at, _ in expected.differing(run, others)):
        return None
    if not known.tells_apart(expected.untold(run, others)):
        return None
    whole = _together(file, sources, run, others, set(), known)
    if not known.expects(whole.differing) or not known.still_holds(run, others, whole.apart, whole.events):
        return None
    return run, whole.events


def _from_the_beginning(file: File, sources: Sources, outline: Outline | None) -> tuple[Run, Sequence[Event]]:
    undecided = expected.Undecided()
    until = None
    before: _Attempt | None = None
    for attempt in range(_ATTEMPTS):
        began = time.thread_time()
        run = run_in(file, sources, worlds.World(), undecided, until)
        until = run.budget.until + OTHERS * file.times
        if before is not None and run.budget.out and (HURRY.is_set() or not STOP.is_set()):
            before.first.is_short = True
            return before.first, _merged(before.first, before.others)
        if run.cut is None and not worlds.used():
            expected.remember(file.name, run)
            return run, run.recorder.events
        took = time.thread_time() - began
        if took < _CHEAP:
            _DEAR.pop(file.name, None)
        if before is None and _is_dear(run, took):
            ended = _to_its_end(file, sources)
            if ended is not None:
                return ended
        if not worlds.used():
            expected.remember(file.name, run)
            return run, run.recorder.events
        if outline is not None:
            outline.in_between(run)
        others = _others(file, sources, run, undecided)
        if not others:
            return _alone(file, sources, undecided)
        told_apart = expected.differing(run, others)
        untold = expected.untold(run, others)
        differing = {at for at, _ in told_apart} | untold
        if before is None and differing and _is_dear_again(file, run, others):
            run.is_short = True
            return run, _together(file, sources, run, others, undecided).events
        is_last = attempt == _ATTEMPTS - 1 or (before is not None and not untold)
        if is_last or not differing:
            whole = _together(file, sources, run, others, undecided)
            differing |= whole.differing
            if is_last or not differing:
                break
        undecided |= differing
        undecided.told_apart |= {at for at, _ in told_apart}
        undecided.told_apart -= untold
        in_all = set(run.conditions.outcomes).intersection(*[one.conditions.outcomes for one in others])
        undecided.alike |= in_all - told_apart
        before = _Attempt(run, others)
    expected.remember(file.name, run, [*others, *whole.apart], undecided, differing, undecided.told_apart)
    return run, whole.events


def _alone(file: File, sources: Sources, undecided: set[ast.AST]) -> tuple[Run, Sequence[Event]]:
    """In one run, in which nothing is known of what depends on the world: there is time for it in a hurry, too."""
    if HURRY.is_set():
        STOP.clear()
    until = time.thread_time() + OTHERS * file.times
    run = run_in(file, sources, worlds.World(alone=True), undecided, until)
    run.is_short = True
    return run, run.recorder.events


def _is_dear(run: Run, seconds: float) -> bool:
    """Whether a first run did not come to its end, or took so long that there are no others, nor time for one like it."""
    light, others = run.budget.light and run.modules.light, OTHERS * run.budget.times
    if run.cut is not None or (seconds > others and not light):
        return True
    return worlds.used() and seconds > run.budget.left() + others


def _is_dear_again(file: File, run: Run, others: Sequence[Run]) -> bool:
    """Whether a second attempt would take more time than there is: what the worlds of the first agree on has names, rather."""
    seconds = run.seconds + sum(one.seconds for one in others)
    return file.times > 1.0 and 2 * seconds > run.budget.left() + OTHERS * file.times


def _to_its_end(file: File, sources: Sources) -> tuple[Run, Sequence[Event]] | None:
    """The file where loops are soon cut off, as it is cut off itself otherwise; None if it may not go on.

    What its worlds agree on at once is said. If there is no time for all of them, what one knows, as far as it comes in the
    time that is left.
    """
    if STOP.is_set():
        return None
    began = time.thread_time()
    run = run_in(file, sources, worlds.World(), set(), limits=TO_ITS_END)
    took = time.thread_time() - began
    _remember_dear(file.name, run.cut is not None or took > _CHEAP)
    run.is_short = True
    if run.cut is None:
        if not worlds.used():
            return run, run.recorder.events
        run.budget.until = time.thread_time() + _TWO * took
        others = _others(file, sources, run, set(), limits=TO_ITS_END)
        run.budget.until = max(run.budget.until, time.thread_time() + _TWO * took - OTHERS * file.times)
        if others and all(one.cut is None for one in others):  # two alone may agree by chance
            return run, _together(file, sources, run, others, set(), limits=TO_ITS_END).events
        if HURRY.is_set():
            STOP.clear()
    until = time.thread_time() + _LAST * file.times
    last = file._replace(is_last=not HURRY.is_set())
    alone = run_in(last, sources, worlds.World(alone=True), set(), until, limits=TO_ITS_END)
    alone.is_short = True
    return alone, alone.recorder.events


def _remember_dear(name: str, is_dear: bool) -> None:
    _DEAR.pop(name, None)
    if is_dear:
        _DEAR[name] = None
    while len(_DEAR) > _FILES:
        _DEAR.popitem(last=False)


class _Attempt(NamedTuple):
    """The runs of one attempt in each world."""

    first: Run
    others: Sequence[Run]


def _others(
    file: File,
    sources: Sources,
    first: Run,
    undecided: set[ast.AST],
    known: expected.Known = expected.NOTHING,
    limits: Limits = WHOLE,
) -> list[Run]:
    """The runs in the other worlds that the first one asks for; none if they take too long.

    That of nothing only contradicts: it has the time that the second took, and where that does not do, a part will.
    """
    if limits is WHOLE and not (first.budget.light and first.modules.light):
        return []
    until = first.budget.until + OTHERS * file.times
    others: list[Run] = []
    for number in range(1, worlds.needed()):
        began = time.thread_time()
        world = worlds.World(number)
        others.append(run_in(file, sources, world, undecided, until, known=known, limits=limits))
        if others[0].budget.out:
            return []
        until = max(until, 2.25 * time.thread_time() - 1.25 * began)
    return others


class _Whole(NamedTuple):
    """What all worlds say together. `apart`: the runs in which every size is another, if there were any.

    `differing`: the conditions that only those decide otherwise.
    """

    events: Sequence[Event]
    apart: tuple[Run, ...] = ()
    differing: frozenset[ast.AST] = frozenset()


def _together(
    file: File,
    sources: Sources,
    run: Run,
    others: Sequence[Run],
    undecided: set[ast.AST],
    known: expected.Known = expected.NOTHING,
    limits: Limits = WHOLE,
) -> _Whole:
    """What is equal in all worlds, and names for what is not."""
    run.measured = together(run.measured, [one.measured for one in others])
    events = _merged(run, others)
    if file.measure or not (is_open(events) or any(one.numbers_met for one in (run, *others))):
        return _Whole(events)
    until = run.budget.until + OTHERS * file.times
    if file.times > 1.0:  # nobody waits: they have the time that it took
        until = max(until, time.thread_time() + _TWO * run.seconds)
    pair = worlds.apart()
    far = [
        run_in(file, sources, world, undecided, until, known=known, like=run, limits=limits) for world in pair
    ]
    run.is_short |= any(one.budget.out for one in far)
    events = named(
        events, list(map(_traced, (run, others[0], *far))), [world.apart for world in pair if world.apart]
    )
    differing = {
        key[0]
        for key, found in run.conditions.outcomes.items()
        if any(set(one.conditions.outcomes.get(key, ())) - set(found) for one in far)
    }
    return _Whole(events, tuple(far), frozenset(differing))


def _merged(first: Run, others: Sequence[Run]) -> Sequence[Event]:
    first.recorder.weights.agree([one.recorder.weights for one in others])
    return merged(_traced(first), list(map(_traced, others)))


def _traced(run: Run) -> Traced:
    recorder = run.recorder
    return Traced(recorder.frames, recorder.events, recorder.words, recorder.selves, recorder.alike)
