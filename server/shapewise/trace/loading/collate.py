"""Items put together to a batch, as `torch.utils.data.default_collate` does."""

from __future__ import annotations

from typing import Any

import torch

from ..arrays import array_to_tensor, is_scalar
from ..unknowns import texts, values
from ..unknowns.grown import as_long_as, of_unknown_length
from ..unknowns.unknown import Unknown


def collate(items: list[Any]) -> Any:
    """`torch.utils.data.default_collate`, numpy's arrays in their stand-in included."""
    first = items[0]
    if type(first) is Unknown:
        if texts.is_text(first):
            return list(items)
        number = type(first.sample) in (int, float)  # of a number only the type shows in a batch
        return collate([first.sample] * len(items)) if number else Unknown(first.why)
    if isinstance(first, torch.Tensor):
        return _of_data(torch.stack(items))
    tensor = array_to_tensor(first)
    if tensor is not None:
        return _of_data(torch.stack([tensor if item is first else array_to_tensor(item) for item in items]))
    if is_scalar(first):
        return _of_data(torch.tensor(items))
    if isinstance(first, float):
        return _of_data(torch.tensor(items, dtype=torch.float64))
    if isinstance(first, int):
        return _of_data(torch.tensor(items))
    if isinstance(first, (str, bytes)):
        return items
    if isinstance(first, dict):
        return {key: collate([item[key] for item in items]) for key in first}
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*(collate(list(column)) for column in zip(*items)))
    if isinstance(first, (tuple, list)):
        return as_long_as(of_unknown_length(items), [collate(list(column)) for column in zip(*items)])
    raise TypeError(
        "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; "
        f"found {type(first)}"
    )


def _of_data(batch: torch.Tensor) -> torch.Tensor:
    """A batch has the facts of what it is made of, and not its numbers."""
    values.strip(batch)
    return batch
