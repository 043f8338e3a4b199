"""What holds for several runs of one function that differ in more than sizes."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from ....vocabulary.events import Bound, Event, Group, Other, Scalar, Tensor, Unknown, Value

UNSURE = Unknown("depends on the sizes that it is given", True)
_NUMBER = re.compile(r"\b\d+\b")
_ADDED = re.compile(r"[+-] (\d+)\b")
ANY = "*batch"
"""Any number of dims in front."""


def is_of_any_rank(value: Value) -> bool:
    """Whether a value is a tensor that may have any number of dims in front."""
    return isinstance(value, Tensor) and value.shape[:1] == (ANY,)


def told(event: Event | None) -> Value | None:
    """What an event says: of a name its value, of an op its result."""
    return getattr(event, "value", None) if isinstance(event, Bound) else getattr(event, "result", None)


def alike(values: tuple[Value, ...]) -> Value | None:
    """What tensors of one rank have in common; None if they are not."""
    tensors = [value for value in values if isinstance(value, Tensor)]
    if len(tensors) < len(values) or len({len(tensor.shape) for tensor in tensors}) > 1:
        return None
    first = tensors[0]
    shape = tuple(
        column[0] if len(set(column)) == 1 else None for column in zip(*[tensor.shape for tensor in tensors])
    )
    return replace(
        first,
        shape=shape,
        dtype=same(tensors, "dtype"),
        stride=same(tensors, "stride"),
        contiguous=same(tensors, "contiguous"),
        offset=same(tensors, "offset"),
        itemsize=same(tensors, "itemsize"),
    )


def both(value: Value, other: Value) -> Value:
    """What holds of two values whose dims have names."""
    if isinstance(value, Group) and isinstance(other, Group) and len(value.items) == len(other.items):
        return replace(value, items=tuple(map(both, value.items, other.items)))
    if not isinstance(value, (Tensor, Group)):
        return value
    return (alike((value, other)) if isinstance(value, Tensor) else None) or lost(value)


def tells_as_much(value: Value, other: Value) -> bool:
    """Whether a value is told of other runs, with as many dims: longer loops may be cut off."""
    if isinstance(value, Group):
        return (
            isinstance(other, Group)
            and len(value.items) == len(other.items)
            and all(map(tells_as_much, value.items, other.items))
        )
    if not isinstance(value, Tensor):
        return True
    return isinstance(other, Tensor) and len(other.shape) == len(value.shape)


def grown(value: Value, other: Value) -> Value:
    """A value in the words of runs in which loops go round as often as no other size is large: these tell more of sizes."""
    if isinstance(value, Group) and isinstance(other, Group) and len(value.items) == len(other.items):
        return replace(value, items=tuple(map(grown, value.items, other.items)))
    if not isinstance(value, Tensor):
        return value
    if not isinstance(other, Tensor) or len(other.shape) != len(value.shape):
        return lost(value)
    return value if value.shape == other.shape else replace(value, shape=other.shape, stride=None)


def unfixed(value: Value, numbers: set[int]) -> Value:
    """A value without the sizes that are as large as a parameter that is the same in all runs."""
    if isinstance(value, Group):
        return replace(value, items=tuple(unfixed(one, numbers) for one in value.items)) if numbers else value
    if not isinstance(value, Tensor) or not numbers:
        return value

    def is_fixed(dim: Any) -> bool:
        if isinstance(dim, str):  # `2*dim` with twice as many by default
            found = [int(one) for one in _NUMBER.findall(dim)]
            added = [int(one) for one in _ADDED.findall(dim)]  # `dim + 3` of `dim + 1 + n` with n = 2
            if any(one > number for one in added for number in numbers):
                return True
            return any(one % number == 0 for one in found if one for number in numbers if number > 2) or any(
                one in numbers for one in found
            )
        return dim in numbers and dim != 1

    shape = tuple(None if is_fixed(dim) else dim for dim in value.shape)
    return value if shape == value.shape else replace(value, shape=shape, stride=None)


def laid(value: Value, mine: Value, other: Value | None) -> Value:
    """A value after hearing how it lies in memory where the inputs lie otherwise: that, or it is not known."""
    if isinstance(value, Group) and isinstance(mine, Group) and len(mine.items) == len(value.items):
        theirs = other.items if isinstance(other, Group) and len(other.items) == len(mine.items) else None
        items = map(laid, value.items, mine.items, theirs or (None,) * len(mine.items))
        return replace(value, items=tuple(items))
    if not isinstance(value, Tensor):
        return value
    same = isinstance(mine, Tensor) and isinstance(other, Tensor)
    if same and (mine.contiguous, mine.stride) == (other.contiguous, other.stride):  # type: ignore[union-attr]
        return value
    known = value.contiguous if same and mine.contiguous == other.contiguous else None  # type: ignore[union-attr]
    return replace(value, contiguous=known, stride=None)


def agreed(value: Value, mine: Value, other: Value | None) -> Value:
    """A value after hearing what it is where something else is otherwise than ranks: the dims that stay are known."""
    if isinstance(value, Group) and isinstance(mine, Group) and isinstance(other, Group):
        if len(other.items) >= len(mine.items) == len(value.items):  # a list may be longer
            return replace(value, items=tuple(map(agreed, value.items, mine.items, other.items)))
    found = widened(value, mine, other)
    if not (isinstance(value, Tensor) and isinstance(mine, Tensor) and isinstance(other, Tensor)):
        return found
    if mine.shape == other.shape or not len(mine.shape) == len(other.shape) == len(value.shape):
        return found
    dims = zip(value.shape, mine.shape, other.shape)
    known = tuple(dim if one == another else None for dim, one, another in dims)
    dtype = value.dtype if mine.dtype == other.dtype else None
    contiguous = value.contiguous if mine.contiguous == other.contiguous else None
    unlaid = replace(value, stride=None, offset=None, itemsize=None, contiguous=contiguous)
    return replace(unlaid, shape=known, dtype=dtype)


def uncounted(value: Value, mine: Value, other: Value | None, count: int) -> Value:
    """A value after hearing what it is where a list of `count` has one more: a dim that has as many is not known."""
    if isinstance(value, Group) and isinstance(mine, Group) and isinstance(other, Group):
        if len(mine.items) == len(other.items) == len(value.items):
            each = zip(value.items, mine.items, other.items)
            return replace(value, items=tuple(uncounted(*one, count) for one in each))
    if not (isinstance(value, Tensor) and isinstance(mine, Tensor) and isinstance(other, Tensor)):
        return value
    if not len(value.shape) == len(mine.shape) == len(other.shape):
        return value
    rows = zip(value.shape, mine.shape, other.shape)
    shape = tuple(None if (one, more) == (count, count + 1) else dim for dim, one, more in rows)
    return value if shape == value.shape else replace(value, shape=shape, stride=None)


def widened(value: Value, mine: Value, other: Value | None) -> Value:
    """A value after hearing what it is where an input has another rank: dims in front, or it is not known."""
    if isinstance(value, Unknown) or isinstance(mine, (Scalar, Other)):
        return value
    if isinstance(value, Group) and isinstance(mine, Group) and isinstance(other, Group):
        if len(mine.items) == len(other.items) == len(value.items):
            return replace(value, items=tuple(map(widened, value.items, mine.items, other.items)))
    if not isinstance(value, Tensor) or not isinstance(mine, Tensor) or not isinstance(other, Tensor):
        return lost(value)
    if mine.dtype != other.dtype:
        value = replace(value, dtype=None, itemsize=None)
    if mine.shape == other.shape:  # of another dtype `float` makes a copy, which has no gaps
        return laid(value, mine, other)
    common = min(len(mine.shape), len(other.shape))
    if mine.shape[len(mine.shape) - common :] != other.shape[len(other.shape) - common :]:
        return lost(value)
    named = value.shape[1:] if value.shape and value.shape[0] == ANY else value.shape
    last = named[len(named) - common :] if common < len(named) else named
    contiguous = value.contiguous if mine.contiguous == other.contiguous else None
    return replace(value, shape=(ANY, *last), stride=None, offset=None, contiguous=contiguous)


def in_place(wide: Value, each: tuple[Value, ...]) -> Value:
    """A value of any number of dims without the words that stand elsewhere where there are more: `b = x.shape[0]`."""
    if not isinstance(wide, Tensor) or ANY not in wide.shape[:1]:
        return wide
    shapes = [one.shape[::-1] for one in each if isinstance(one, Tensor)]

    def moves(at: int, dim: Any) -> bool:
        is_word = isinstance(dim, str) and len(dim) > 1 and dim.isidentifier()
        return is_word and any(dim in shape and dim not in shape[at : at + 1] for shape in shapes)

    dims = [None if moves(at, dim) else dim for at, dim in enumerate(wide.shape[:0:-1])]
    return replace(wide, shape=(ANY, *dims[::-1]))


def moving(wide: Value, each: tuple[Value, ...]) -> frozenset[str]:
    """The words for the last dims of an input of any rank that stand elsewhere where it has another: `B` of `*batch B T D`."""
    if not is_of_any_rank(wide):
        return frozenset()
    shapes = [one.shape[::-1] for one in each if isinstance(one, Tensor)]
    named = [(at, dim) for at, dim in enumerate(wide.shape[:0:-1]) if isinstance(dim, str)]  # type: ignore[union-attr]
    return frozenset(d for at, d in named if any(d in one and one[at : at + 1] != (d,) for one in shapes))


def without(value: Value, named: Value, kept: Value) -> Value:
    """A value of other ranks without what was `named` and is not `kept`, counted from the last dim."""
    if isinstance(value, Group) and isinstance(named, Group) and isinstance(kept, Group):
        if len(value.items) == len(named.items) == len(kept.items):
            return replace(value, items=tuple(map(without, value.items, named.items, kept.items)))
    if not isinstance(value, Tensor) or not isinstance(named, Tensor):
        return value
    if not isinstance(kept, Tensor) or len(kept.shape) != len(named.shape):
        return lost(value)
    dtype = value.dtype if kept.dtype == named.dtype else None
    gone = {(at, was) for at, (was, now) in enumerate(zip(named.shape[::-1], kept.shape[::-1])) if was != now}
    shape = tuple(None if (at, dim) in gone else dim for at, dim in enumerate(value.shape[::-1]))[::-1]
    if shape == value.shape and dtype == value.dtype:
        return value
    return replace(value, shape=shape, dtype=dtype, stride=None)


def lost(value: Value) -> Value:
    """A value of which nothing holds for all."""
    return replace(UNSURE, tensor=isinstance(value, Tensor) or (isinstance(value, Unknown) and value.tensor))


def same(values: list[Any], name: str) -> Any:
    """A field that is alike in all, else None."""
    first = getattr(values[0], name)
    return first if all(getattr(value, name) == first for value in values) else None
