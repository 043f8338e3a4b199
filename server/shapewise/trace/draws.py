"""Generators of random numbers that were seeded in the text: they are run for real, as long as it is known what was drawn.

Python's own generator and numpy's give the same numbers everywhere for one seed, so what a file draws follows from
its text. It no longer does where something else may have drawn between: on one way of an unknown condition, in rounds
that are not run, where one item stands for several, or, of a generator that all share, in a call that is not followed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .shims import here
from .state import ATTRIBUTE
from .unknowns.joining import JOINS
from .unknowns.unknown import Unknown

if TYPE_CHECKING:
    from .run import Run

SEEDS = (int, str, bytes, float)


class _Place:
    """How far a generator has come: two places are never one."""

    __slots__ = ()


JOINS[_Place] = lambda left, right: Unknown("a random number")


class Source:
    """A generator. `held` is noted in the journal: where ways that drew otherwise meet, it is no longer `_last`."""

    def __init__(self, shared: bool = False) -> None:
        self.held: Any = None
        self._shared = shared
        self._last: Any = None
        self._real: Any = None
        self._followed: tuple[int, int] = (0, 0)

    def seed(self, real: Any) -> None:
        """From now on it is this generator of Python's or numpy's; with None, one that nobody knows."""
        run = _running()
        if run is None:
            return
        self._note(run)
        self._real = real
        self._followed = self._calls(run)
        self.held = self._last = _Place() if real is not None and _is_certain(run) else None

    def lose(self) -> None:
        """It is not known any more what it gives."""
        run = _running()
        if run is not None and self.held is not None:
            self._note(run)
            self.held = None

    def draw(self, function: Callable[[Any], Any]) -> Any:
        """What a function of the real generator gives. Raises LookupError where it is not known what it would give."""
        run = _running()
        if run is None or self.held is None or self.held is not self._last:
            raise LookupError
        if not _is_certain(run) or self._followed != self._calls(run):
            self.lose()
            raise LookupError
        self._note(run)
        self.held = self._last = _Place()
        return function(self._real)

    def _calls(self, run: Run) -> tuple[int, int]:
        """How many calls were made that may have drawn from it: unseen, or of functions that were handed over."""
        return (run.unfollowed if self._shared else 0), len(run.handed)

    def _note(self, run: Run) -> None:
        run.spoiled += 1
        run.journal.note(ATTRIBUTE, self, "held")


def _running() -> Run | None:
    env = here()
    return None if env is None else env.run


def _is_certain(run: Run) -> bool:
    """Whether what runs now really runs, once, and in its turn."""
    return not run.ways and not run.several and run.attempt is None


def seed_of(value: Any) -> Any:
    """A seed that is known, else None."""
    return value if type(value) in SEEDS else None
