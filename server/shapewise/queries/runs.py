"""The runs of one file's functions, from its own log and from those of the files that use it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from ..vocabulary.events import Event, Frame, Log

TOP = "<module>"


def ran(log: Log, file: str) -> frozenset[str]:
    """The functions of a file that really ran: not on inputs that were made up, nor on any that nobody knows."""
    made_up = _made_up(log)
    return frozenset(
        frame.scope
        for frame in log.frames
        if frame.id not in made_up and not frame.installed and not frame.blind and _same(frame.file, file)
    ) - {TOP}


def together(log: Log, others: Sequence[Log]) -> Log:
    """A file's log with what the others saw of its functions. What really ran is not shown on made-up inputs.

    Of the others neither what happened elsewhere is kept, nor what happened at the file's own top: that
    they have in common.
    """
    really = frozenset().union(*(ran(one, log.file) for one in (log, *others)))
    made_up = _made_up(log)
    frames = list(log.frames)
    events: list[Event] = [
        event
        for event in log.events
        if not (event.frame in made_up and log.frames[event.frame].scope in really)
    ]
    for other in others:
        theirs, seen = _of_file(other, log.file, len(frames))
        frames += theirs
        events += seen
    return replace(log, frames=tuple(frames), events=tuple(events))


def _of_file(log: Log, file: str, first: int) -> tuple[list[Frame], list[Event]]:
    """All frames of a log, numbered from `first`, and what really happened in the functions of a file."""
    made_up = _made_up(log)
    frames = [
        replace(
            frame,
            id=frame.id + first,
            parent=None if frame.parent is None else frame.parent + first,
            file=file if _same(frame.file, file) else frame.file,
        )
        for frame in log.frames
    ]
    wanted = {
        frame.id
        for frame in log.frames
        if frame.id not in made_up and frame.scope != TOP and _same(frame.file, file)
    }
    return frames, [
        replace(event, frame=event.frame + first) for event in log.events if event.frame in wanted
    ]


def _made_up(log: Log) -> frozenset[int]:
    """The frames that ran on inputs that were made up, and those below them."""
    found: set[int] = set()
    for frame in log.frames:
        if frame.assumed or frame.parent in found:
            found.add(frame.id)
    return frozenset(found)


def _same(one: str, other: str) -> bool:
    return one == other or os.path.abspath(one) == os.path.abspath(other)
