"""The memory of calls: one that sees what another saw gives what that gave, and is written down as that was."""

from __future__ import annotations

import contextlib
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import nn

from ...vocabulary.span import Span
from ..limits import WHOLE
from ..unknowns import doubts, values
from ..worlds import worlds
from .look import Look, is_plain
from .made import Pattern
from .segment import Said, Segment

if TYPE_CHECKING:
    from ..conditions import Decided
    from ..run import Run

_MOST = 300_000
"""Parts of keys and events that are remembered, of 60 to 100 bytes each."""
_PARTS = 10
"""Of an event."""
_WORTH = 0.0006
"""Seconds of this thread's time: a call that took less is made each time."""
_STRIKES = 3
_IN_VAIN = 12
_DEEPEST = 40
_START = 0.02
_SHARE = 0.15
"""Seconds, and the share of a trace, that may be spent on looks and memories before they have spared any."""


class _Entry(NamedTuple):
    pattern: Pattern
    segment: Segment
    written: list[int]
    """The places of tensors that it wrote to, none of which requires grad."""
    heard: frozenset[str | int]
    """What it asked of its world."""
    decided: list[Decided]
    """How conditions came out in it, each in one of its frames."""
    site: Span | None
    """Where the last call in it was made, if there was one."""
    steps: int
    ops: float
    calls: int
    unfollowed: int


class _Tries:
    """How it went with functions of one text: where it stands changes with every line that is added above."""

    __slots__ = ("seconds", "strikes", "vain")

    def __init__(self) -> None:
        self.strikes = 0
        self.seconds: float | None = None
        """Of the last call that was interpreted."""
        self.vain = 0
        """Calls in a row that saw what none had seen."""

    @property
    def hopeless(self) -> bool:
        """Whether the next call is not worth a look."""
        if self.strikes >= _STRIKES or (self.seconds is not None and self.seconds < _WORTH):
            return True
        if self.vain < _IN_VAIN:
            return False
        self.vain += 1
        return bool(self.vain % _IN_VAIN)


_Entries = dict[Any, _Entry]
_KNOWN: OrderedDict[tuple[Any, ...], _Entries] = OrderedDict()
"""By what calls see what they do: in worlds that answer alike, or, under None, in all, as nothing was asked of one."""
_NONE: _Entries = {}
_TRIES: dict[int, _Tries] = {}
_parts = 0


