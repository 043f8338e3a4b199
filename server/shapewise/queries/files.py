"""One file's part of a log that holds what happened in many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..vocabulary.events import Event, Log, Op
from ..vocabulary.span import Span


def files_of(log: Log) -> tuple[str, ...]:
    """The files that something is known of, the traced one first."""
    frames = (log.frames[event.frame] for event in log.events)
    return tuple(dict.fromkeys([log.file, *(frame.file for frame in frames if not frame.library)]))


def happened_in(log: Log, file: str) -> Log:
    """What happened in the file itself."""
    if all(frame.file == file for frame in log.frames):
        return log
    events = tuple(event for event in log.events if log.frames[event.frame].file == file)
    return replace(log, file=file, events=events)


def seen_from(log: Log, file: str) -> Log:
    """What happened in the file, and at its calls what failed in the libraries that they lead into."""
    if all(frame.file == file for frame in log.frames):
        return log
    return replace(log, file=file, events=tuple(_seen_from(log, file)))


def _seen_from(log: Log, file: str) -> Iterator[Event]:
    for event in log.events:
        if log.frames[event.frame].file == file:
            yield event
        elif isinstance(event, Op) and event.failure is not None:
            place = _call_in(log, event.frame, file)
            if place is not None:
                yield replace(event, frame=place[0], span=place[1])


def _call_in(log: Log, number: int, file: str) -> tuple[int, Span] | None:
    """The innermost call in a file that led to a frame."""
    frame = log.frames[number]
    while frame.parent is not None:
        site, frame = frame.site, log.frames[frame.parent]
        if frame.file == file:
            return (frame.id, site) if site is not None else None
    return None
