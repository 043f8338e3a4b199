"""An item of a dataset without what only it has: its numbers and texts are not those of the others."""

from __future__ import annotations

import contextlib
import operator
import types
from collections.abc import Callable, Sequence
from typing import Any

import torch

from ..arrays.array import Array, Number, blank, np
from ..gate.own import interpreted_class
from ..unknowns import records, texts, values
from ..unknowns.grown import as_long_as, of_unknown_length
from ..unknowns.unknown import Unknown
from ..worlds import worlds

DEEP = 3
"""Objects of the file's that hold others are looked at so deep."""
_WHY = "an item of the data"
_NUMBERS = "iufb"


def held(item: Any) -> dict[str, Any] | None:
    """What an object of a class of the file's, or a namespace, holds, by name."""
    if type(item) is types.SimpleNamespace:
        return vars(item)
    if not interpreted_class(type(item)) or isinstance(item, (torch.Tensor, torch.nn.Module, tuple)):
        return None
    found = dict(getattr(item, "__dict__", {}))
    for name, slot in _slots(type(item)).items():
        with contextlib.suppress(AttributeError):  # nothing was put there
            found[name] = slot.__get__(item)
    return found


def _slots(cls: type) -> dict[str, Any]:
    every = [pair for base in cls.__mro__ for pair in vars(base).items()]
    return {name: one for name, one in every if type(one) is types.MemberDescriptorType}


def _holding(item: Any, holds: dict[str, Any]) -> Any:
    """An object like this one that holds something else; itself where its class makes its objects in a way of its own."""
    if records.attributes(item) is not None:
        return records.made_like(item, holds)
    cls: Any = type(item)
    if cls.__new__ is not object.__new__:
        return item
    made, slots = object.__new__(cls), _slots(cls)
    for name, value in holds.items():
        if name in slots:
            slots[name].__set__(made, value)
        else:
            vars(made)[name] = value
    return made


def opened(item: Any, depth: int = DEEP) -> Any:
    """An item with unknown numbers in place of those that only this one has."""
    if isinstance(item, torch.Tensor):
        values.strip(item)
        return item
    if isinstance(item, str):
        return texts.text(_WHY)
    if type(item) is bool or isinstance(item, bytes):
        return Unknown(_WHY)
    if isinstance(item, (int, float)) and not _is_of_numpy(item):
        return Unknown(_WHY, sample=item)
    if _is_of_numpy(item):
        return _number(item.dtype, item.item())
    return _blank(item) if type(item) is Array else _inside(item, opened, depth)


def unread(item: Any, depth: int = DEEP) -> Any:
    """An item that stands for others: their texts are not its own."""
    if isinstance(item, (str, bytes)):
        return texts.text(_WHY) if isinstance(item, str) else Unknown(_WHY)
    return _inside(item, unread, depth)


def _inside(item: Any, change: Callable[[Any, int], Any], depth: int) -> Any:
    """What holds other things, with this done to each of them."""

    def each(value: Any) -> Any:
        return change(value, depth)

    if isinstance(item, tuple) and hasattr(item, "_fields"):
        return type(item)(*map(each, item))
    if type(item) in (tuple, list):
        return as_long_as(item, type(item)(map(each, item)), each)
    if type(item) is dict:
        return as_long_as(item, {key: each(value) for key, value in item.items()}, each)
    holds = held(item) if depth else None
    if holds is None:
        return item
    return _holding(item, {name: change(value, depth - 1) for name, value in holds.items()})


def _is_of_numpy(item: Any) -> bool:
    return np is not None and isinstance(item, np.generic) and item.dtype.kind in _NUMBERS


def _number(dtype: Any, sample: Any) -> Number:
    made = Number(dtype)
    if dtype.kind != "b":
        made.stand_for(sample)
    return made


def _blank(array: Array) -> Array:
    """An array like this one whose numbers nobody knows."""
    if array.flags.c_contiguous:
        return blank(array.shape, array.dtype)
    steps = [step // array.itemsize for step in array.strides]
    return array if min(steps) < 0 else blank(array.shape, array.dtype, steps)


def with_any_number(item: Any, items: Sequence[Any], shown: Sequence[Any] = (), depth: int = DEEP) -> Any:
    """An item with another number in each world in place of one that is another in other items.

    `shown`: items of which each stands for all in one of the worlds: a number in which they differ may go with their sizes.
    """
    if any(type(one) is not type(item) for one in items):
        return item
    if type(item) in (int, float) or _is_of_numpy(item):
        if all(one == item for one in items) or any(one != item for one in shown):
            return item
        sample = worlds.one_of(items, _WHY)
        return sample if type(item) in (int, float) else _number(item.dtype, sample.sample.item())

    def inside(value: Any, part: Callable[[Any], Any], depth: int = depth) -> Any:
        return with_any_number(value, [*map(part, items)], [*map(part, shown)], depth)

    if isinstance(item, (tuple, list)) and all(len(one) == len(item) for one in items):
        parts = [inside(value, operator.itemgetter(at)) for at, value in enumerate(item)]
        if hasattr(item, "_fields"):
            return type(item)(*parts)
        return as_long_as(of_unknown_length(items), type(item)(parts))
    if type(item) is dict and all(one.keys() == item.keys() for one in items):
        found = {key: inside(value, operator.itemgetter(key)) for key, value in item.items()}
        return as_long_as(of_unknown_length(items), found)
    holds = [held(one) or {} for one in items] if depth else []
    if not holds or not holds[0] or any(one.keys() != holds[0].keys() for one in holds):
        return item
    of = {id(one): each for one, each in zip(items, holds)}
    return _holding(
        item,
        {
            name: inside(value, lambda one, name=name: of[id(one)][name], depth - 1)  # type: ignore[misc]
            for name, value in of[id(item)].items()
        },
    )
