"""The runs of one target side by side: of each event, what it was in every run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from ...vocabulary.events import Bound, Event
from .case import Recorded

Row = tuple[int, ...]
"""One number, as it was in each run."""
Aligned = tuple[Event, ...]
"""One event, as it was in each run."""


def aligned(runs: Sequence[Recorded]) -> list[tuple[Event, Aligned | None]]:
    """Each event of the first run, with those of all runs that stand for it; None where one run has none."""
    keyed = [keys_of(run) for run in runs]
    found = [dict(zip(keys, run.events)) for keys, run in zip(keyed, runs)]
    made: list[tuple[Event, Aligned | None]] = []
    for key, event in zip(keyed[0], runs[0].events):
        others = [events.get(key) for events in found[1:]]
        made.append((event, None if None in others else (event, *others)))  # type: ignore[arg-type]
    return made


def keys_of(run: Recorded) -> list[Any]:
    """For each event what names it in every run: the calls that led there, the place, and which time it was."""
    frames: dict[int, Any] = {}
    times: dict[Any, int] = defaultdict(int)
    for frame in run.frames:
        above = frame.parent if frame.parent is None else frames.get(frame.parent, frame.parent)
        key: Any = (above, frame.file, frame.scope, frame.site)
        times[key] += 1
        frames[frame.id] = hash((key, times[key]))
    keys = []
    for event in run.events:
        kind = event.kind if isinstance(event, Bound) else "op"
        key = (frames.get(event.frame), event.span, kind, event.name)
        times[key] += 1
        keys.append((*key, times[key]))
    return keys
