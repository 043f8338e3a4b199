"""What a `DataLoader` makes of the items of one batch."""

from __future__ import annotations

from typing import Any

from torch.utils.data import default_collate, default_convert

from ..arrays import array_to_tensor
from ..unknowns.grown import as_long_as
from .collate import collate
from .dataset_items import one_for_several
from .stripped import opened


def batch_of(loader: Any, items: list[Any]) -> Any:
    """What a loader makes of the items of a batch."""
    if loader.collate_fn is not default_collate:
        with one_for_several():
            return loader.collate_fn([opened(item) for item in items])
    return collate(items)


def converted(loader: Any, item: Any) -> Any:
    """What a loader without batches gives for an item."""
    return _arrays_converted(item) if loader.collate_fn is default_convert else loader.collate_fn(item)


def _arrays_converted(item: Any) -> Any:
    tensor = array_to_tensor(item)
    if tensor is not None:
        return tensor
    if isinstance(item, (tuple, list)):
        return as_long_as(item, [_arrays_converted(one) for one in item])
    if isinstance(item, dict):
        return as_long_as(item, {key: _arrays_converted(one) for key, one in item.items()})
    return item
