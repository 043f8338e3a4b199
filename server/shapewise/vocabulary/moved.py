"""A log whose lines are not those of the text: its events are moved there once somebody asks for them.

Hints need its facts alone, and few of those (see `placed`); rules and hovers ask for the events, a moment later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Protocol, overload

from .events import Event, Log
from .facts import Fact
from .placed import Placed


class Lines(Protocol):
    """Where the lines of a traced text are in that of the user."""

    def events(self, log: Log) -> tuple[Event, ...]:
        """The events of a traced log at the lines of the user."""
        ...

    def downs(self, lines: Sequence[int]) -> Sequence[int]:
        """How many lines further down lines of the traced text are for the user; these are in order."""
        ...


class Moved(Sequence[Event]):
    """The events of a log, at the lines of the user. `traced`: the log as it was traced, in the order of the same events."""

    def __init__(self, traced: Log, lines: Lines) -> None:
        self.traced, self._lines = traced, lines

    @cached_property
    def _events(self) -> tuple[Event, ...]:
        return self._lines.events(self.traced)

    def __len__(self) -> int:
        return len(self.traced.events)

    @overload
    def __getitem__(self, at: int) -> Event: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Event]: ...
    def __getitem__(self, at: int | slice) -> Event | Sequence[Event]:
        return self._events[at]

    def __iter__(self) -> Iterator[Event]:
        return iter(self._events)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (Moved, tuple)) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]

    def within(self, file: str) -> Sequence[Event]:
        """Those that happened in one file: no other than the traced one has its lines moved."""
        log = self.traced
        there = tuple(event for event in log.events if log.frames[event.frame].file == file)
        return Moved(replace(log, events=there), self._lines) if file == log.file else there

    def placed(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        """The facts of the traced log, at the lines of the user."""
        return Placed(facts, self._lines.downs([fact.span[0] for fact in facts]))
