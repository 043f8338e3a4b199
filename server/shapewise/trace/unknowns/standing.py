"""One item that stands for several: another one in each world, so that only what all of them share is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from ..arrays.array import Array, blank
from ..fakes.devices import device_of, place
from ..worlds import worlds
from . import doubts, records, values
from .grown import mark_of
from .joining import NUMBERS
from .unknown import Unknown

_MANY = 2_000
"""A list of more items than this is not gone through."""


class Compared(NamedTuple):
    """Items side by side: the parts of each that are no containers, its sizes, and which of them show every size that differs."""

    leaves: list[list[Any]]
    rows: list[list[int]]
    chosen: list[int]


def standing(items: Sequence[Any], why: str) -> Any:
    """What an item is of which nobody knows the place, where tensors in it differ in their sizes.

    Raises LookupError where they do not, where the items differ in more, or so that no three of them show it.
    """
    return one_of_compared(items, compared(items), why)


def compared(items: Sequence[Any]) -> Compared:
    """Look at all items. Raises LookupError as `standing` does."""
    if not 1 < len(items) <= _MANY or torch.is_inference_mode_enabled():
        raise LookupError
    with torch._C.DisableTorchFunction():
        return _compared(items)


def _compared(items: Sequence[Any]) -> Compared:
    leaves: list[list[Any]] = []
    kinds = set()
    for item in items:
        leaves.append([])
        kinds.add(_taken_apart(item, leaves[-1]))
        if len(kinds) > 1:
            raise LookupError
    rows = [[size for leaf in row if _has_sizes(leaf) for size in leaf.shape] for row in leaves]
    chosen = shown_by(rows)
    if len(chosen) < 2:
        raise LookupError
    return Compared(leaves, rows, chosen)


def one_of_compared(items: Sequence[Any], them: Compared, why: str) -> Any:
    """What an item is of which nobody knows the place."""
    with torch._C.DisableTorchFunction():
        return _one_of(items, *them, why)


def _one_of(
    items: Sequence[Any], leaves: list[list[Any]], rows: list[list[int]], chosen: list[int], why: str
) -> Any:
    worlds.use()
    classes: dict[tuple[int, ...], int] = {}
    shown = iter(zip(*rows))
    if worlds.here().apart is None:
        sizes = iter(rows[chosen[worlds.choice(len(chosen))]])
    else:  # a size of its own, the same where it is the same in each item
        sizes = iter([_own(column, classes) for column in shown])
    parts = iter([_stand_in(column, sizes, why) for column in zip(*leaves)])
    made = _put_together(items[0], parts)
    return made if records.attributes(made) is None else records.stands_for(made, items)


def shown_by(rows: Sequence[Sequence[int]]) -> list[int]:
    """Which of these rows, at most three, show every place at which any two differ; one if none do.

    Raises LookupError where no three do. Of rows that are not equally long it gives the shortest and the longest.
    """
    if len({len(row) for row in rows}) > 1:  # items of other lengths, or ranks
        longest, shortest = (by(range(len(rows)), key=lambda number: len(rows[number])) for by in (max, min))
        return [shortest, longest, len(rows) // 2]
    open_places = {at for at, column in enumerate(zip(*rows)) if len(set(column)) > 1}
    if not open_places:
        return [0]
    by_size = sorted(range(len(rows)), key=lambda number: sum(rows[number]))
    for begun in (
        [by_size[0], by_size[-1]],
        [0],
    ):  # what is rounded up may be the same for all but the extremes
        chosen = _chosen(rows, open_places, begun)
        if chosen is not None:
            return chosen
    raise LookupError


def _chosen(rows: Sequence[Sequence[int]], open_places: set[int], begun: list[int]) -> list[int] | None:
    """These rows and as many more, three in all, as show every open place; None where no three do."""
    first, chosen = rows[begun[0]], [*begun]
    differing = [{at for at in open_places if row[at] != first[at]} for row in rows]
    left = open_places.difference(*[differing[number] for number in chosen])
    while left and len(chosen) < 3:
        best = max(range(len(rows)), key=lambda number: len(differing[number] & left))
        chosen.append(best)
        left = left - differing[best]
    return None if left else chosen


def _has_sizes(leaf: Any) -> bool:
    return isinstance(leaf, torch.Tensor) or type(leaf) is Array


def _taken_apart(item: Any, leaves: list[Any]) -> Any:
    """What an item is made of, but for sizes and numbers; its parts that are no containers are added to `leaves`.

    Raises LookupError where nobody knows how many parts it has.
    """
    if mark_of(item) is not None:
        raise LookupError
    if type(item) is dict:
        return dict, tuple((key, _taken_apart(value, leaves)) for key, value in item.items())
    if type(item) in (tuple, list) or (isinstance(item, tuple) and hasattr(type(item), "_fields")):
        return type(item), tuple(_taken_apart(value, leaves) for value in item)
    held = records.attributes(item)
    if held is not None:
        return type(item), tuple((key, _taken_apart(value, leaves)) for key, value in held.items())
    leaves.append(item)
    if type(item) is Array:
        if not item.flags.c_contiguous:
            raise LookupError
        return Array, item.dtype.str, item.ndim
    if isinstance(item, torch.Tensor):
        plain = (
            not isinstance(item, torch.nn.Parameter)
            and item.layout is torch.strided
            and item.is_contiguous()
            and not item.is_inference()
        )
        if not plain or item.requires_grad or doubts.of(item):
            raise LookupError
        return torch.Tensor, item.dtype, item.dim(), device_of(item)
    if item is None or type(item) in (int, float, bool, str):
        return type(item)
    if type(item) is Unknown and type(item.sample) in NUMBERS:
        return Unknown, type(item.sample)
    raise LookupError


def _own(column: tuple[int, ...], classes: dict[tuple[int, ...], int]) -> int:
    if len(set(column)) == 1:
        return column[0]
    if column not in classes:
        classes[column] = worlds.size()
    return classes[column]


def _stand_in(column: tuple[Any, ...], sizes: Any, why: str) -> Any:
    """What one part of the items is."""
    first = column[0]
    if type(first) is Array:
        return blank(tuple(next(sizes) for _ in first.shape), first.dtype)
    if isinstance(first, torch.Tensor):
        made = torch.empty([next(sizes) for _ in first.shape], dtype=first.dtype)
        place(made, torch.device(device_of(first)))
        values.strip(made)
        return made
    if type(first) is Unknown:
        return worlds.real(why) if type(first.sample) is float else worlds.number(why)
    if all(one == first for one in column):
        return first
    if type(first) in (int, float):
        return worlds.one_of(column, why)
    made = Unknown(why)
    made.kind = "text" if type(first) is str else None
    return made


def _put_together(item: Any, parts: Any) -> Any:
    if type(item) is dict:
        return {key: _put_together(value, parts) for key, value in item.items()}
    if type(item) in (tuple, list):
        return type(item)([_put_together(value, parts) for value in item])
    if isinstance(item, tuple) and hasattr(type(item), "_fields"):
        return tuple.__new__(type(item), [_put_together(value, parts) for value in item])
    held = records.attributes(item)
    if held is not None:
        return records.made_like(item, {key: _put_together(value, parts) for key, value in held.items()})
    return next(parts)
