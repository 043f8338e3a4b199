"""Iterators that know how many items they have left, where Python's own do not say."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import torch
from torch.utils.data import Dataset

from ..worlds import worlds
from .unknown import Lost, Unknown
from .values import held


class Uncounted(Lost):
    """Raised in place of a next item: from here on nobody knows how many come, but all are like one of `items`."""

    def __init__(self, why: str, items: list[Any]) -> None:
        super().__init__(why)
        self.items = items


class OfFiles(Dataset[Any]):
    """A data set of another package, of so many files as there are."""

    count: Unknown


class Counted:
    """What `enumerate`, `zip` and `map` give: theirs tell nobody how long they are."""

    __slots__ = ("_items", "_left", "_numbers")

    def __init__(self, items: Iterator[Any], left: int | None) -> None:
        self._items = items
        self._left = left
        self._numbers = isinstance(items, enumerate)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        try:
            item = next(self._items)
        except Uncounted as error:
            if not self._numbers:
                raise Lost(error.why) from None
            pairs: list[Any] = [(worlds.number(error.why), item) for item in error.items]
            raise Uncounted(error.why, pairs) from None
        if self._left is not None:
            self._left -= 1
        return item

    def __length_hint__(self) -> Any:
        return NotImplemented if self._left is None else max(self._left, 0)


COUNTED: dict[Any, Any] = {
    kind: type(kind.__name__, (Counted,), {"__slots__": (), "__module__": __name__})
    for kind in (enumerate, map, zip)
}
"""By the class of Python's: errors say what it is called."""


class Rows:
    """The rows of a tensor. `alike`: nothing tells one from another, for their numbers are not known. `same`: nor in
    this world, in which they may all be one number."""

    __slots__ = ("_at", "_tensor", "alike", "same")

    def __init__(self, tensor: torch.Tensor) -> None:
        self._tensor = tensor
        self._at = 0
        numbers = held(tensor)
        self.alike = numbers is None
        self.same = numbers is None or not numbers.whole

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self._at >= len(self._tensor):
            raise StopIteration
        self._at += 1
        return self._tensor[self._at - 1]

    def __length_hint__(self) -> int:
        return max(len(self._tensor) - self._at, 0)


def coming(items: Iterator[Any], error: Lost) -> list[Any]:
    """What the items are like that an iterator gives from here on, as it says itself."""
    own = isinstance(items, Counted) or getattr(getattr(items, "gi_code", None), "co_name", "") in (
        DRIVE,
        BATCHES,
    )
    return error.items if own and type(error) is Uncounted else [Unknown(error.why)]


DRIVE = "drive"
"""What runs the generators of the file: no iterator but it and a loader that an `Uncounted` comes through gives the items in it."""
BATCHES = "_batches"
"""What a `DataLoader` is gone through by."""


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
