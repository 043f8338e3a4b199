"""The runs of one target side by side: of each event, what it was in every run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

from ...vocabulary.events import Bound, Event, Frame, Group, Tensor

Row = tuple[int, ...]
"""One number, as it was in each run."""


class Written(Protocol):
    """What one run wrote down."""

    @property
    def frames(self) -> Sequence[Frame]: ...
    @property
    def events(self) -> Sequence[Event]: ...


Aligned = tuple[Event, ...]
"""One event, as it was in each run."""


def aligned(runs: Sequence[Written]) -> list[tuple[Event, Aligned | None]]:
    """Each event of the first run, with those of all runs that stand for it; None where one run has none."""
    keyed = [keys_of(run) for run in runs]
    found = [dict(zip(keys, run.events)) for keys, run in zip(keyed, runs)]
    made: list[tuple[Event, Aligned | None]] = []
    for key, event in zip(keyed[0], runs[0].events):
        others = [events.get(key) for events in found[1:]]
        made.append((event, None if None in others else (event, *others)))  # type: ignore[arg-type]
    return made


def frame_keys(frames: Iterable[Frame]) -> dict[int, Any]:
    """For each frame what names it in every run: the calls that led there, and which time it was."""
    found: dict[int, Any] = {}
    times: dict[Any, int] = defaultdict(int)
    for frame in frames:
        above = found.get(frame.parent) if frame.parent is not None else None
        site = frame.site if above is not None else None  # no call leads to what is tried
        key: Any = (above, frame.file, frame.scope, site)
        times[key] += 1
        found[frame.id] = hash((key, times[key]))
    return found


def keys_of(run: Written) -> list[Any]:
    """For each event what names it in every run: the calls that led there, the place, and which time it was."""
    frames = frame_keys(run.frames)
    times: dict[Any, int] = defaultdict(int)
    keys = []
    for event in run.events:
        kind = event.kind if isinstance(event, Bound) else "op"
        key = (frames.get(event.frame), event.span, kind, event.name)
        times[key] += 1
        keys.append((*key, times[key]))
    return keys


def rows_of(values: Sequence[Any]) -> tuple[Row, ...] | None:
    """The dims of a tensor, each as it was in every run; None if it is no tensor, or of another rank, in one."""
    if any(not isinstance(value, Tensor) or len(value.shape) != len(values[0].shape) for value in values):
        return None
    return tuple(zip(*[value.shape for value in values]))


def is_known(row: Sequence[Any]) -> bool:
    """Whether it is a number in every run: what data decides is none."""
    return all(type(size) is int for size in row)


def tensors_of(values: list[Any]) -> Iterator[list[Any]]:
    """The tensors in some values that are alike, side by side."""
    if all(isinstance(value, Tensor) for value in values):
        yield values
    elif (
        all(isinstance(value, Group) for value in values) and len({len(value.items) for value in values}) == 1
    ):
        for column in zip(*[value.items for value in values]):
            yield from tensors_of(list(column))
