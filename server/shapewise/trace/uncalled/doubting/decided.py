"""What the made-up sizes decided, and others decide otherwise.

Which of two numbers is larger, whether a dim is one, whether a parameter is a number that the text asks for.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import torch

from ....vocabulary.events import Bound, Tensor
from ..attempt import Attempt
from ..case import Case, Way
from ..inputs.sizes import RUNS, Expr, Free, Made, frees_in
from ..inputs.specs import RANKS, Array, arrays_in, frees_of
from ..reading.compared import is_only_held_against, numbers_for
from ..running import Recorded, attempted
from ..searching.search import OTHER_TRIES, State, climb
from ..solve import Solved, in_all_runs, of_runs

_SITES = 3
"""Places at which the larger or smaller of two numbers is taken: so many are tried the other way."""
_NUMBERS = 2
"""Numbers that a parameter is compared with: so many are tried."""
_LARGER = 64
_SMALLER = 13


def of_extremes(case: Case) -> list[Solved]:
    """All runs where `max` or `min` of made-up numbers takes the other one, if the inputs can be made to fit it."""
    usual = attempted(case, 0, keep=False)[0]
    found = []
    for at in list(usual.extremes)[:_SITES]:
        for free in dict.fromkeys(_sources(usual, at)):
            solved = next(
                filter(None, (_decided(case, usual, at, free, large) for large in (True, False))), None
            )
            if solved is not None:
                found.append(solved)
                break
    return found


def of_larger(case: Case, found: Solved) -> list[Solved]:
    """All runs on much larger inputs, where windows leave 1 of a size in every run: six strides of 2 do of 43, and not of 4300."""
    if not attempted(case, 0, keep=False)[0].pictures or not _comes_down(found.recorded):
        return []
    rest = [dim for array in arrays_in(case.inputs.values()) for dim in (array.dims or ())[1:]]
    short = [dim for dim in rest if isinstance(dim, Free) and dim.label is None and dim.least < _LONG]
    short = [dim for dim in short if dim.equals is None and not (dim.choices or dim.most)]
    for larger in (short, *([one] for one in short)) if short else ():
        state = State(case)
        for dim in larger:
            dim.least = _LONG
        recorded = in_all_runs(case)
        solved = None if recorded is None else of_runs(case, recorded)
        state.restore()
        if solved is not None:
            return [solved]
    return []


_LONG = 4096


def _comes_down(recorded: list[Recorded]) -> bool:
    """Whether a tensor that the file binds has a dim of 1 behind the first in every run."""
    ones = [
        {
            (event.span, event.name, at)
            for event in run.events
            if isinstance(event, Bound) and event.kind != "parameter" and isinstance(event.value, Tensor)
            for at, size in enumerate(event.value.shape)
            if at and size == 1
        }
        for run in recorded
    ]
    return bool(set.intersection(*ones))


def _sources(attempt: Attempt, at: Any) -> Iterator[Free]:
    for numbers, _ in attempt.extremes[at]:
        for number in numbers:
            yield from attempt.sources(number)


def _decided(case: Case, usual: Attempt, at: Any, free: Free, large: bool) -> Solved | None:
    """All runs with a number that is much larger or smaller, if that decides it."""
    if free.small or free.rounds or free.choices or free.most:
        return None
    state = State(case)
    try:
        if large:
            free.least = _LARGER * max(abs(int(one)) for numbers, _ in usual.extremes[at] for one in numbers)
        else:
            least = min(abs(int(one)) for numbers, _ in usual.extremes[at] for one in numbers)
            free.most, free.least = max(min(_SMALLER, least - 1), 1), 1
        if climb(case, [OTHER_TRIES]) is not None:
            return None
        other = attempted(case, 0, keep=False)[0].extremes.get(at, ())
        if [chosen for _, chosen in other] == [chosen for _, chosen in usual.extremes[at]]:
            return None
        recorded = in_all_runs(case)
        return None if recorded is None else of_runs(case, recorded)
    finally:
        state.restore()


def of_numbers(case: Case, usually: Solved) -> tuple[list[Solved], list[Way]]:
    """All runs where a parameter is a number that the text compares it with, if the inputs can be made to fit it.

    Where they have other ranks then, it is a way of its own.
    """
    found: list[Solved] = []
    ways: list[Way] = []
    arrays = arrays_in(case.inputs.values())
    for free in [] if case.has_options else frees_of(case.constructor.values()):
        if (
            free.label is None
            or free.equals is not None
            or free.among
            or free.default == 1
            or case.selects(free.label)
        ):
            continue
        every = (number for node in case.target.nodes() for number in numbers_for(node, free.label))
        for number in [one for one in dict.fromkeys(every) if one != free.default][:_NUMBERS]:
            state = State(case)
            free.equals, free.same = number, True
            for array in arrays:  # it may decide on the rank
                array.ranks = list(RANKS)
            if climb(case, [OTHER_TRIES]) is None and (recorded := in_all_runs(case)) is not None:
                other = of_runs(case, recorded)
                is_unlike = other.has_dims != usually.has_dims
                is_told = all(is_only_held_against(node, free.label) for node in case.target.nodes())
                if is_unlike and is_told and case.constructor.get(free.label) is free:
                    ways.append(("constructor", free.label, number))
                else:
                    found.append(other)
            state.restore()
    return found, ways


def of_steps(case: Case) -> list[Solved]:
    """All runs where what counts something grows in other steps: `(kernel - 2)//2` may be as large as `stride//2` by chance."""
    counting = [one for one in case.sizes.all() if one.small and one.label and one.equals is None]
    if sum(not (one.pinned or one.rounds or one.choices) for one in counting) < 2:
        return []
    case.sizes.steps += 1
    try:
        recorded = in_all_runs(case)
        return [] if recorded is None else [of_runs(case, recorded)]
    finally:
        case.sizes.steps -= 1


def of_remainders(case: Case) -> list[Solved]:
    """All runs where what came out even leaves a remainder, if the text asked whether it does: it pads then, or cuts off.

    It may do so by one certain number only, which is the default then.
    """
    usual = attempted(case, 0, keep=False)[0]
    found = []
    for above, below in list(usual.even)[:_SITES]:
        free = case.sizes.owner(above, 0)
        if free is None or free.label is not None:
            continue
        state = State(case)
        shares = [one for one in free.multiples if math.gcd(case.sizes.possible(one, 0) or 1, below) > 1]
        free.multiples = [one for one in free.multiples if one not in shares]
        recorded = None if _comes_out_even(case, free, shares) else in_all_runs(case)
        small = [one for one in shares if isinstance(one, Free) and one.default is not None]
        if recorded is None and small:
            for one in small:
                one.pinned = True
            recorded = None if _comes_out_even(case, free, shares) else in_all_runs(case)
        found += [] if recorded is None else [of_runs(case, recorded)]
        state.restore()
    return found


def of_divisors(case: Case) -> list[Solved]:
    """All runs where one of two numbers of which the text asks the common divisor is a multiple of the other: `gcd(length, step)`."""
    usual, found = attempted(case, 0, keep=False)[0], []
    for pair in list(usual.divisors)[:_SITES]:
        for one, other in (pair, pair[::-1]):
            free, by = case.sizes.owner(one, 0), usual.expr(other)
            if isinstance(by, int):  # what counts something is no other number in the first run
                by = next((one for one in frees_of(case.specs()) if case.sizes.possible(one, 0) == other), by)
            if free is None or by is None or free in list(frees_in(by)):
                continue
            state = State(case)
            free.equals = Made("*", (2, by))
            recorded = in_all_runs(case) if climb(case, [OTHER_TRIES]) is None else None
            found += [] if recorded is None else [of_runs(case, recorded)]
            state.restore()
            if recorded is not None:
                break
    return found


def _comes_out_even(case: Case, free: Free, shares: list[Expr]) -> bool:
    """Whether a dim is a multiple of one of these in a run, or these cannot be."""
    sizes = case.sizes
    return not shares or any(
        not (size := sizes.possible(free, run)) or not (by := sizes.possible(share, run)) or size % by == 0
        for run in range(RUNS)
        for share in shares
    )


def of_lengths(case: Case, found: Solved) -> list[Solved]:
    """All runs where no two lengths that data decides are equal: `x[mask]` and `x[~mask]` have names of their own."""
    if not found.recorded[0].has_lengths:
        return []
    case.is_apart = True
    try:
        recorded = in_all_runs(case)
        return [] if recorded is None else [of_runs(case, recorded)]
    finally:
        case.is_apart = False


def of_ones(case: Case, arrays: list[Array]) -> list[Recorded]:
    """The first run where a dim that is as large as another is one: the code asks whether it is."""
    ones = attempted(case, 0, keep=False)[0].ones
    found = []
    for array in arrays:
        for at, dim in enumerate(array.dims or ()):
            if isinstance(dim, Free) and dim.equals is not None and case.sizes.value(dim, 0) in ones:
                assert array.dims is not None
                before, array.dims = array.dims, [*array.dims[:at], 1, *array.dims[at + 1 :]]
                recorded = attempted(case, 0, keep=True)[2]
                found += [] if recorded is None else [recorded]
                array.dims = before
    return found


_OF_PLACES = re.compile(r"(?:^|_)(?:cos|sin|rope|rotary|freqs?|pos|positions?|pe)(?:_|$)")
"""Names of what is the same for all of a batch, more often than not."""
_OF_ONE = re.compile(r"(?:^|_)(?:id|cond|condition|speaker|style)$")
"""Names of an index that may be one for all: of several (`timesteps`) each has its own."""
_OF_ALL_STEPS = re.compile(
    r"(?:^|_)(?:g|c|cond|condition|conditioning|spk|speaker|style|emb|embed|embedding)(?:s|_emb)?$"
)
"""Names of what is the same for all steps, more often than not: a layer of its own gives it channels, and it is added to each."""


def _is_broadcast(array: Array) -> bool:
    """Whether all dims behind the channels are those of another input only since they are held side by side."""
    return all(isinstance(dim, Free) and dim.broadcast for dim in (array.dims or [])[2:])


def of_one_for_all(case: Case) -> list[Recorded]:
    """The first run where what tells places has one row for all of a batch, or an index is one for all: it is broadcast."""
    found = []
    for name, spec in case.inputs.items():
        arrays = [array for array in arrays_in([spec]) if array.dims is not None and len(array.dims) > 2]
        is_of_places = bool(arrays) and _OF_PLACES.search(name) is not None
        indices = [one for one in arrays_in([spec]) if one.dtype == torch.int64 and _OF_ONE.search(name)]
        indices = [one for one in indices if any(isinstance(d, Free) and d.broadcast for d in one.dims or ())]
        of_all_steps = [one for one in arrays if _OF_ALL_STEPS.search(name) and _is_broadcast(one)]
        if not (is_of_places or indices or of_all_steps):
            continue
        arrays = arrays if is_of_places else of_all_steps or indices
        before = [array.dims for array in arrays]
        for array in arrays:
            usual = array.dims or []
            if is_of_places:
                array.dims = [1, *usual[1:]]
            else:
                array.dims = [*usual[:2], *[1] * len(usual[2:])] if of_all_steps else [1] * len(usual)
        recorded = attempted(case, 0, keep=True)[2]
        found += [] if recorded is None else [recorded]
        for array, dims in zip(arrays, before):
            array.dims = dims
    return found
