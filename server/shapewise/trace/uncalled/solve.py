"""Inputs that work in all runs, what the runs then write down, and what would be otherwise."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import torch

from .case import Case, Recorded, attempted
from .search import State, climb, search
from .sizes import RUNS, Free, Sizes
from .specs import Array

_SECONDS = 1.5
"""Of this thread's time, for one function: there are others."""
_TRIES = 120
"""Changes to the inputs of one function."""
_OTHER_TRIES = 8


@dataclass
class Solved:
    """Inputs that a call takes in all runs, and what was written down in each."""

    recorded: list[Recorded]
    arrays: dict[str, Array]
    sizes: Sizes
    otherwise: list[Recorded] = field(default_factory=list)
    """The first run with other ranks, where those work too."""


def solved(case: Case) -> Solved | None:
    """Inputs that work in every run, None if none were found. Raises BudgetExhausted."""
    case.until = time.thread_time() + _SECONDS
    if not search(case, [_TRIES]):
        return None
    _loosen(case)
    _widen(case)
    undecided: set[Any] = set()
    for _ in range(2):
        recorded: list[Recorded] = []
        before, case.env.run.undecided = case.env.run.undecided, case.env.run.undecided | undecided
        try:
            for number in range(RUNS):
                _, _, found = attempted(case, number, keep=True)
                if found is None:
                    return None
                recorded.append(found)
        finally:
            case.env.run.undecided = before
        differing = {
            at
            for other in recorded[1:]
            for at, outcomes in recorded[0].decisions.items()
            if any(mine != theirs for mine, theirs in zip(outcomes, other.decisions.get(at, ())))
        }
        if not differing:
            break
        undecided |= differing
    arrays = {name: spec for name, spec in case.inputs.items() if isinstance(spec, Array)}
    return Solved(recorded, arrays, case.sizes)


def _widen(case: Case) -> None:
    """A picture's size that was found to work: others that do are its values in the other runs."""
    chosen = [free for free in case.sizes.all() if free.choices and free.equals is None]
    if not chosen:
        return
    size = chosen[0].choices[0]
    works = [size]
    for other in (size + 1, size + 2, size + 3, size - 1, size - 2, size - 3):
        for free in chosen:
            free.choices = (other,)
        if attempted(case, 0, keep=False)[1] is None:
            works.append(other)
    for free in chosen:
        free.choices = tuple(works)
    if any(attempted(case, number, keep=False)[1] is not None for number in range(RUNS)):
        for free in chosen:  # only equal ones go together
            free.choices = (size,)


def _loosen(case: Case) -> None:
    """Undo each change that nothing needs: a refusal may have been understood wrongly."""
    for free in case.sizes.all():
        equals = free.equals
        if equals is None:
            continue
        free.equals = None
        if any(attempted(case, number, keep=False)[1] is not None for number in (0, 1)):
            free.equals = equals
    for free in case.sizes.all():
        choices = free.choices
        if choices and free.equals is None:
            free.choices, free.least = (), 256
            if any(attempted(case, number, keep=False)[1] is not None for number in (0, 1)):
                free.choices = choices


def otherwise(case: Case, arrays: dict[str, Array]) -> list[Recorded]:
    """What the first run writes down where something is otherwise that nothing settles.

    Loops over a parameter go round once more, inputs are integers, or have more dims or fewer.
    """
    every = [array for array in arrays.values() if array.dims is not None]
    free = [array for array in every if not array.stated]
    found: list[Recorded] = []
    looped = [one for one in case.sizes.all() if one.rounds]
    if looped:
        for one in looped:
            one.rounds += 1
        found += _recorded(case)
        for one in looped:
            one.rounds -= 1
    for array in every:
        if array.dtype == torch.float32:
            array.dtype = torch.int64
            found += _recorded(case)
            array.dtype = torch.float32
    groups = [[one] for one in free] + ([free] if len(free) > 1 else [])
    for chosen in groups:
        for more in (1, -1, 2, -2):
            front = [Free() for _ in range(max(0, more))]
            state = State(case)
            try:
                for array in chosen:
                    assert array.dims is not None
                    array.dims = [*front, *array.dims] if more > 0 else array.dims[-more:]
                if all(array.dims for array in chosen):
                    ranks = [len(array.dims or ()) for array in free]
                    stuck = climb(case, [_OTHER_TRIES if more < 0 else 1], narrow=True)
                    same = ranks == [len(array.dims or ()) for array in free]
                    if same and (stuck is None or stuck[2] > 0):
                        found += _recorded(case)
            finally:
                state.restore()
    return found


def _recorded(case: Case) -> list[Recorded]:
    """What the first run writes down, if it works."""
    recorded = attempted(case, 0, keep=True)[2]
    return [] if recorded is None else [recorded]
