"""`torch.utils.data.DataLoader` without its workers and its random seed, which only data decides.

A batch is one item of the dataset, as often as the batch is long, collated as torch collates; the
last batch may be shorter. Where the items are not alike, it is another item in each world (see
`worlds`). What an item holds is data: its numbers are not known, only that they are numbers.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from typing import Any

import torch
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    Dataset,
    DistributedSampler,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
    Subset,
    SubsetRandomSampler,
    WeightedRandomSampler,
    default_collate,
    default_convert,
)

from ..arrays import array_to_tensor
from ..gate.own import NODES
from ..shims import here
from ..unknowns.counted import Uncounted
from ..unknowns.grown import as_long_as, grown, is_grown, unknown_in
from ..unknowns.unknown import NO_SAMPLE, Lost, Unknown
from ..wall import allowed
from ..worlds import worlds
from .batches import batch_of, converted
from .collate import collate
from .dataset_items import (
    are_alike,
    item_at,
    looked_at,
    one_for_several,
    standing_for_all,
    uncounted,
)
from .streams import streamed
from .stripped import opened, unread

_LOOKED_AT = 3
"""Batches that are made: later ones are alike, and cost nothing."""
_EACH = 64
"""Items of a dataset that is gone through in order, each of which is looked at if they differ."""
_NATIVE = (RandomSampler, SequentialSampler, SubsetRandomSampler, WeightedRandomSampler)
_INIT: Any = DataLoader.__init__
_OF_ONE_PROCESS: Any = DistributedSampler.__init__


def install() -> None:
    """Once a process, before the list of callables is made."""
    _while_tracing(DataLoader, __init__=_init, __iter__=_batches, _get_iterator=_batches, __len__=_length)
    for sampler in (RandomSampler, SubsetRandomSampler, WeightedRandomSampler):
        _while_tracing(sampler, __iter__=_drawn)
    _while_tracing(DistributedSampler, __init__=_of_one_process)
    _while_tracing(Subset, __len__=_of_a_part)
    for taker in (DataLoader, DataLoader.__init__, DistributedSampler):
        allowed.TAKES_UNKNOWNS.add(id(taker))


def _while_tracing(owner: Any, **methods: Any) -> None:
    """Replace methods of a class for the interpreted program; this process itself keeps torch's own."""
    for name, ours in methods.items():
        setattr(owner, name, _chosen(ours, getattr(owner, name)))


def _chosen(ours: Any, original: Any) -> Any:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return (original if here() is None else ours)(self, *args, **kwargs)

    return method


def _init(
    self: Any,
    dataset: Any,
    batch_size: Any = 1,
    shuffle: Any = None,
    sampler: Any = None,
    batch_sampler: Any = None,
    num_workers: Any = 0,
    collate_fn: Any = None,
    pin_memory: Any = False,
    drop_last: Any = False,
    *args: Any,
    **options: Any,
) -> None:
    """The part of the arguments that a batch depends on. Raises what torch's own raises."""
    lost = next((one for one in (dataset, batch_sampler, drop_last) if type(one) is Unknown), None)
    if (
        lost is not None and type(collate_fn) is not Unknown
    ):  # what the file's own code makes of a batch is run
        _INIT(self, [0], collate_fn=collate_fn)
        self.__dict__.update(
            dataset=dataset, sampler=lost, batch_sampler=batch_sampler, batch_size=batch_size
        )
        return
    if type(collate_fn) is Unknown:
        raise Lost(collate_fn.why)
    if type(batch_size) is Unknown:
        if batch_size.sample is NO_SAMPLE:
            raise Lost(batch_size.why)
        worlds.use()
        worlds.take()
        batch_size = max(1, batch_size.sample)
    if type(shuffle) is Unknown:
        shuffle = sampler is None and batch_sampler is None and not isinstance(dataset, IterableDataset)
    many = uncounted(dataset)  # nobody knows how many items: so many are drawn
    if many is not None and batch_sampler is None and type(sampler) is not Unknown:
        sampler, shuffle = many, None
    unknown = type(sampler) is Unknown
    _INIT(
        self,
        dataset,
        batch_size,
        shuffle,
        [0] if unknown else sampler,
        batch_sampler,
        0,
        collate_fn,
        False,
        drop_last,
    )
    self.__dict__.update(num_workers=num_workers, pin_memory=pin_memory, generator=options.get("generator"))
    if unknown:
        self.__dict__.update(sampler=sampler)


