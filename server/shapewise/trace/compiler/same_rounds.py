"""Rounds of a comprehension over items that nothing tells apart (`for i in torch.randint(...)`): what two of them gave, all give.

Such items are the same in the world that is traced. Where no two sizes are equal, what each round gives differs, and all are run.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

from ..run import Env
from ..state import NAME
from ..unknowns.counted import Rows
from ..unknowns.unknown import Unknown
from ..untouched import clean_so_far, switched_on
from .growth import is_plain, looks
from .loop import STEADY, signature_of

_FEWEST = 4
_WORTH = 24
"""Native calls in the rounds that are left: fewer are made."""


class SameRounds:
    """The rounds of one comprehension over such items. `inner`: what it binds its own names in. `source`: what it takes its `items` from."""

    def __init__(self, inner: Env, items: Any, source: Any) -> None:
        self._run, self._names = inner.run, inner.names
        self.left = 0 if self._run.meter is not None else _alike(items if type(items) is Rows else source)
        """How many rounds there still are; 0 if each has to be run."""
        self._before: Any = None
        self._steady = 0

    def values(self, run: Callable[[], Any]) -> list[Any]:
        """What the next round gives: so many times as it may stand for all that are left. Raises what the round raises."""
        budget, recorder, journal = self._run.budget, self._run.recorder, self._run.journal
        start, ops, state = len(recorder.events), budget.ops, self._state()
        segment = journal.open()
        try:
            value = run()
        finally:
            journal.close(segment)
        self.left -= 1
        is_own = all(
            (kind == NAME and target is self._names) or journal.is_born_in(segment, target)
            for kind, target, _, _ in segment.entries.values()
        )
        if not is_own or not is_plain(value) or self._state() != state:
            self.left = 0  # it does something, or comes out otherwise the next time
            return [value]
        found = signature_of(recorder.events[start:]), looks(self._run, value)
        self._steady = self._steady + 1 if found == self._before else 1
        self._before = found
        if self._steady < STEADY or (budget.ops - ops) * self.left < _WORTH:
            return [value]
        return [value] * (1 + self.left)

    def _state(self) -> tuple[Any, ...]:
        return clean_so_far(self._run), switched_on(self._run)


def _alike(items: Any) -> int:
    """How many items there are, if none can be told from another; else 0."""
    if type(items) is Rows:
        return operator.length_hint(items) if items.same else 0
    if type(items) is not list or len(items) < _FEWEST or type(items[0]) is not Unknown:
        return 0
    first = items[0]
    return (
        len(items) if not first.holds_objects and all(map(functools.partial(_is_same, first), items)) else 0
    )


def _is_same(first: Unknown, item: Any) -> bool:
    if item is first:
        return True
    if type(item) is not Unknown or item.holds_objects:
        return False
    if (item.why, item.tensor, item.kind) != (first.why, first.tensor, first.kind):
        return False
    if type(item.sample) is not type(first.sample) or item.limits != first.limits:
        return False
    return item.sample is first.sample or (type(item.sample) in (int, float) and item.sample == first.sample)
