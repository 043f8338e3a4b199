"""What the runs of one case came to: one that is given the same comes to the same, and is not made again."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from ..attempt import Attempt
from ..inputs.specs import arrays_in, key_of
from .trouble import Trouble

if TYPE_CHECKING:
    from ..case import Case
    from ..running import Recorded

_KEPT = 24
"""Runs: the search comes back to what it tried a few steps before."""


class Outcome(NamedTuple):
    """What was in the way, or what was written down. `declined`: whether the constructor itself raised."""

    attempt: Attempt
    trouble: Trouble | None
    recorded: Recorded | None
    declined: bool


class Outcomes:
    """Of the last runs of a case, by all that decides about them."""

    def __init__(self) -> None:
        self._known: OrderedDict[Any, Outcome] = OrderedDict()

    def get(self, key: Any, keep: bool, looks: bool) -> Outcome | None:
        """What a run came to that was written down if this is to be (`keep`), and went the same way if that `looks` for inputs, or not."""
        found = self._known.get((key, keep, looks))
        if found is None and looks:
            found = next(filter(None, (self._known.get((key, True, one)) for one in (True, False))), None)
            return None if found is None or found.attempt.is_unlike_a_look else found
        if found is None:
            found = self._known.get((key, True, True))
            return None if found is None or found.trouble is not None else found
        return found

    def put(self, key: Any, keep: bool, looks: bool, outcome: Outcome) -> None:
        """Remember it."""
        self._known[key, keep, looks] = outcome
        if len(self._known) > _KEPT:
            self._known.popitem(last=False)

    def clear(self) -> None:
        """Forget all."""
        self._known.clear()


def key_in(case: Case, number: int) -> Any:
    """All that decides about a run of a case; None where something is yet to be decided on, or ends it beforehand."""
    if case.ending is not None or any(one.dims is None for one in arrays_in(case.specs())):
        return None
    run, sizes = case.env.run, case.sizes
    try:
        inputs = tuple((name, key_of(spec, sizes, number)) for name, spec in case.inputs.items())
        constructor = tuple((name, key_of(spec, sizes, number)) for name, spec in case.constructor.items())
        frees = tuple(
            (
                one,
                sizes.value(one, number),
                one.label,
                one.equals,
                one.small,
                one.choices,
                one.pinned,
                one.rounds,
                one.most,
            )
            for one in sizes.all()
        )
    except ArithmeticError:  # sizes that cannot be
        return None
    decided = (
        frozenset(run.conditions.undecided),
        len(run.recorder.frames),
        case.level,
        case.is_apart,
        torch.is_autocast_enabled("cpu"),
    )
    return number, inputs, constructor, frees, decided
