"""The items of a dataset that a `DataLoader` goes through: one that stands for all, or one each, with what only it has unknown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.utils.data import Subset, default_collate

from ..arrays import array_to_tensor
from ..gate.own import is_interpreted
from ..log.facts import facts_of, same
from ..shims import here
from ..unknowns import doubts
from ..unknowns.counted import OfFiles
from ..unknowns.grown import BY_INDEX, grown, is_grown
from ..unknowns.joining import join
from ..unknowns.standing import shown_by
from ..unknowns.unknown import Lost, Unknown
from ..worlds import worlds
from .stripped import DEEP, held, with_any_number

_APART = 24
"""Items of which one is sought that has many different sizes."""
_STEPS = 11
"""One item less than is looked at where the file itself puts batches together: by chance a few have the same size."""


def uncounted(dataset: Any) -> Unknown | None:
    """An Unknown in place of how many items a dataset has, where nobody knows it; else None."""
    if isinstance(dataset, Subset):
        return is_grown(dataset.indices)
    counts: Any = getattr(type(dataset), "__len__", None)
    if is_interpreted(counts):
        found = counts(dataset)
    elif isinstance(dataset, OfFiles):
        found = dataset.count
    else:
        found = is_grown(dataset)
    return found if type(found) is Unknown else None


def _gone_through(dataset: Any) -> Any:
    """A dataset of nobody knows how many items as a list of them: no index would ever be the last."""
    many = uncounted(dataset)
    if many is None or isinstance(dataset, Subset):
        return dataset
    made = [_item(dataset, Unknown(many.why, sample=0))]
    grown(made, many.why, alike=True)
    return made


BY_INDEX.append(_gone_through)


def count_of(dataset: Any) -> int:
    """How many items a dataset has in this world; one at least, of nobody knows how many. A list has those that stand for all."""
    found = uncounted(dataset)
    if found is None or isinstance(dataset, list):
        return len(dataset)
    if worlds.here().alone:
        return 1
    worlds.use()
    worlds.take()
    return max(1, found.sample if type(found.sample) is int else worlds.some())


def looked_at(loader: Any) -> list[Any]:
    """The first item of the dataset, the last, some in between: few where torch stacks them, for then they are alike."""
    count = count_of(loader.dataset)
    if not count:
        raise Lost("an empty dataset")
    steps = 2 if loader.collate_fn is default_collate or loader.batch_size is None else _STEPS
    return _items(loader, sorted({(count - 1) * step // steps for step in range(steps + 1)}))


def _items(loader: Any, places: Iterable[int]) -> list[Any]:
    """The items at some places; of a dataset of nobody knows how many they may be any."""
    dataset = loader.dataset
    many = None if isinstance(dataset, list) else uncounted(dataset)
    while many is not None and isinstance(dataset, Subset):
        dataset = dataset.dataset
    return [_item(dataset, place if many is None else Unknown(many.why, sample=place)) for place in places]


def standing_for_all(loader: Any) -> list[Any]:
    """An item that stands for all: another one in each world where they differ, so that all shows in which they do.

    Apart it is several: a size of one item is not that of the next.
    """
    items = looked_at(loader)
    own = loader.collate_fn is not default_collate
    if all(are_alike(items[0], other) for other in items[1:]):
        return [with_any_number(items[0], items)] if own else items[:1]
    if worlds.here().alone and type(items[0]) in (tuple, list, dict):
        return [_in_common(items)]
    worlds.use()
    if worlds.here().apart is not None:  # two sizes are one only if they are in every item
        count = count_of(loader.dataset)
        every = _items(loader, range(0, count, -(-count // _APART)))
        every.sort(key=worlds.distinct, reverse=True)
        others = [one for one in every if loader.batch_size is not None and not are_alike(one, every[0])]
        return [every[0], *others]
    try:
        chosen = shown_by([_sizes_in(item) for item in items])
    except LookupError:
        raise Lost("items of many sizes") from None
    if len(chosen) == 1:  # they differ in something else
        return [items[worlds.within(0, len(items) - 1)]]
    item = items[chosen[worlds.choice(len(chosen))]]
    return [with_any_number(item, items, [items[number] for number in chosen]) if own else item]


def _in_common(items: list[Any]) -> Any:
    """What all items have in common: of labels of many lengths nothing is known, of the pictures beside them all is."""
    doubts.choose(doubts.ROUNDS)
    item = items[0]
    for other in items[1:]:
        item = join(item, other, same)
    doubts.choose(None)
    return item


def _sizes_in(item: Any, depth: int = DEEP) -> list[int]:
    """The sizes of all tensors in an item."""
    holds = held(item) if depth else None
    if holds is not None or isinstance(item, (tuple, list, dict)):
        named = item if holds is None else holds
        parts = named.values() if isinstance(named, dict) else named
        return [len(named), *(size for part in parts for size in _sizes_in(part, depth - 1))]
    tensor = item if isinstance(item, torch.Tensor) else array_to_tensor(item)
    return [] if tensor is None else [tensor.dim(), *tensor.shape]


def are_alike(left: Any, right: Any, depth: int = DEEP) -> bool:
    """Whether two items have the same facts, whatever their numbers and texts are."""
    if type(left) is not type(right):
        return False
    if isinstance(left, torch.Tensor):
        return facts_of(left) == facts_of(right)
    if isinstance(left, (tuple, list)):
        return len(left) == len(right) and all(map(are_alike, left, right))
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(are_alike(left[key], right[key]) for key in left)
    one, other = held(left), held(right)
    if one is not None and other is not None and depth and left is not right:
        return one.keys() == other.keys() and all(are_alike(one[key], other[key], depth - 1) for key in one)
    tensor = array_to_tensor(left)
    return tensor is None or facts_of(tensor) == facts_of(array_to_tensor(right))


def item_at(loader: Any, index: Any) -> Any:
    """An item of the dataset, which may stand for others, or be made in another process."""
    return _item(loader.dataset, index)


def _item(dataset: Any, index: Any) -> Any:
    with several():
        return dataset[index]


def each(loader: Any) -> Iterator[Any]:
    """The items of a dataset that is gone through, each made as `item_at` makes it."""
    items = iter(loader.dataset)
    while True:
        with several():
            try:
                item = next(items)
            except StopIteration:
                return
        yield item


@contextmanager
def several() -> Iterator[None]:
    """Around code of the file that really runs at other times, or oftener: what it draws is not known."""
    env = here()
    if env is None:
        yield
        return
    env.run.several += 1
    try:
        yield
    finally:
        env.run.several -= 1


@contextmanager
def one_for_several() -> Iterator[None]:
    """Around code of the file that is given one sample for several."""
    env = here()
    if env is None:
        yield
        return
    recorder = env.run.recorder
    before = len(recorder.frames)
    try:
        with several():
            yield
    finally:
        recorder.alike.update(range(before, len(recorder.frames)))
