"""Solve a case, and write down what happens."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...vocabulary.events import Event, Frame, Op, Value
from .case import Case
from .doubting.untried import without_untried
from .doubting.vary import vary
from .inputs.specs import arrays_in, frees_of, with_rank
from .inputs.tried import tried
from .naming.naming import named
from .naming.own_words import Own
from .other_cases import loosely, unheeding, unknowing
from .reading.reads import parameters_of
from .reading.said import contradicts
from .searching.refusal import refused
from .solve import Solved, solved
from .targets import Target, scopes_run

if TYPE_CHECKING:
    from ..run import Env


def written(env: Env, case: Case, like: dict[Any, Value] | None = None) -> Solved | None:
    """Solve a case and write down what happens; None if there is nothing that can be said.

    What the file holds is afterwards as it was. `like`: what was said where two parameters differ that the
    code compares; here they are equal.
    """
    journal = env.run.journal
    segment = journal.open()
    try:
        found = solved(case)
        if (found is None or case.overruled) and (loose := loosely(case)) is not None:
            other = solved(loose)
            if other is not None and (found is None or not loose.overruled):
                case, found = loose, other
        if found is not None and _is_contradicted(case):
            case = unheeding(case)
            found = solved(case)
        if found is not None and case.gave_up:
            found = None
        if found is None and (alone := unknowing(case)) is not None:
            case, found = alone, solved(alone)
            found = None if case.gave_up else found
        if found is not None:
            vary(case, found)
    except ArithmeticError:  # sizes that cannot be, where nobody asked for them
        found = None
    finally:
        journal.close(segment)
        segment.undo()
    if found is not None:
        found.like = like or {}
        frames, events, said = named(
            found, Own(env.run.told.events, env.run.recorder.frames, env.run.told.tried)
        )
        events = _by_itself(env, case, frames, events)
        if case.untried:
            every = [*env.run.recorder.frames, *frames]
            events = without_untried(events, every, case.target, {case.method: case.untried}, ())
        whole = [replace(frames[0], tried=tried(case)), *frames[1:]] if frames else frames
        keep(env, case.target, whole, events)
        for pair in found.recorded[0].unlike[:_PAIRS] if like is None else ():
            where_equal = _where_equal(case, *pair)
            if where_equal is not None:
                written(env, where_equal, said)
    return found


def _is_contradicted(case: Case) -> bool:
    others = {name for node in case.around().constructors for name in parameters_of(node)}
    return contradicts(arrays_in(case.inputs.values()), case.constructor.keys(), others)


def write_refused(env: Env, case: Case) -> None:
    """Write down what happens until torch refuses a case that nothing was found for, if it does whatever is given."""
    journal = env.run.journal
    segment = journal.open()
    try:
        found = refused(case)
    finally:
        journal.close(segment)
        segment.undo()
    if found is not None:
        frames, events, _ = named(found)
        ended: set[int | None] = {event.frame for event in events if isinstance(event, Op) and event.failure}
        for at in reversed(range(len(frames))):
            if frames[at].id in ended:
                ended.add(frames[at].parent)
                frames[at] = replace(frames[at], abandoned=True)
        keep(env, case.target, frames, events)


_PAIRS = 2
"""Parameters that the code compares: so many pairs of them are tried as equal, too."""


def _where_equal(case: Case, one: str, other: str) -> Case | None:
    """The same where two numbers of these names are equal, of which the later one gives way."""
    again = case.again()
    found = [free for name in (one, other) for free in frees_of(again.specs()) if free.label == name]
    if len(found) != 2:
        return None
    for free in frees_of(again.specs()):
        again.sizes.add(free)
        free.equals, free.multiples, free.even = None, [], []  # what was chosen has been searched for
    for mine, like in zip(arrays_in(again.specs()), arrays_in(case.specs())):
        if like.dims is not None:
            mine.dtype = like.dtype
            with_rank(mine, len(like.dims))
    first, second = sorted(found, key=again.sizes.order_of)
    second.equals, second.same = first, True
    return again


def _by_itself(env: Env, case: Case, frames: list[Frame], events: list[Event]) -> list[Event]:
    """What a method beside `forward` tells: nothing of what it calls that has been tried by itself.

    Of a helper that only `forward` has called so far, it tells what it gives it, too.
    """
    if case.method in (None, "forward") or not case.target.has_forward:
        return events
    ran = scopes_run(env.run, env.module.file)
    known = env.run.recorder.frames
    helpers = ran - {frame.scope for frame in known if frame.site is None or not frame.assumed}
    tried_before = {
        frame.id for frame in frames[1:] if frame.scope in ran - helpers and frame.scope != case.scope
    }
    return [event for event in events if event.frame not in tried_before]


def keep(env: Env, target: Target, frames: list[Frame], events: list[Event]) -> None:
    """Write down what was assumed of a definition."""
    recorder = env.run.recorder
    env.run.told.tried.update((frame.id, target.name) for frame in frames)
    recorder.frames.extend(frames)
    recorder.quiet.extend(frame.installed for frame in frames)
    env.run.told.events.extend(events)
