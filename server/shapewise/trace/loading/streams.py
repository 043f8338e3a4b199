"""Batches of an `IterableDataset`: of the items that it gives, or of nobody knows how many."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from ..unknowns.counted import Uncounted
from ..unknowns.unknown import Lost
from ..worlds import worlds
from .batches import batch_of, converted
from .dataset_items import are_alike, each
from .stripped import opened


def streamed(loader: Any) -> Iterator[Any]:
    """The batches of a dataset that only tells its items one after the other."""
    try:
        yield from _known_stream(loader)
    except Uncounted as error:
        raise Uncounted(error.why, _of_stream(loader, error)) from None


def _known_stream(loader: Any) -> Iterator[Any]:
    items = each(loader)
    if loader.batch_size is None:
        yield from (converted(loader, opened(item)) for item in items)
        return
    while batch := list(itertools.islice(items, loader.batch_size)):
        if len(batch) < loader.batch_size and loader.drop_last:
            return
        yield batch_of(loader, batch)


def _of_stream(loader: Any, error: Uncounted) -> list[Any]:
    """What is made of nobody knows how many items: a full batch and a shorter one. Raises Lost where the items are of several kinds."""
    items = error.items
    if loader.batch_size is None:
        return [converted(loader, opened(item)) for item in items]
    if not all(are_alike(items[0], other) for other in items[1:]):
        raise Lost(error.why)
    if worlds.here().apart is not None:  # a size of one item is not that of the next
        items = [*items, *_gone_through_again(loader)]
    sizes = [loader.batch_size]
    if not loader.drop_last and loader.batch_size > 1:
        worlds.use()
        sizes.append(worlds.within(1, loader.batch_size))
    return [batch_of(loader, [items[at % len(items)] for at in range(size)]) for size in sizes]


def _gone_through_again(loader: Any) -> list[Any]:
    try:
        for _ in each(loader):
            pass
    except Uncounted as error:
        return error.items
    return []
