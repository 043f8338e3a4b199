"""The calls of a function: from which places it was called, and a log as one of them alone would have it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..vocabulary.events import Bound, Frame, Log, Tensor
from ..vocabulary.span import Span

TOP = "<module>"


@dataclass(frozen=True, slots=True)
class Call:
    """One place that calls a function: its file and where in it, and what ran from there.

    `given`: the first tensor that it hands over, by its parameter; None if there is none, or not always
    of one shape.
    """

    file: str
    site: Span
    frames: frozenset[int]
    given: tuple[str, Tensor] | None = None

    @property
    def line(self) -> int:
        """The line of the call."""
        return self.site.line


def calls(log: Log) -> dict[str, tuple[Call, ...]]:
    """The functions of a log's file that really ran, by scope, each with the places that call it in order."""
    frames: dict[tuple[str, str, Span], set[int]] = defaultdict(set)
    made_up = _below(log, {frame.id for frame in log.frames if frame.assumed})
    for frame in log.frames:
        if (
            frame.file == log.file
            and frame.scope != TOP
            and frame.site is not None
            and frame.id not in made_up
        ):
            caller = _caller(log, frame)
            if caller is not None:
                frames[frame.scope, caller.file, frame.site].add(frame.id)
    first: dict[int, tuple[str, Tensor]] = {}
    for event in log.events:
        if isinstance(event, Bound) and event.kind == "parameter" and isinstance(event.value, Tensor):
            first.setdefault(event.frame, (event.name, event.value))
    found: dict[str, list[Call]] = defaultdict(list)
    for (scope, file, site), ids in frames.items():
        given = {
            (name, value.shape): (name, value) for id in ids if id in first for name, value in (first[id],)
        }
        whole = len(given) == 1 and ids <= first.keys()
        found[scope].append(Call(file, site, frozenset(ids), next(iter(given.values())) if whole else None))
    return {
        scope: tuple(sorted(them, key=lambda call: (call.file != log.file, call.file, call.site)))
        for scope, them in found.items()
    }


def seen_through(log: Log, chosen: Mapping[str, int]) -> Log:
    """The log without the other calls of some functions: by scope, the number of the one that is kept.

    A number that a function has no longer is passed over.
    """
    every = calls(log)
    dropped: set[int] = set()
    for scope, number in chosen.items():
        them = every.get(scope, ())
        if number < len(them):
            dropped |= frozenset().union(*(call.frames for call in them)) - them[number].frames
    if not dropped:
        return log
    gone = _below(log, dropped)
    return replace(log, events=tuple(event for event in log.events if event.frame not in gone))


def _caller(log: Log, frame: Frame) -> Frame | None:
    """The innermost frame of the user's own that led to this one."""
    while frame.parent is not None:
        frame = log.frames[frame.parent]
        if not frame.installed:
            return frame
    return None


def _below(log: Log, roots: set[int]) -> set[int]:
    """These frames and all that they called."""
    found = set(roots)
    for frame in log.frames:
        if frame.parent in found:
            found.add(frame.id)
    return found