class Again:
    """The calls of one trace."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._began = time.thread_time()
        self._lost = 0.0
        """Seconds spent on looks and memories, less what they have spared: a trace of what is all new must not double."""

    def call(self, function: Any, words: int, given: Any, named: Any, enter: Callable[..., Any]) -> Any:
        """Call a function of the file's. `words` stand for its text: see `Places.words`."""
        run = self._run
        if (
            not run.repeats
            or run.attempt is not None
            or run.budget.depth > _DEEPEST
            or run.active.get(id(function))
        ):
            return enter(given, named)
        tries = _TRIES.get(words)
        if tries is None:
            if len(_TRIES) > 20_000:
                _TRIES.clear()
            tries = _TRIES[words] = _Tries()
        if tries.hopeless or self._lost > _START + _SHARE * (time.thread_time() - self._began):
            return enter(given, named)
        if tries.seconds is None:  # a text that is new is to be shown soon
            return self._measure(tries, given, named, enter)
        born, began = _born(function, given), time.thread_time()
        look = _look(run, function, given, named, born)
        took = time.thread_time() - began
        self._lost += took
        if look is None or took > tries.seconds:  # what it spares is less: it sees a data set, say
            tries.strikes += 1
            return enter(given, named)
        # what was cut off is not said again in a whole trace
        key = (worlds.used(), WHOLE, *look.key)
        if run.limits is not WHOLE and key not in _KNOWN:
            key = (worlds.used(), run.limits, *look.key)
        entries, world = _KNOWN.get(key, _NONE), worlds.alike()
        entry = entries.get(None) or entries.get(world)
        if entry is None and entries and world is None:
            return enter(given, named)  # it asks, and is told something else each time
        if entry is not None and self._fits(entry):
            tries.vain = 0
            self._lost -= tries.seconds / 2
            _KNOWN.move_to_end(key)
            return self._say(entry, look, born)
        tries.vain += 1
        return self._listen(tries, look, key, function, given, named, enter, born)

    @staticmethod
    def _measure(tries: _Tries, given: Any, named: Any, enter: Callable[..., Any]) -> Any:
        began = time.thread_time()
        try:
            return enter(given, named)
        finally:
            tries.seconds = time.thread_time() - began

    def _fits(self, entry: _Entry) -> bool:
        run = self._run
        budget = run.budget
        if budget.steps + entry.steps > budget.MAX_STEPS or budget.ops + entry.ops > budget.MAX_OPS:
            return False
        if budget.calls + entry.calls > budget.MAX_CALLS:
            return False
        return all(map(run.conditions.is_as, entry.decided))

    def _say(self, entry: _Entry, look: Look, born: Any) -> Any:
        run = self._run
        worlds.ask_again(entry.heard)
        budget = run.budget
        budget.step()
        budget.steps += entry.steps - 1
        budget.ops += entry.ops
        budget.heavy += entry.ops
        budget.calls += entry.calls
        run.unfollowed += entry.unfollowed
        first = len(run.recorder.frames)
        decided = [one._replace(frame=first + one.frame) for one in entry.decided]
        if run.conditions.watched is not None:
            run.conditions.watched += decided
        with torch._C.DisableTorchFunction():
            result, made = entry.pattern.make(run, look, born)
            Said(entry.segment, run, look, made)
            for place in entry.written:
                values.strip(look.held[place])
                torch.autograd.graph.increment_version(look.held[place])
        for one in decided:
            run.conditions.note(one, run.attempt is not None)
        if entry.site is not None:
            run.site = entry.site
        return result

    def _listen(
        self,
        tries: _Tries,
        look: Look,
        key: tuple[Any, ...],
        function: Any,
        given: Any,
        named: Any,
        enter: Callable[..., Any],
        born: Any,
    ) -> Any:
        """Make the call, and remember it if it may be said again."""
        run, recorder = self._run, self._run.recorder
        began = time.thread_time()
        before, versions = self._state(), _versions(look)
        self._lost += time.thread_time() - began
        frame = len(recorder.frames)
        site = run.site = (
            None if run.site is None else run.site._replace()
        )  # the same, and yet to be told from it
        budget = run.budget
        counts = budget.steps, budget.ops, budget.calls, run.unfollowed
        outside, run.conditions.watched = run.conditions.watched, []
        began = time.thread_time()
        with recorder.whole() as whole, worlds.heard() as heard:
            try:
                result = enter(given, named)
                tries.seconds = time.thread_time() - began
            finally:
                decided, run.conditions.watched = run.conditions.watched, outside
                if outside is not None:
                    outside += decided
        if tries.seconds < _WORTH:
            return result
        began = time.thread_time()
        entry, may = None, not heard or worlds.alike() is not None
        if may and self._state() == before and budget is run.budget:
            again = _look(run, function, given, named, born)
            written = [
                at
                for (at, _), was, now in zip(look.tensors, versions, _versions(look), strict=True)
                if was != now
            ]
            harmless = all(
                not look.held[at].requires_grad or look.held[at].is_leaf or id(look.held[at]) in look.buffers
                for at in written
            )
            if again is not None and _is_same(look, again) and harmless:
                steps, ops, calls, unfollowed = counts
                spent = (
                    budget.steps - steps,
                    budget.ops - ops,
                    budget.calls - calls,
                    run.unfollowed - unfollowed,
                )
                left = None if run.site is site else run.site
                with contextlib.suppress(
                    Exception
                ):  # Unfit, mostly: the call was made, and is not remembered
                    with torch._C.DisableTorchFunction():
                        pattern = Pattern(look, recorder, result, born)
                        segment = Segment(run, look, frame, whole)
                    inside = [one._replace(frame=max(one.frame - frame, 0)) for one in decided]
                    entry = _Entry(pattern, segment, written, frozenset(heard), inside, left, *spent)
        self._lost += time.thread_time() - began
        if entry is not None:
            tries.strikes = 0
            _remember(key, entry)
        elif may:
            tries.strikes += 1
        return result

    def _state(self) -> tuple[Any, ...]:
        """What must be the same before and after a call."""
        run = self._run
        return (
            run.spoiled,
            len(run.handed),
            len(run.raised),
            *run.switched.state(),
            len(run.recorder.notes),
            run.guard.foreign,
            run.guard.shortened,
            run.guard.default,
            run.cut,
            doubts.NOW.active,
            doubts.NOW.contexts,
            len(doubts.NOW.written),
            torch.is_grad_enabled(),
            torch.get_default_dtype(),
            torch.is_autocast_enabled("cpu"),
            torch.is_autocast_enabled("cuda"),
        )


def _versions(look: Look) -> list[int]:
    """What counts the writes into each tensor that a call sees; of those made in inference mode nobody does."""
    with torch._C.DisableTorchFunction():
        return [-1 if tensor.is_inference() else tensor._version for _, tensor in look.tensors]


def _born(function: Any, given: Any) -> Any:
    """The object that a constructor is about to fill, if it is empty yet."""
    if function.__name__ != "__init__" or not given:
        return None
    born = given[0]
    return born if (isinstance(born, nn.Module) or is_plain(type(born))) and not vars(born) else None


def _look(run: Run, function: Any, given: Any, named: Any, born: Any) -> Look | None:
    """What a call sees; None where that cannot be compared."""
    look = Look(run, born)
    try:
        with torch._C.DisableTorchFunction():
            look.modes()
            look.code(function)
            look.key.append(len(given))
            for value in given:
                look.value(value)
            for name, value in named.items():
                look.key.append(name)
                look.value(value)
            hash(tuple(look.key))
    except Exception:  # Unfit, mostly; a value that answers no question
        return None
    return look


def _is_same(look: Look, again: Look) -> bool:
    """Whether a call has left what it saw as it was: another object that looks the same is in the place of none."""
    return look.key == again.key and all(one is other for one, other in zip(look.held, again.held))


def _remember(key: tuple[Any, ...], entry: _Entry) -> None:
    global _parts
    entries = _KNOWN.setdefault(key, {})
    _parts -= _weight(key, entries)
    entries[worlds.alike() if entry.heard else None] = entry
    _parts += _weight(key, entries)
    _KNOWN.move_to_end(key)
    while _parts > _MOST and len(_KNOWN) > 1:
        _parts -= _weight(*_KNOWN.popitem(last=False))


def _weight(key: tuple[Any, ...], entries: _Entries) -> int:
    """Nothing without entries, as it is not there then."""
    return len(key) + _PARTS * sum(len(one.segment.events) for one in entries.values()) if entries else 0
