"""How many items a list of unknown length has in this world, where that follows from the length of another.

`ids[:64]` has 64, or as many as `ids`; `[0] * (64 - len(ids[:64]))` has as many less, and both together 64 in every world.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..worlds import worlds
from .grown import grown, mark_of
from .unknown import Unknown

_MOST = 10_000
"""A list of more items than this is as long as any of unknown length."""


def many_in(items: Any) -> int:
    """How many items there are in this world."""
    mark = mark_of(items)
    if mark is None:
        return len(items)
    if mark.more is None:
        return worlds.some()
    worlds.take()
    return max(0, len(items) + mark.more)


def length_of(items: Any, why: str) -> Unknown:
    """Its length."""
    mark = mark_of(items)
    if mark is None or mark.more is None:
        return worlds.count(why)
    return Unknown(why, sample=max(0, len(items) + mark.more))


def follows(items: Any) -> bool:
    """Whether its length follows from that of another."""
    mark = mark_of(items)
    return mark is not None and mark.more is not None


def marked(items: list[Any], why: str, alike: bool, many: int | None) -> list[Any]:
    """This list, of which nobody knows how long it is, but that it has so many items in this world."""
    more = None if many is None or many > _MOST else many - len(items)
    grown(items, why, alike, more=more)
    return items


def in_part(items: list[Any], index: slice) -> int | None:
    """How many of a list of unknown length are in a slice; None where the slice is not known."""
    places = {type(index.start), type(index.stop), type(index.step)}
    if mark_of(items) is None or not places <= {int, type(None)}:
        return None
    return len(range(many_in(items))[index])


def one_of(joined: Any, lists: Sequence[Any]) -> Any:
    """The join of lists of which some are longer than others: one that is as long as one of them."""
    mark = mark_of(joined)
    if mark is not None and type(joined) is list and all(type(one) is list for one in lists):
        if not any(map(mark_of, lists)):
            many = sorted(map(len, lists))
            marked(joined, mark.why, mark.alike, many[worlds.within(0, len(many) - 1)])
    return joined


def same_in(lists: Sequence[Any]) -> int | None:
    """How many items each of them has in this world; None where they differ, or no length follows from another."""
    if not any(map(follows, lists)):
        return None
    found = set(map(many_in, lists))
    return found.pop() if len(found) == 1 else None


def together(parts: Sequence[Any]) -> int | None:
    """How many items several have; None where no length follows from another."""
    return sum(map(many_in, parts)) if any(map(follows, parts)) else None
