"""What the blocks of a file wrote down, to be written down again where an edit has not touched them."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from ..vocabulary.events import Bound, Event, Frame, Weights
from ..vocabulary.span import Span
from .log.numbering import Count

if TYPE_CHECKING:
    from .control import Budget


class Spent(NamedTuple):
    """What was taken of a budget."""

    steps: int
    ops: float
    heavy: float
    calls: int

    @classmethod
    def of(cls, budget: Budget) -> Spent:
        """All so far."""
        return cls(budget.steps, budget.ops, budget.heavy, budget.calls)

    def since(self, before: Spent) -> Spent:
        """What came to it."""
        return Spent(*(now - then for now, then in zip(self, before)))  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False)
class Said:
    """What a block wrote down, or several one after the other, and where: between how many frames and numbers."""

    before: Count
    after: Count
    frames: tuple[Frame, ...]
    quiet: tuple[bool, ...]
    events: tuple[Event, ...]
    words: tuple[tuple[int, Bound], ...]
    selves: dict[int, int]
    alike: tuple[int, ...]
    layers: tuple[int, ...]
    spent: Spent
    site: Span | None
    """Where the last call in it was made."""
    weights: tuple[Weights, ...] = ()


class Row:
    """What blocks that stand one after the other said, each with the number of the first."""

    def __init__(self, said: list[Said]) -> None:
        self.said = said

    @cached_property
    def whole(self) -> Said:
        """All of it as one: asked for when it is said a second time, as it is at each keystroke in one place."""
        first, last = self.said[0], self.said[-1]
        words: list[tuple[int, Bound]] = []
        events: list[Event] = []
        for one in self.said:
            words += [(len(events) + count, bound) for count, bound in one.words]
            events += one.events
        return Said(
            first.before,
            last.after,
            tuple(frame for one in self.said for frame in one.frames),
            tuple(quiet for one in self.said for quiet in one.quiet),
            tuple(events),
            tuple(words),
            {frame: layer for one in self.said for frame, layer in one.selves.items()},
            tuple(frame for one in self.said for frame in one.alike),
            (),
            Spent(*(sum(spent) for spent in zip(*(one.spent for one in self.said)))),
            last.site,
            tuple(layer for one in self.said for layer in one.weights),
        )


class Moves:
    """What was said again: from where it stood then to where it stands now, in order."""

    def __init__(self) -> None:
        self._numbers: list[int] = []
        self._memories: list[int] = []
        self._now: list[tuple[int, int]] = []

    def __len__(self) -> int:
        return len(self._now)

    def add(self, then: Count, now: Count) -> None:
        self._numbers.append(then.numbers)
        self._memories.append(then.memories)
        self._now.append((now.numbers - then.numbers, now.memories - then.memories))

    def number(self, one: int) -> int:
        """That of an object."""
        return one + self._now[bisect_right(self._numbers, one) - 1][0]

    def memory(self, one: int) -> int:
        """That of a memory."""
        return one + self._now[bisect_right(self._memories, one) - 1][1]
