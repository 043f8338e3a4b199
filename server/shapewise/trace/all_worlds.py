"""A file in all the worlds that it may be in: what is equal in all of them, and names for what is not."""

from __future__ import annotations

import ast
import time
from collections.abc import Sequence
from typing import NamedTuple

from ..vocabulary.events import Event
from . import expected, worlds
from .control import STOP
from .measures import together
from .merging import Traced, merged
from .names_by_data import is_open, named
from .one_world import File, run_in
from .run import Run
from .sources import Sources

OTHERS = 3.0
"""Seconds of this thread's time that further worlds may take in addition to those before."""


def in_all_worlds(file: File, sources: Sources) -> tuple[Run, Sequence[Event]]:
    """Run the file in one world; in all, if anything in it depends on which one it is.

    What they decide differently (an `if` on a size that depends on the data) is taken both ways in all of
    them; at once, if it was so the last time.
    """
    known = expected.of_file(file.name)
    traced = _as_expected(file, sources, known) if known.differing else None
    return traced or _from_the_beginning(file, sources)


def _as_expected(file: File, sources: Sources, known: expected.Known) -> tuple[Run, Sequence[Event]] | None:
    """As the last attempt of the last trace was. None if that is not what a trace from the beginning comes to.

    Of one that was stopped, what is sure.
    """
    world = worlds.World()
    run = run_in(file, sources, world, set(), None, known=known.differing)
    if not world.used and not run.expected_outcomes:
        return run, run.recorder.events
    others = []
    if world.used and _is_light(run):
        until = run.budget.until + OTHERS
        others = [
            run_in(file, sources, worlds.World(number), set(), until, known=known.differing)
            for number in range(1, worlds.needed())
        ]
    failed = (run, run.recorder.events[: world.sure]) if STOP.is_set() else None
    if not others or others[0].budget.out or not known.expects(expected.differing(run, others)):
        return failed
    whole = _together(file, sources, run, others, set(), until + OTHERS, known.differing)
    if not known.expects(whole.differing) or not known.still_holds(
        run, [*others, *whole.apart], whole.events
    ):
        return failed
    return run, whole.events


def _from_the_beginning(file: File, sources: Sources) -> tuple[Run, Sequence[Event]]:
    world = worlds.World()
    run = run_in(file, sources, world, set())
    if not world.used:
        expected.remember(file.name, run)
        return run, run.recorder.events
    sure = run, run.recorder.events[: world.sure]
    if not _is_light(run):
        return _alone(file, sources, set(), sure)
    undecided: set[ast.AST] = set()
    until = run.budget.until + OTHERS
    others = _others(file, sources, run, undecided, until)
    for last in (False, True):
        if undecided:
            until += OTHERS
            run, others = _both_ways(file, sources, others, undecided, until)
        if run.budget.out or others[0].budget.out:
            return _alone(file, sources, undecided, sure)
        whole = _together(file, sources, run, others, undecided, until + OTHERS)
        differing = whole.differing - undecided
        if last or undecided or not differing:
            break
        undecided |= differing
    left = expected.differing(run, others) | whole.differing if undecided else set()
    expected.remember(file.name, run, [*others, *whole.apart], undecided, left)
    return run, whole.events


def _is_light(run: Run) -> bool:
    """Whether the file can be traced some more times."""
    return run.budget.light and run.modules.light


def _others(file: File, sources: Sources, first: Run, undecided: set[ast.AST], until: float) -> list[Run]:
    """The runs in the other worlds that the first one asks for. Of that of nothing a part will do: it only contradicts.

    What comes out otherwise there than in the first is taken both ways at once, and joins `undecided`.
    """
    others = []
    for number in range(1, worlds.needed()):
        run = run_in(file, sources, worlds.World(number), undecided, until, compared=first)
        undecided |= run.undecided
        others.append(run)
        if others[0].budget.out:
            break
    return others


def _both_ways(
    file: File, sources: Sources, others: Sequence[Run], undecided: set[ast.AST], until: float
) -> tuple[Run, list[Run]]:
    """The runs of all worlds with what they decide differently taken both ways: those that did not do so yet are made anew."""
    first = run_in(file, sources, worlds.World(), undecided, until)
    made: dict[int, Run] = {
        number: run
        for number, run in enumerate(others, start=1)
        if run.undecided == undecided and not run.late
    }
    return first, [
        made.get(number) or run_in(file, sources, worlds.World(number), undecided, until)
        for number in range(1, worlds.needed())
    ]


def _alone(
    file: File, sources: Sources, undecided: set[ast.AST], sure: tuple[Run, Sequence[Event]]
) -> tuple[Run, Sequence[Event]]:
    """The file in one world in which nothing may depend on it; what was sure before, if time does not reach as far."""
    until = time.thread_time() + OTHERS
    run = run_in(file, sources, worlds.World(alone=True), undecided, until)
    if len(run.recorder.events) < len(sure[1]):
        return sure
    return run, run.recorder.events


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
    until: float,
    known: frozenset[expected.Condition] = frozenset(),
) -> _Whole:
    """What is equal in all worlds, and names for what is not."""
    run.measured = together(run.measured, [one.measured for one in others])
    events = merged(_traced(run), list(map(_traced, others)))
    if file.measure or not is_open(events):
        return _Whole(events)
    pair = worlds.apart()
    far = [run_in(file, sources, world, undecided, until, known=known, like=run) for world in pair]
    events = named(
        events, list(map(_traced, (run, others[0], *far))), [world.apart for world in pair if world.apart]
    )
    differing = {
        key[0]
        for key, found in run.decisions.items()
        if any(set(one.decisions.get(key, ())) - set(found) for one in far)
    }
    return _Whole(events, tuple(far), frozenset(differing))


def _traced(run: Run) -> Traced:
    recorder = run.recorder
    return Traced(recorder.frames, recorder.events, recorder.words, recorder.selves, recorder.alike)
