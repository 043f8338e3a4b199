"""What is known so far, told while a trace is under way: who has just opened a file sees something of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from .worlds import worlds

if TYPE_CHECKING:
    from ..vocabulary.events import Event
    from .run import Run

_FIRST = 0.08
"""Seconds of this thread's time after the beginning of a trace."""
_TIMES = 3.0
"""How much later each is than the one before."""


class Glimpses:
    """Tells of a run between two statements, now and then: of none that may run again, or run otherwise.

    What was told holds: it happened outside of every loop and condition of which there may be more to see,
    and before anything depended on the world that the run is in. Of functions that nobody calls it is how
    they were tried first; what else may be given to them widens it.
    """

    def __init__(self, tell: Callable[[Run, Sequence[Event]], None]) -> None:
        self._tell = tell
        self._began = time.thread_time()
        self._next = self._began + _FIRST
        self._told = 0

    def look(self, run: Run) -> None:
        """A statement is over."""
        now = time.thread_time()
        if now < self._next or not run.is_straight or run.loops or run.ways or worlds.used():
            return
        events = len(run.recorder.events) + len(run.told.events)
        if events > self._told:
            self._told = events
            self._tell(run, run.recorder.events)
        self._next = self._began + (time.thread_time() - self._began) * _TIMES
