"""A first look at a file that takes long: one run in which nothing is known of what data decides, and loops are soon cut off.

It says less than the whole trace, and nothing else: both are true of every round and of every world. It takes a tenth.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from . import worlds
from .limits import BRIEF
from .one_world import File, run_in
from .run import Run
from .sources import Sources

_LONG = 0.25
"""Seconds of this thread's time that a trace takes before a first look is worth one of its own."""
_SHARE = 0.4
"""Of them, what that may take."""
_MOST = 1.0
"""Seconds after which a first look is given up."""
_FILES = 64


@dataclass
class _Took:
    """What a file took the last time. `brief`: its first look, as far as it was had."""

    whole: float = 0.0
    brief: float = 0.0


_TOOK: OrderedDict[str, _Took] = OrderedDict()


class Outline:
    """The first look of one trace, which is told once."""

    def __init__(self, file: File, sources: Sources, tell: Callable[[Run], None]) -> None:
        self._file, self._sources, self._tell = file, sources, tell
        self._took = _TOOK.setdefault(file.name, _Took())
        self._began = time.thread_time()
        self._spent = 0.0
        _TOOK.move_to_end(file.name)
        while len(_TOOK) > _FILES:
            _TOOK.popitem(last=False)

    def at_first(self) -> None:
        """Before anything is known: of a file that took long the last time."""
        if self._took.whole > _LONG and self._took.brief < _SHARE * self._took.whole:
            self._look()

    def in_between(self, run: Run) -> None:
        """One run is over, and more are to come: of a file of which nothing is told yet. They have the time that they had."""
        if self._spent or time.thread_time() - self._began < _LONG:
            return
        here = worlds.here()
        self._look()
        worlds.enter(here)
        run.budget.until += self._spent

    def done(self) -> None:
        """All is known."""
        self._took.whole = time.thread_time() - self._began - self._spent

    def _look(self) -> None:
        began = time.thread_time()
        alone = worlds.World(alone=True)
        run = run_in(self._file, self._sources, alone, set(), began + _MOST, limits=BRIEF)
        if run.cut is None:
            self._tell(run)
        self._spent = self._took.brief = time.thread_time() - began
