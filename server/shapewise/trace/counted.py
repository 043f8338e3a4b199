"""Iterators that know how many items they have left, where Python's own do not say."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any


class Counted:
    """What `enumerate`, `zip` and `map` give: theirs tell nobody how long they are."""

    __slots__ = ("_items", "_left")

    def __init__(self, items: Iterator[Any], left: int | None) -> None:
        self._items = items
        self._left = left

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        item = next(self._items)
        if self._left is not None:
            self._left -= 1
        return item

    def __length_hint__(self) -> Any:
        return NotImplemented if self._left is None else max(self._left, 0)


def left(value: Any) -> int | None:
    """How many items an iterable has left, if it says so."""
    try:
        count = operator.length_hint(value, -1)
    except Exception:
        return None
    return None if count < 0 else count


def shortest(values: tuple[Any, ...]) -> int | None:
    """How many rounds over all of these at once there are: as many as the shortest has items."""
    counts = [left(value) for value in values]
    known = [count for count in counts if count is not None]
    return min(known) if known and len(known) == len(counts) else None
