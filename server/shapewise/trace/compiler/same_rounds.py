"""Rounds of a comprehension over items that nothing tells apart (`for i in torch.randint(...)`): what two of them gave, all give.

Such items are the same in the world that is traced. Where no two sizes are equal, what each round gives differs, and all are run.
So are they where the file's own functions are called, or an iterator is read that gives something else each time.
"""

from __future__ import annotations

import ast
import functools
import operator
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

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


class Element(NamedTuple):
    """What a comprehension computes, as it is written: the names in it, and whether it asks an iterator for its next item."""

    names: frozenset[str]
    takes_next: bool


def element_of(written: ast.expr) -> Element:
    """The element of a comprehension with one `for` and no `if`."""
    names = frozenset(node.id for node in ast.walk(written) if isinstance(node, ast.Name))
    attributes = {node.attr for node in ast.walk(written) if isinstance(node, ast.Attribute)}
    return Element(names, "next" in names or "__next__" in attributes)


class SameRounds:
    """The rounds of one comprehension over such items.

    `inner`: what it binds its own names in. `source`: what it takes its `items` from. `element`: what it makes of each.
    """

    def __init__(self, inner: Env, items: Any, source: Any, element: Element) -> None:
        self._run, self._names = inner.run, inner.names
        may = self._run.meter is None and not element.takes_next
        self.left = _alike(items if type(items) is Rows else source) if may else 0
        if self.left and any(hasattr(type(one), "__next__") for one in _found(inner, element.names)):
            self.left = 0
        """How many rounds there still are; 0 if each has to be run."""
        self._before: Any = None
        self._steady = 0

    def values(self, run: Callable[[], Any]) -> list[Any]:
        """What the next round gives: so many times as it may stand for all that are left. Raises what the round raises."""
        budget, recorder, journal = self._run.budget, self._run.recorder, self._run.journal
        start, ops, state, calls = len(recorder.events), budget.ops, self._state(), budget.calls
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
        if budget.calls > calls or not is_own or not is_plain(value):
            self.left = 0  # it does something, or gives what is written to later
            return [value]
        if self._state() != state:
            self._before = None
            return [value]
        found = signature_of(recorder.events[start:]), looks(self._run, value)
        self._steady = self._steady + 1 if found == self._before else 1
        self._before = found
        if self._steady < STEADY or (budget.ops - ops) * self.left < _WORTH:
            return [value]
        return [value] * (1 + self.left)

    def _state(self) -> tuple[Any, ...]:
        return clean_so_far(self._run), switched_on(self._run)


def _found(env: Env, names: frozenset[str]) -> Iterator[Any]:
    """What some names stand for."""
    at: Env | None = env
    while at is not None:
        yield from (at.names[name] for name in names if name in at.names)
        at = at.outer


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
