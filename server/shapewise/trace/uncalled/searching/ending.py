"""A call that torch refuses whatever a function is given: where it stands, and whether a run meets it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ....vocabulary.events import Failure
from ....vocabulary.span import Span
from ...worlds.agreed import agreed, is_of_dtypes, kind_of, share_of

if TYPE_CHECKING:
    from ...run import Run


class Ending:
    """The refusal that each run of one function is to end at.

    A run that comes by the place, or is refused there with other numbers, shows that it is not certain.
    """

    def __init__(self) -> None:
        self.place: Any = None
        """The calls that lead there, the place, the name, and which time it is; None until a run was refused."""
        self.failure: Failure | None = None
        self.refuted = False
        self.elsewhere = False
        """Whether other inputs have the same clash in another dim."""
        self.reached = 0
        """How many runs were refused there."""
        self._times: dict[Any, int] = {}
        self._here: Any = None
        self._progress = 0
        self._depth = 0
        """How many calls of torch the call that refuses makes before: it may be a chain of layers."""

    def again(self) -> None:
        """Another run begins."""
        self._times.clear()
        self._here = None

    def begins(self, run: Run, span: Span, name: str, progress: int) -> None:
        """A call begins, or an operator. `progress`: how many calls of torch came before."""
        self._progress = progress
        if self.place is not None and self._here == self.place:
            self.refuted = True
        if self.place is not None and span != self.place[1]:
            self._here = None
            return
        key = (run.recorder.chain(run.frames[-1]), span, name)
        self._times[key] = self._times.get(key, 0) + 1
        self._here = (*key, self._times[key])

    def refused(self, run: Run, failure: Failure, progress: int) -> bool:
        """Whether a refusal that nothing catches is the one; the first is, whatever it is."""
        here, self._here = self._here, None
        depth = progress - self._progress
        if self.place is None:
            if here is None or agreed(failure, failure) is None:
                self.refuted = True
            self.place, self.failure, self._depth = here, failure, depth
        elif here != self.place:
            return False
        assert self.failure is not None
        if agreed(self.failure, failure) is None:
            if _is_elsewhere(self.failure, failure):
                self.elsewhere = True
            elif depth >= self._depth and (
                kind_of(self.failure) == kind_of(failure) or is_of_dtypes(self.failure)
            ):  # what is refused for something else has the dtype that was wanted
                self.refuted = True
            return False
        if run.ways or run.several:
            self.refuted = True
        if self.refuted:
            return False
        self.reached += 1
        return True

    def told(self, failure: Failure) -> Failure:
        """A failure as it is whatever is given."""
        told = (
            _DIM.sub(" at non-singleton dimension ?", failure.message) if self.elsewhere else failure.message
        )
        return replace(failure, message=told)


def _is_elsewhere(mine: Failure, other: Failure) -> bool:
    """Whether it is the same clash of tensors that have another number of dims: `at non-singleton dimension 2`."""
    one, another = (_DIM.sub("", failure.message) for failure in (mine, other))
    share, theirs = share_of(mine), share_of(other)
    if share and theirs:
        return (share / theirs).denominator == 1 != share.denominator
    return one == another != mine.message


_DIM = re.compile(r" at non-singleton dimension \d+")
