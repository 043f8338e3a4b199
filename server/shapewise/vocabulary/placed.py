"""Facts at the places of now: a line that comes or goes moves thousands, and somebody looks at a few."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import overload

from .facts import Fact
from .span import Span


class Placed(Sequence[Fact]):
    """Facts in the order of the text, each some lines further down than it says itself: it is moved once it is looked at."""

    def __init__(self, facts: Sequence[Fact], downs: Sequence[int] | None = None) -> None:
        """`downs`: by how many lines each; where there are none, by none."""
        self._facts = tuple(facts)
        self._downs = (0,) * len(self._facts) if downs is None else tuple(downs)
        self._made: dict[int, Fact] = {}

    @classmethod
    def of(cls, facts: Sequence[Fact]) -> Placed:
        """The same facts, in this form."""
        return facts if isinstance(facts, Placed) else cls(facts)

    def __len__(self) -> int:
        return len(self._facts)

    @overload
    def __getitem__(self, at: int) -> Fact: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Fact]: ...
    def __getitem__(self, at: int | slice) -> Fact | Sequence[Fact]:
        if isinstance(at, slice):
            return Placed(self._facts[at], self._downs[at])
        fact, down = self._facts[at], self._downs[at]
        if not down:
            return fact
        at %= len(self._facts)
        made = self._made.get(at)
        if made is None:
            line, column, end_line, end_column = fact.span
            made = self._made[at] = moved(fact, Span(line + down, column, end_line + down, end_column))
        return made

    def __iter__(self) -> Iterator[Fact]:
        return map(self.__getitem__, range(len(self._facts)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Placed, tuple)):
            return NotImplemented
        if isinstance(other, Placed) and self._downs == other._downs:
            return self._facts == other._facts
        return len(self) == len(other) and all(one == two for one, two in zip(self, other))

    __hash__ = None  # type: ignore[assignment]

    def between(self, first: int, last: int) -> Sequence[Fact]:
        """Those of which some part stands on these lines."""
        return [self[at] for at in self._reaching(first, self._until(last))]

    def edited(self, first: int, last: int, down: int, left: Callable[[Fact], Fact | None]) -> Placed:
        """After an edit from one line to another: what begins below it has gone `down`, and of what stands on these lines is there what is `left`."""
        below = self._until(last)
        facts, downs = [*self._facts[:below]], [*self._downs[:below]]
        for at in reversed(self._reaching(first, below)):
            now = left(self[at])
            facts[at : at + 1], downs[at : at + 1] = ([], []) if now is None else ([now], [0])
        rest = self._downs[below:]
        downs += [one + down for one in rest] if down else rest
        return Placed((*facts, *self._facts[below:]), downs)

    def _until(self, line: int) -> int:
        """How many begin on a line or above it."""
        facts, downs = self._facts, self._downs
        return bisect_right(range(len(facts)), line, key=lambda at: facts[at].span.line + downs[at])

    def _reaching(self, line: int, below: int) -> list[int]:
        """The numbers of those that end on a line or below it, of the first so many."""
        pairs = enumerate(zip(self._facts[:below], self._downs))
        return [at for at, (fact, down) in pairs if fact.span[2] + down >= line]  # end_line; thousands


def moved(fact: Fact, span: Span) -> Fact:
    """The fact at another place. `dataclasses.replace` takes three times as long, and files hold thousands."""
    if span is fact.span:
        return fact
    return Fact(fact.kind, fact.scope, fact.name, span, fact.value, fact.variants, fact.why, fact.assumed)
