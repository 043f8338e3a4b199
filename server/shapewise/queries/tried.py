"""What was tried by itself, and what only ran where another definition was tried."""

from __future__ import annotations

from ..vocabulary.events import Event, Log


def elsewhere(log: Log) -> set[int]:
    """Which events, by their number, are of a definition that nobody calls, in the course of another, and are told by itself.

    There it sees defaults, and numbers, that its other callers need not give it.
    """
    of: dict[int, str] = {}
    for frame in log.frames:
        if frame.assumed:
            inside = of.get(frame.parent) if frame.parent is not None else None
            of[frame.id] = frame.scope.partition(".")[0] if inside is None else inside
    if not of:
        return set()
    own = {
        _place(log, event)
        for event in log.events
        if of.get(event.frame) == log.frames[event.frame].scope.partition(".")[0]
    }
    return {
        number
        for number, event in enumerate(log.events)
        if event.frame in of
        and of[event.frame] != log.frames[event.frame].scope.partition(".")[0]
        and _place(log, event) in own
    }


def _place(log: Log, event: Event) -> tuple[object, ...]:
    return type(event), event.span, event.name, log.frames[event.frame].file
