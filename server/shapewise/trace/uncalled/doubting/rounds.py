"""Other numbers of rounds: loops over a parameter go round more often, lists of which nobody knows the length are longer."""

from __future__ import annotations

import ast
from collections import defaultdict
from dataclasses import replace
from typing import Any

from ....vocabulary.events import Group, Scalar, Tensor, Value
from ...naming.rows import frame_keys, keys_of
from ..case import Case
from ..inputs.sizes import Free
from ..inputs.specs import Array, Row, Spec, arrays_in, with_rank
from ..reading.lists import is_told_from_its_end
from ..running import Recorded, attempted
from ..searching.search import OTHER_TRIES, State, climb
from ..solve import Solved, in_all_runs, of_runs
from .covering import told

_MORE = ((0, 1, 0), (1, 0, 1), (1, 0, 0), (1, 1, 0))
"""By run, how many rounds more loops go: no size of the others grows and falls so. Longer loops are cut off."""


def is_as_ever(case: Case, found: Solved, looped: list[Free]) -> bool:
    """Whether loops over a parameter may go round as often as they like: the first run tells the same where they do so more often.

    Each goes round another number of times more, so that no two make up for one another.
    """
    for more, one in enumerate(looped, start=1):
        one.rounds += more
    more_often = first_run(case)
    for more, one in enumerate(looped, start=1):
        one.rounds -= more
    if not more_often or _goes_another_way(found.recorded[0], more_often[0]):
        return False
    theirs = dict(zip(keys_of(more_often[0]), more_often[0].events))
    return _calls_as_ever(found.recorded[0], more_often[0]) and all(
        (other := theirs.get(key)) is not None and _is_alike(told(event), told(other))
        for key, event in zip(keys_of(found.recorded[0]), found.recorded[0].events)
        if not isinstance(told(event), Scalar)
    )


def _calls_as_ever(one: Recorded, other: Recorded) -> bool:
    """Whether what is called more often where loops go round more often tells there what a call told before."""
    had = set(frame_keys(one.frames).values())
    beyond = {frame for frame, key in frame_keys(other.frames).items() if key not in had}
    scopes = {frame.id: frame.scope for frame in (*one.frames, *other.frames)}
    told_before: dict[Any, list[Value | None]] = defaultdict(list)
    for event in one.events if beyond else ():
        told_before[scopes[event.frame], event.span, event.name].append(told(event))
    return all(
        any(
            _is_alike(value, told(event))
            for value in told_before[scopes[event.frame], event.span, event.name]
        )
        for event in other.events
        if event.frame in beyond and not isinstance(told(event), Scalar)
    )


def _goes_another_way(one: Recorded, other: Recorded) -> bool:
    """Whether a condition came out differently, as often as both came by; how often a loop went round is none."""
    return any(
        mine != theirs
        for at, outcomes in one.decisions.items()
        if not isinstance(at[0], _LOOPS)
        for mine, theirs in zip(outcomes, other.decisions.get(at, ()))
    )


def _is_alike(one: Value | None, other: Value | None) -> bool:
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        return all(getattr(one, name) == getattr(other, name) for name in _LAID)
    if isinstance(one, Group) and isinstance(other, Group):
        same = (one.kind, one.keys, len(one.items)) == (other.kind, other.keys, len(other.items))
        return same and all(map(_is_alike, one.items, other.items))
    return one == other


_LOOPS = (ast.For, ast.AsyncFor, ast.comprehension)
_LAID = ("shape", "dtype", "device", "stride", "contiguous", "offset", "itemsize", "requires_grad")


def grown(case: Case, looped: list[Free]) -> Solved | None:
    """All runs where each parameter that loops follow has a number of its own in every run; None if they do not work."""
    if not 0 < len(looped) <= len(_MORE):
        return None
    for one, more in zip(looped, _MORE):
        one.more = more
    try:
        recorded = in_all_runs(case)
        return None if recorded is None else of_runs(case, recorded)
    finally:
        for one in looped:
            one.more = ()


def once_more(case: Case, found: Solved, looped: list[Free]) -> list[Solved]:
    """All runs where loops over a parameter go round once more; of those that cannot, no size is as large as they are often.

    What has to be even takes two more; what is halved each time has to be larger, as a search for inputs finds out.
    """
    for more, tries in ((1, 0), (2, 0), (1, OTHER_TRIES)):
        state = State(case)
        for one in looped:
            one.rounds += more
        try:
            if tries and climb(case, [tries]) is not None:
                continue
            recorded = in_all_runs(case)
            if recorded is not None:
                return [of_runs(case, recorded)]
            if first := first_run(case):
                found.otherwise += first
                return []
        finally:
            state.restore()
    if found.grown is None:
        found.fixed |= {one.rounds for one in looped}
    return []


def longer(case: Case) -> list[Recorded]:
    """Lists of which nobody has said how long they are have one more."""
    every = case.specs() if case.count.pinned else case.inputs.values()
    open_ones = [spec for spec in every if isinstance(spec, Row) and spec.count is not None]
    if not open_ones or not (case.count.pinned or any(arrays_in([spec]) for spec in open_ones)):
        return []
    default, pinned = case.count.default, case.count.pinned
    case.count.default, case.count.pinned = (default or 0) + 1, True
    try:
        longer = first_run(case)
    finally:
        case.count.default, case.count.pinned = default, pinned
    return longer + _longer_within(case)


def _longer_within(case: Case) -> list[Recorded]:
    """The same with one more that is not the last, in front or behind.

    What is told from the end of a list (`maps[-1]`) has no number from its beginning.
    """
    every = [
        spec for spec in case.specs() if isinstance(spec, Row) and spec.count is case.count and spec.items
    ]
    found: list[Recorded] = []
    if case.node is None or not any(is_told_from_its_end(case.node, name) for name in case.inputs):
        return found
    for behind in (False, True):
        for rows in (every, [row for row in every if arrays_in(row.items)]):
            before = [(row, row.items) for row in rows]
            for row, items in before:
                at = len(items) - 1 if behind else 0
                row.items = [*items[:at], _another(items[at]), *items[at:]]
            try:
                recorded = first_run(case)
            finally:
                for row, items in before:
                    row.items = items
            if recorded:
                found += recorded
                break
    return found


def _another(spec: Spec) -> Spec:
    """A tensor or a number like another, of sizes of its own."""
    if isinstance(spec, Free):
        return replace(spec, equals=None, multiples=list(spec.multiples), even=list(spec.even))
    if not isinstance(spec, Array):
        return spec
    made = replace(spec, ranks=list(spec.ranks))
    with_rank(made, len(spec.dims or ()))
    return made


def of_lists(case: Case) -> list[tuple[int, Recorded]]:
    """Lists of numbers that are given by default have one more: what has as many dims as one of them is no such number."""
    found = []
    for spec in case.constructor.values():
        if isinstance(spec, Row) and not spec.open and spec.kind is not dict and len(spec.items) > 1:
            usual, spec.items = spec.items, [*spec.items, spec.items[-1]]
            found += [(len(usual), one) for one in first_run(case)]
            spec.items = usual
    return found


def first_run(case: Case) -> list[Recorded]:
    """What the first run writes down, if it works."""
    recorded = attempted(case, 0, keep=True)[2]
    return [] if recorded is None else [recorded]
