"""A stand-in for `torch.utils.data.DataLoader`: torch's own reads a random seed, which only data decides.

A batch is the first item of the dataset, as often as the batch is long, collated as torch collates;
the last batch may be shorter. Items that differ in their facts make a batch nobody knows.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import torch
from torch.utils.data import Dataset, IterableDataset, Subset

from .arrays import array_to_tensor, is_scalar
from .recorder import same
from .state import join
from .unknown import Lost, Unknown

_LOOKED_AT = 3
"""Items that are fetched to see whether they are alike."""


class Loader:
    """What a DataLoader is to the interpreted program: iterable, with a length and its dataset."""

    def __init__(
        self,
        dataset: Any,
        batch_size: Any = 1,
        shuffle: Any = None,
        sampler: Any = None,
        batch_sampler: Any = None,
        num_workers: Any = 0,
        collate_fn: Any = None,
        pin_memory: Any = False,
        drop_last: Any = False,
        **options: Any,
    ) -> None:
        self.dataset = dataset
        self.batch_size = batch_size
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.num_workers = num_workers
        self.collate_fn = collate_fn
        self.pin_memory = pin_memory
        self.drop_last = drop_last

    def __len__(self) -> int:
        if self.batch_sampler is not None:
            return len(self.batch_sampler)
        count = len(self.dataset if self.sampler is None else self.sampler)
        if self.batch_size is None:
            return count
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)

    def __iter__(self) -> Iterator[Any]:
        if self.batch_sampler is not None:
            raise Lost("batches made by a batch sampler")
        if isinstance(self.dataset, IterableDataset):
            yield from self._streamed()
            return
        count, item = len(self.dataset if self.sampler is None else self.sampler), self._item()
        if self.batch_size is None:
            yield from itertools.repeat(item, count)
            return
        full, rest = divmod(count, self.batch_size)
        if full:
            for number in range(full):
                if number < _LOOKED_AT:  # later ones are alike, and cost nothing
                    batch = self._batch([item] * self.batch_size)
                yield batch
        if rest and not self.drop_last:
            yield self._batch([item] * rest)

    def _item(self) -> Any:
        """What every item is, as far as they are alike."""
        item = self.dataset[0]
        alike = same if self.collate_fn is not None else _alike
        for index in range(1, min(_LOOKED_AT, len(self.dataset))):
            item = join(item, self.dataset[index], alike)
        return item

    def _streamed(self) -> Iterator[Any]:
        items = iter(self.dataset)
        while batch := list(itertools.islice(items, self.batch_size or 1)):
            if len(batch) < (self.batch_size or 1) and self.drop_last:
                return
            yield batch[0] if self.batch_size is None else self._batch(batch)

    def _batch(self, items: list[Any]) -> Any:
        return collate(items) if self.collate_fn is None else self.collate_fn(items)


def _alike(left: Any, right: Any) -> bool:
    """Whether two items give the same batch: of a number only the type shows in it."""
    return same(left, right) or (isinstance(left, (int, float)) and type(left) is type(right))


def collate(items: list[Any]) -> Any:
    """`torch.utils.data.default_collate`, numpy's arrays in their stand-in included."""
    first = items[0]
    if type(first) is Unknown:
        return Unknown(first.why)
    if isinstance(first, torch.Tensor):
        return torch.stack(items)
    if array_to_tensor(first) is not None:
        return torch.stack([array_to_tensor(item) for item in items])
    if is_scalar(first):
        return torch.tensor(items)
    if isinstance(first, float):
        return torch.tensor(items, dtype=torch.float64)
    if isinstance(first, int):
        return torch.tensor(items)
    if isinstance(first, (str, bytes)):
        return items
    if isinstance(first, dict):
        return {key: collate([item[key] for item in items]) for key in first}
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*(collate(list(column)) for column in zip(*items)))
    if isinstance(first, (tuple, list)):
        return [collate(list(column)) for column in zip(*items)]
    raise TypeError(
        "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; "
        f"found {type(first)}"
    )


def random_split(dataset: Dataset[Any], lengths: Any, generator: Any = None) -> list[Subset[Any]]:
    """`torch.utils.data.random_split` without the shuffling. Raises its ValueError where lengths do not add up."""
    count = len(dataset)
    if all(isinstance(length, float) for length in lengths):
        sizes = [int(count * length) for length in lengths]
        for number in range(count - sum(sizes)):
            sizes[number % len(sizes)] += 1
    else:
        sizes = list(lengths)
    if sum(sizes) != count:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    starts = itertools.accumulate(sizes, initial=0)
    return [Subset(dataset, range(start, start + size)) for start, size in zip(starts, sizes)]
