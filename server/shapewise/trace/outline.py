"""A first look at a file that takes long: one run in which nothing is known of what data decides, and loops are soon cut off.

It knows less than the whole trace, and takes a tenth of it. What code that is not followed would have called may be
missing in it: a function is told of only if it was called from everywhere that it was called from the last time.
"""

from __future__ import annotations

import time
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..vocabulary.events import Event, Frame
from .control import STOP
from .limits import BRIEF
from .one_world import File, run_in
from .run import Run
from .sources.sources import Sources
from .worlds import worlds

_LONG = 0.5
"""Seconds of this thread's time that a trace takes before a first look is worth one of its own."""
_SHARE = 0.5
"""Of them, what that may take."""
_MOST = 1.5
"""Seconds after which a first look is given up."""
_REST = 0.2
"""Seconds before the whole is begun: whoever types has mostly gone on by then."""
_FILES = 64

_Ways = Mapping[str, set[Any]]
"""By scope of a function, the chains of calls that led to it."""


@dataclass
class _Known:
    """Of the last trace of a file: the seconds that it took but for what nobody calls, those of its first look, if it had one, and who called what."""

    whole: float = 0.0
    brief: float = 0.0
    ways: _Ways = field(default_factory=dict)


_KNOWN: OrderedDict[str, _Known] = OrderedDict()


class Outline:
    """The first look of one trace, which is told once."""

    def __init__(self, file: File, sources: Sources, tell: Callable[[Run, Sequence[Event]], None]) -> None:
        self._file, self._sources, self._tell = file, sources, tell
        self._known = _KNOWN.setdefault(file.name, _Known())
        self._began = time.thread_time()
        self._spent = 0.0
        _KNOWN.move_to_end(file.name)
        while len(_KNOWN) > _FILES:
            _KNOWN.popitem(last=False)

    def at_first(self) -> None:
        """Before anything is known: of a file that took long the last time."""
        if self._known.whole > _LONG and self._known.brief < _SHARE * self._known.whole:
            self._look(self._known.ways)
            STOP.wait(_REST)

    def in_between(self, run: Run) -> None:
        """One run is over, and more are to come: of a file of which nothing is told yet. They have the time that they had."""
        if self._spent or time.thread_time() - self._began < _LONG:
            return
        here = worlds.here()
        self._look(_ways(run.recorder.frames))
        worlds.enter(here)
        run.budget.until += self._spent

    def done(self, run: Run) -> None:
        """All is known."""
        self._known.whole = time.thread_time() - self._began - self._spent - run.told.seconds
        if self._known.whole > _LONG:
            self._known.ways = _ways(run.recorder.frames)

    def _look(self, ways: _Ways) -> None:
        began = time.thread_time()
        alone = worlds.World(alone=True)
        run = run_in(self._file, self._sources, alone, set(), began + _MOST, limits=BRIEF)
        if run.cut is None:
            frames, now = run.recorder.frames, _ways(run.recorder.frames)
            whole = {frame.id for frame in frames if ways.get(frame.scope, set()) <= now[frame.scope]}
            self._tell(run, [event for event in run.recorder.events if event.frame in whole])
        self._spent = self._known.brief = time.thread_time() - began


def _ways(frames: Iterable[Frame]) -> _Ways:
    found = defaultdict[str, set[Any]](set)
    chains: dict[int | None, Any] = {None: None}
    for frame in frames:
        line = None if frame.site is None else frame.site.line
        chains[frame.id] = chain = (frame.scope, line, chains.get(frame.parent))
        found[frame.scope].add(chain)
    return found
