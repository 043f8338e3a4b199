"""The memory of calls: one that sees what another saw gives what that gave, and is written down as that was."""

from __future__ import annotations

import ast
import contextlib
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import nn

from ...vocabulary.span import Span
from .. import doubts, values, worlds
from .look import Look
from .made import Pattern
from .segment import Said, Segment

if TYPE_CHECKING:
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
    """The places of buffers that it wrote to."""
    decided: list[tuple[ast.AST, int, Any]]
    """How conditions came out in it, and in which of its frames."""
    site: Span | None
    """Where the last call in it was made, if there was one."""
    steps: int
    ops: int
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


_KNOWN: OrderedDict[tuple[Any, ...], _Entry] = OrderedDict()
_TRIES: dict[int, _Tries] = {}
_parts = 0


class Again:
    """The calls of one trace."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.hits = self.misses = 0
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
        self._lost += time.thread_time() - began
        if look is None:
            tries.strikes += 1
            return enter(given, named)
        key = tuple(look.key)
        entry = _KNOWN.get(key)
        if entry is not None and self._fits(entry):
            self.hits += 1
            tries.vain = 0
            self._lost -= tries.seconds / 2
            _KNOWN.move_to_end(key)
            return self._say(entry, look, born)
        self.misses += 1
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
        return not entry.decided or not any(run.is_undecided(at) for at, _, _ in entry.decided)

    def _say(self, entry: _Entry, look: Look, born: Any) -> Any:
        run = self._run
        budget = run.budget
        budget.step()
        budget.steps += entry.steps - 1
        budget.ops += entry.ops
        budget.calls += entry.calls
        run.unfollowed += entry.unfollowed
        first = len(run.recorder.frames)
        if run.decided is not None:
            run.decided += [(at, first + frame, outcome) for at, frame, outcome in entry.decided]
        with torch._C.DisableTorchFunction():
            result, made = entry.pattern.make(run, look, born)
            Said(entry.segment, run, look, made)
            for place in entry.written:
                values.strip(look.held[place])
        if worlds.used():
            for at, frame, outcome in entry.decided:
                run.note_decision(at, first + frame, outcome)
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
        before = self._state()
        versions = [_version(tensor) for _, tensor in look.tensors]
        frame = len(recorder.frames)
        site = run.site = (
            None if run.site is None else replace(run.site)
        )  # the same, and yet to be told from it
        budget = run.budget
        counts = budget.steps, budget.ops, budget.calls, run.unfollowed
        outside, run.decided = run.decided, []
        began = time.thread_time()
        with recorder.whole() as whole:
            try:
                result = enter(given, named)
                tries.seconds = time.thread_time() - began
            finally:
                decided, run.decided = run.decided, outside
                if outside is not None:
                    outside += decided
        if tries.seconds < _WORTH:
            return result
        began = time.thread_time()
        entry = None
        if self._state() == before and budget is run.budget:
            again = _look(run, function, given, named, born)
            written = [
                at for (at, tensor), version in zip(look.tensors, versions) if _version(tensor) != version
            ]
            of_layers = all(id(look.held[at]) in look.buffers for at in written)
            if again is not None and tuple(again.key) == key and of_layers:
                after = budget.steps, budget.ops, budget.calls, run.unfollowed
                spent = [a - b for a, b in zip(after, counts)]
                left = None if run.site is site else run.site
                with contextlib.suppress(
                    Exception
                ):  # Unfit, mostly: the call was made, and is not remembered
                    with torch._C.DisableTorchFunction():
                        pattern = Pattern(look, recorder, result, born)
                        segment = Segment(run, look, frame, whole)
                    inside = [(at, max(one - frame, 0), outcome) for at, one, outcome in decided]
                    entry = _Entry(pattern, segment, written, inside, left, *spent)
        self._lost += time.thread_time() - began
        if entry is None:
            tries.strikes += 1
        else:
            tries.strikes = 0
            _remember(key, entry)
        return result

    def _state(self) -> tuple[Any, ...]:
        """What must be the same before and after a call."""
        run = self._run
        return (
            run.spoiled,
            worlds.asked(),
            len(run.handed),
            len(run.raised),
            run.asked_for_card,
            len(run.changed_layers),
            run.gradients,
            run.open_names,
            run.several_processes,
            len(run.recorder.notes),
            run.guard.foreign,
            run.guard.shortened,
            run.guard.default,
            run.cut,
            doubts.NOW.active,
            doubts.NOW.contexts,
            len(doubts.NOW.written),
            len(doubts.NOW.choices),
            torch.is_grad_enabled(),
            torch.get_default_dtype(),
            torch.is_autocast_enabled("cpu"),
            torch.is_autocast_enabled("cuda"),
        )


def _version(tensor: torch.Tensor) -> int:
    """Counts what was written into a tensor; of those made in inference mode nobody does."""
    return -1 if tensor.is_inference() else tensor._version


def _born(function: Any, given: Any) -> Any:
    """The object that a constructor is about to fill, if it is empty yet."""
    if function.__name__ != "__init__" or not given or not isinstance(given[0], nn.Module):
        return None
    return None if vars(given[0]) else given[0]


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


def _remember(key: tuple[Any, ...], entry: _Entry) -> None:
    global _parts
    old = _KNOWN.pop(key, None)
    _KNOWN[key] = entry
    _parts += _weight(key, entry) - (0 if old is None else _weight(key, old))
    while _parts > _MOST and len(_KNOWN) > 1:
        _parts -= _weight(*_KNOWN.popitem(last=False))


def _weight(key: tuple[Any, ...], entry: _Entry) -> int:
    return len(key) + _PARTS * len(entry.segment.events)