def _of_one_process(
    self: Any, dataset: Any, num_replicas: Any = None, rank: Any = None, *args: Any, **kw: Any
) -> None:
    """torch's own asks the group of processes, which is not there."""
    if any(given is None or type(given) is Unknown for given in (num_replicas, rank)):
        raise Lost("which of how many processes this is")
    _OF_ONE_PROCESS(self, dataset, num_replicas, rank, *args, **kw)


def _of_a_part(self: Any) -> int:
    if (many := uncounted(self)) is not None:
        raise Lost(many.why)
    return len(self.indices)


def _length(self: Any) -> int:
    if isinstance(self.dataset, IterableDataset):
        count = len(self.dataset)
    elif self.batch_size is None and self.batch_sampler is not None:
        return len(self.batch_sampler)
    else:
        count = len(self.sampler)
    if self.batch_size is None:
        return count
    return _full(self, count)[0] if self.drop_last else -(-count // self.batch_size)


def _full(self: Any, count: int) -> tuple[int, int]:
    """How many full batches there are of so many items, and how many items are left.

    A number that stands for any other is no reason that there should be none.
    """
    if self.drop_last and 0 < count < self.batch_size and worlds.is_given(count):
        worlds.use()
        worlds.take()
        return 1, 0
    if count and not self.drop_last and worlds.is_given(count):  # whatever divides what stands for others
        worlds.use()
        return count // self.batch_size, worlds.within(1, self.batch_size)
    return divmod(count, self.batch_size)


def _batches(self: Any) -> Iterator[Any]:
    try:
        yield from _known_batches(self)
    except Uncounted:
        raise
    except Lost as error:
        batch = _of_unknown(self, error.why)
        if batch is None:
            raise
        raise Uncounted(error.why, [batch]) from None


def _of_unknown(self: Any, why: str) -> Any:
    """What the file's own code makes of nobody knows how many items: it runs all the same. None where there is no such code."""
    if self.collate_fn in (default_collate, default_convert) or isinstance(self.dataset, IterableDataset):
        return None
    try:
        items = [opened(unread(item)) for item in standing_for_all(self)]
    except Exception:
        items = [Unknown(why)]
    grown(items, why, alike=True)
    try:
        with one_for_several():
            return self.collate_fn(items)
    except Exception:
        return None


def _known_batches(self: Any) -> Iterator[Any]:
    lost = next((one for one in (self.dataset, self.batch_sampler) if type(one) is Unknown), None)
    if lost is not None:
        raise Lost(lost.why)
    if isinstance(self.dataset, IterableDataset):
        yield from streamed(self)
    elif self.batch_size is None and self.batch_sampler is not None:
        yield from _of_sizes(self, _sizes(self.batch_sampler))
    elif self.batch_size is None:
        yield from _single(self)
    elif not hasattr(self.sampler, "__len__") and _goes_on(self.sampler):
        yield from _of_sizes(self, itertools.repeat(self.batch_size))
    elif type(self.sampler) is Unknown or not hasattr(self.sampler, "__len__"):
        yield from _uncounted_batches(self)
    elif type(self.sampler) is SequentialSampler and _in_order(self):
        items = [item_at(self, index) for index in range(len(self.sampler))]
        for start in range(0, len(items), self.batch_size):
            batch = items[start : start + self.batch_size]
            if len(batch) == self.batch_size or not self.drop_last:
                yield self.collate_fn(batch) if self.collate_fn is not default_collate else collate(batch)
    else:
        full, rest = _full(self, len(self.sampler))
        yield from _of_sizes(self, _filled(self, full, rest))


def _uncounted_batches(self: Any) -> Iterator[Any]:
    """Nobody knows how many: two full ones, and then more, the last of which may be shorter."""
    batch = None
    for batch in _of_sizes(self, iter([self.batch_size] * 2)):
        yield batch
    why = self.sampler.why if type(self.sampler) is Unknown else "a number of batches that is not known"
    raise Uncounted(why, [batch] if self.drop_last or self.batch_size == 1 else [batch, _shorter(self, why)])


def _shorter(self: Any, why: str) -> Any:
    try:
        worlds.use()
    except Lost:
        return Unknown(why)
    return next(_of_sizes(self, iter([worlds.within(1, self.batch_size)])))


def _of_sizes(self: Any, sizes: Iterator[int]) -> Iterator[Any]:
    """A batch of each size. Those of one size are alike."""
    made: dict[int, list[Any]] = {}
    items: list[Any] = []
    for number, size in enumerate(sizes):
        if not number:
            items = [unread(item) for item in standing_for_all(self)]
        batches = made.setdefault(size, [])
        if len(batches) < _LOOKED_AT:
            batches.append(batch_of(self, [items[at % len(items)] for at in range(size)]))
        yield _handed_out(batches[-1])


def _handed_out(batch: Any) -> Any:
    """The batch in containers of its own, of which a loop may take (`batch.pop("labels")`) without the next one lacking it."""
    if type(batch) is dict:
        return as_long_as(batch, {key: _handed_out(item) for key, item in batch.items()})
    return as_long_as(batch, [_handed_out(item) for item in batch]) if type(batch) is list else batch


def _sizes(sampler: Any) -> Iterator[int]:
    """How long the batches are that a batch sampler makes. Raises Lost where from here on nobody knows."""
    if type(sampler) is BatchSampler and isinstance(sampler.sampler, _NATIVE):
        yield from _filled(sampler, *divmod(len(sampler.sampler), sampler.batch_size))
        return
    try:
        for batch in sampler:
            many = batch if type(batch) is Unknown else is_grown(batch)
            if many is not None:
                raise Lost(many.why)
            yield len(batch)
    except Uncounted as error:  # what it holds are places, and no batches
        raise Lost(error.why) from None


def _filled(maker: Any, full: int, rest: int) -> Iterator[int]:
    """The sizes of full batches and of what is left: one after the other, as a sampler may draw without end."""
    last = (rest,) if rest and not maker.drop_last else ()
    return itertools.chain(itertools.repeat(maker.batch_size, full), last)


def _goes_on(sampler: Any) -> bool:
    """Whether a sampler of the file's own gives indices without end: nothing leaves its `while True`."""
    node = NODES.get(id(type(sampler).__iter__))
    endless = (
        [one for one in ast.walk(node) if isinstance(one, ast.While) and _is_true(one.test)] if node else []
    )
    return any(not any(isinstance(one, _LEAVES) for one in ast.walk(loop)) for loop in endless)


def _is_true(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and bool(test.value)


_LEAVES = (ast.Break, ast.Return, ast.Raise)


def _single(self: Any) -> Iterator[Any]:
    """Without batches: what the dataset gives for each index, which may be a list of them."""
    if isinstance(self.sampler, BatchSampler):
        for size in _sizes(self.sampler):
            yield converted(self, opened(item_at(self, list(range(size)))))
        return
    item = converted(self, opened(standing_for_all(self)[0]))
    yield from (_handed_out(item) for _ in range(len(self.sampler)))


def _in_order(self: Any) -> bool:
    """Whether each batch is made of its own items: where they are few, and differ in more than their numbers."""
    if not 0 < len(self.sampler) <= _EACH:
        return False
    first, *others = looked_at(self)
    read = self.collate_fn is not default_collate and not _of_tensors(first)
    return read or not all(are_alike(first, other) for other in others)


def _of_tensors(item: Any) -> bool:
    """Whether an item holds nothing but tensors: what the file's own code reads of it shows in its facts."""
    if isinstance(item, (tuple, list, dict)):
        return all(map(_of_tensors, item.values() if isinstance(item, dict) else item))
    return isinstance(item, torch.Tensor) or array_to_tensor(item) is not None


def _drawn(self: Any) -> Iterator[Any]:
    """The indices that a random sampler draws."""
    source = next(
        getattr(self, name) for name in ("indices", "weights", "data_source") if hasattr(self, name)
    )
    for _ in range(len(self)):
        at = worlds.within(0, max(0, len(source) - 1))
        chosen = self.indices[at] if hasattr(self, "indices") else at
        yield Unknown("a random index", sample=chosen) if isinstance(chosen, int) else chosen


def random_split(dataset: Dataset[Any], lengths: Any, generator: Any = None) -> list[Subset[Any]]:
    """`torch.utils.data.random_split` without the shuffling. Raises its ValueError where lengths do not add up."""
    counted = unknown_in(lengths) is None
    if (why := uncounted(dataset) if counted else unknown_in(lengths)) is not None:
        return [_part(dataset, length, why.why) for length in lengths]
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


def _part(dataset: Dataset[Any], length: Any, why: str) -> Subset[Any]:
    """So many items, or nobody knows how many, of a dataset that has nobody knows how many."""
    if type(length) is int:
        return Subset(dataset, range(length))
    indices: list[Any] = [Unknown(why, sample=0)]
    grown(indices, why, alike=True)
    return Subset(dataset, indices)
