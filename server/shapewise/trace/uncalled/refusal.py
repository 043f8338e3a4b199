"""A call that torch refuses whatever a function is given: `fc2(fc1(x))` of widths that the text says, and that differ.

The search found nothing that the function takes. That may be for want of trying; a refusal is told only if nothing
that can be made otherwise leads past it, or to another: sizes, ranks, dtypes, options, and the way that each
condition goes.
"""

from __future__ import annotations

import ast
import re
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import torch

from ...vocabulary.events import Op
from ..agreed import agreed_by_all, share_of
from .case import Case, Option, Recorded, attempted
from .ending import Ending
from .search import State, climb
from .solve import OTHER_TRIES, Solved, solved
from .specs import arrays_in, with_rank
from .vary import vary

_SECONDS = 1.5
"""Of this thread's time, for one function."""
_DTYPES = (torch.float32, torch.int64, torch.bool)
_RANKS = range(1, 6)
_FLAT = 2
"""The rank of a batch of rows."""
_NUMBER = re.compile(r"\d+")


def refused(case: Case) -> Solved | None:
    """What all runs write down until a call that torch refuses whatever is given; None if none is known."""
    until = time.thread_time() + _SECONDS
    state = State(case)
    found, ending = _refused_at(case, until)
    if found is None and ending.failure is not None and share_of(ending.failure) is not None:
        state.restore()  # a dim more may have been given the size that would make it fit
        case.ending = None
        for array in arrays_in(case.inputs.values()):
            if array.said is None:
                with_rank(array, _FLAT)
        climb(case, [OTHER_TRIES])
        found, _ = _refused_at(case, until)
    return found


def _refused_at(case: Case, until: float) -> tuple[Solved | None, Ending]:
    """The same where the inputs have these ranks, and where it was refused."""
    ending = Ending()
    case.end_at(ending)
    attempted(case, 0, keep=False)
    if ending.refuted or not ending.reached:
        return None, ending
    found = solved(case)
    if found is None or ending.refuted or not _is_certain(case, ending, found, until):
        return None, ending
    vary(case, found)
    for one in found.recorded:
        last = one.events[-1]
        assert isinstance(last, Op) and last.failure is not None
        one.events[-1] = replace(last, failure=ending.told(last.failure))
    return None if ending.refuted else found, ending


def _is_certain(case: Case, ending: Ending, found: Solved, until: float) -> bool:
    ends = [one.events[-1] for one in found.recorded]
    failures = [end.failure for end in ends if isinstance(end, Op) and end.failure is not None]
    failure = agreed_by_all(failures) if len(failures) == len(ends) else None
    if failure is None:
        return False
    outcomes = _Outcomes(case, ending)
    for one in found.recorded:
        outcomes.add(one)
    for _ in _otherwise(case, failure.message):
        if ending.refuted or time.thread_time() > until:
            return False
    for option in case.options():
        with_it = _refused_with(case, ending, option)
        if with_it is None or time.thread_time() > until:
            return False
        outcomes.add(with_it)
    return outcomes.are_all_one()


class _Outcomes:
    """How conditions came out in runs that were refused: it is refused either way where both are among them."""

    def __init__(self, case: Case, ending: Ending) -> None:
        self._case, self._ending = case, ending
        self._of: dict[ast.AST, set[Any]] = defaultdict(set)

    def add(self, recorded: Recorded) -> None:
        for (at, _), outcomes in recorded.decisions.items():
            if isinstance(at, (ast.If, ast.IfExp, ast.While)):
                self._of[at] |= set(outcomes)

    def are_all_one(self) -> bool:
        """Whether it is refused whichever way each condition goes."""
        open_ones = {at for at, outcomes in self._of.items() if len(outcomes) < 2}
        return (
            not open_ones or self._is_refused(open_ones) or all(self._is_refused({one}) for one in open_ones)
        )

    def _is_refused(self, undecided: set[ast.AST]) -> bool:
        run, reached = self._case.env.run, self._ending.reached
        before, run.undecided = run.undecided, run.undecided | undecided
        try:
            attempted(self._case, 0, keep=True)
        finally:
            run.undecided = before
        return self._ending.reached > reached and not self._ending.refuted


def _otherwise(case: Case, message: str) -> Iterator[None]:
    """Try the inputs as they would be otherwise, one thing at a time. `message`: with the numbers that clash."""
    numbers = sorted({1, 2, *map(int, _NUMBER.findall(message))})
    for free in case.sizes.all():
        for number in numbers:
            state = State(case)
            free.equals, free.same = number, False
            attempted(case, 0, keep=False)
            state.restore()
            yield
    for number in numbers:
        state = State(case)
        for free in case.sizes.all():
            free.equals = number
        attempted(case, 0, keep=False)
        state.restore()
        yield
    for array in arrays_in(case.specs()):
        for rank in _RANKS:
            state = State(case)
            with_rank(array, rank)
            climb(case, [OTHER_TRIES])
            state.restore()
            yield
        for dtype in _DTYPES:
            state = State(case)
            array.dtype = dtype
            attempted(case, 0, keep=False)
            state.restore()
            yield


def _refused_with(case: Case, ending: Ending, option: Option) -> Recorded | None:
    """What is written down where an option is given, if it is refused then too."""
    own, name, spec = option
    state = State(case)
    getattr(case, own)[name] = spec
    stuck = climb(case, [OTHER_TRIES])
    recorded = attempted(case, 0, keep=True)[2] if stuck is None and not ending.refuted else None
    state.restore()
    return recorded
