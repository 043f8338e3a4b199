"""One file's part of a log that holds what happened in many."""

from __future__ import annotations

from dataclasses import replace

from ..vocabulary.events import Event, Frame, Log, Op
from ..vocabulary.moved import Moved
from ..vocabulary.span import Span


def files_of(log: Log) -> tuple[str, ...]:
    """The files of the user's that something is known of, the traced one first."""
    own = (place.file for event in log.events if (place := _own(log, event.frame)) is not None)
    return tuple(dict.fromkeys([log.file, *own]))


def happened_in(log: Log, file: str) -> Log:
    """What happened in the file itself."""
    if all(frame.file == file for frame in log.frames):
        return log
    if isinstance(log.events, Moved):
        return replace(log, file=file, events=log.events.within(file))
    return replace(log, file=file, events=tuple(e for e in log.events if log.frames[e.frame].file == file))


def certain(log: Log) -> Log:
    """What the program itself does, without what was tried on inputs that were made up."""
    if not any(frame.assumed for frame in log.frames):
        return log
    return replace(log, events=tuple(e for e in log.events if not log.frames[e.frame].assumed))


def seen_from(log: Log, file: str) -> Log:
    """What happened for certain in the file, and at its calls what failed in the libraries that they lead into."""
    log = certain(log)
    if all(frame.file == file for frame in log.frames):
        return log
    if log.on_a_card is not None:
        log = replace(log, on_a_card=seen_from(log.on_a_card, file))
    moved = (_at_own_call(log, event) for event in log.events)
    return replace(log, file=file, events=tuple(e for e in moved if log.frames[e.frame].file == file))


def led_to(log: Log, file: str) -> tuple[tuple[Op, str], ...]:
    """What failed in other files of the user's, at the calls in this one that led there; and where it failed."""
    found = []
    log = certain(log)
    for event in (_at_own_call(log, event) for event in log.events):
        if isinstance(event, Op) and event.failure is not None and log.frames[event.frame].file != file:
            call = _call_in(log, event.frame, file)
            if call is not None:
                place = f"{log.frames[event.frame].file}, line {event.span.line}"
                found.append((replace(event, frame=call[0].id, span=call[1]), place))
    return tuple(found)


def _own(log: Log, number: int) -> Frame | None:
    """The innermost frame of the user's own that led to a frame, or is it."""
    frame = log.frames[number]
    while frame.installed:
        if frame.parent is None:
            return None
        frame = log.frames[frame.parent]
    return frame


def _at_own_call(log: Log, event: Event) -> Event:
    """A failure in a library, at the innermost call of the user's own; any other event as it is."""
    frame = log.frames[event.frame]
    if not frame.installed or not isinstance(event, Op):
        return event
    while frame.installed and frame.parent is not None and frame.site is not None:
        event = replace(event, frame=frame.parent, span=frame.site)
        frame = log.frames[frame.parent]
    return event


def _call_in(log: Log, number: int, file: str) -> tuple[Frame, Span] | None:
    """The innermost call in a file that led to a frame."""
    frame = log.frames[number]
    while frame.parent is not None and frame.site is not None:
        site, frame = frame.site, log.frames[frame.parent]
        if frame.file == file:
            return frame, site
    return None
