"""What may stand for a dim: names that a function's parameters bind and that are shown, numbers that are its own."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from ....vocabulary.events import Bound, Event, Group, Op, Tensor, Value
from ...naming.rows import Row
from ..doubting.covering import ANY, lost

Dim = int | str | None
_WORD = re.compile(r"[A-Za-z_]\w*")
_LONG = re.compile(r"[A-Za-z_]\w*[a-z_]\w*")
"""A word, and no letter with a number: `T2`."""
_NUMBER = re.compile(r"\b\d+\b")


def without_the_unbound(events: list[Event], letters: Mapping[int, Mapping[Row, str]]) -> list[Event]:
    """Events without the dims that are named by dims of parameters which themselves are not shown.

    `letters`: by frame, the names that dims of parameters were given.
    """
    shown: dict[int, set[str]] = defaultdict(set)
    for event in events:
        if isinstance(event, Bound) and event.kind == "parameter":
            shown[event.frame] |= _names(event.value) | _names_of_all(event.others)
    lacking = {frame: set(names.values()) - shown[frame] for frame, names in letters.items()}
    found: list[Event] = []
    for event in events:
        names = lacking.get(event.frame)
        if not names:
            found.append(event)
        elif isinstance(event, Bound):
            found.append(replace(event, value=without_words(event.value, names)))
        elif isinstance(event, Op):
            found.append(replace(event, result=without_words(event.result, names)))
    return found


def without_words(value: Value, words: set[str]) -> Value:
    """A value without the dims that are named by any of these."""
    return _with(value, partial(_kept, words)) if words else value


def _kept(names: set[str], dim: Dim) -> Dim:
    return None if isinstance(dim, str) and not names.isdisjoint(_WORD.findall(dim)) else dim


def _names(value: Value) -> set[str]:
    if isinstance(value, Group):
        return {name for item in value.items for name in _names(item)}
    return {dim for dim in value.shape if isinstance(dim, str)} if isinstance(value, Tensor) else set()


def _names_of_all(values: tuple[Value, ...]) -> set[str]:
    """What stands in every shape that a parameter may have: `B` of `[B, D]` and of `[B, T, D]`."""
    return set.intersection(*map(_names, values)) if values else set()


def with_numbers_of(event: Event, literals: frozenset[int], words: frozenset[str]) -> Event:
    """What a definition does where another uses it, with no number and no word but those that it says itself: others were given.

    Where nothing is left of a shape, so may the number of its dims be.
    """

    def kept(dim: Dim) -> Dim:
        if isinstance(dim, str) and not (dim == ANY or words.issuperset(map(str, _LONG.findall(dim)))):
            return None
        numbers = map(int, _NUMBER.findall(dim)) if isinstance(dim, str) else [dim or 0]
        return dim if all(number in literals or number < 2 for number in numbers) else None

    def left(value: Value) -> Value:
        found = _with(value, kept)
        is_empty = (
            isinstance(found, Tensor) and bool(found.shape) and not any(d is not None for d in found.shape)
        )
        return lost(value) if is_empty else found

    if isinstance(event, Bound):
        others = tuple(_with(value, kept) for value in event.others)
        return replace(event, value=left(event.value), others=others)
    return replace(event, result=left(event.result)) if isinstance(event, Op) else event


def _with(value: Value, kept: Callable[[Dim], Dim]) -> Value:
    """A value with the dims that are kept."""
    if isinstance(value, Group):
        return replace(value, items=tuple(_with(item, kept) for item in value.items))
    if not isinstance(value, Tensor):
        return value
    shape = tuple(map(kept, value.shape))
    return value if shape == value.shape else replace(value, shape=shape, stride=None)
