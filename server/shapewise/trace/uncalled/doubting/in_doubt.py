"""What of a value is in doubt: sizes that are others with something else given."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ....vocabulary.events import Group, Other, Tensor, Value

Doubts = frozenset[str]
"""The words and numbers of sizes that are others with some option; `ALL`, if nothing is known."""
ALL: Doubts = frozenset("*")
NONE: Doubts = frozenset()
LAYOUT: Doubts = frozenset("~")
"""No size, but how it lies in memory."""
_LAYOUT = ("stride", "contiguous", "offset", "requires_grad", "leaf")

_WORDS = re.compile(r"\w+")


def in_doubt(value: Value, doubts: Doubts) -> Value:
    """A value without the sizes that are in doubt; how it lies in memory then is not known either."""
    if isinstance(value, Group):
        return replace(value, items=tuple(in_doubt(one, doubts) for one in value.items))
    if isinstance(value, Tensor):
        shape = tuple(None if _is_in_doubt(dim, doubts) else dim for dim in value.shape)
        unlaid = replace(value, stride=None, contiguous=None, offset=None, requires_grad=None, leaf=None)
        return replace(unlaid, shape=shape, names=None, over_calls=None)
    if isinstance(value, Other) and _is_in_doubt(value.text, doubts):
        return replace(value, text="")
    return value


def _is_in_doubt(size: Any, doubts: Doubts) -> bool:
    """Whether a size may be of those; of a number in doubt any other may be made."""
    words = _words(size)
    return not doubts.isdisjoint(words) or (any(map(str.isdigit, words)) and any(map(str.isdigit, doubts)))


def unlike(now: Sequence[Value], was: Sequence[Value]) -> Doubts:
    """The sizes of what is told now that were others with some option; all, where it was something else altogether."""
    found = NONE
    for one in now:
        if not any(_fits(one, other) for other in was):
            return ALL  # the edit has come as far
        for other in was:
            found |= _difference(one, other)
    return found


def _fits(one: Value, other: Value) -> bool:
    """Whether a value is what was told, of which less may have been known."""
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        alike = (len(one.shape), one.dtype, one.device) == (len(other.shape), other.dtype, other.device)
        return alike and all(there in (dim, None) for dim, there in zip(one.shape, other.shape))
    if isinstance(one, Group) and isinstance(other, Group):
        alike = (one.kind, one.keys, len(one.items)) == (other.kind, other.keys, len(other.items))
        return alike and all(map(_fits, one.items, other.items))
    return _difference(one, other) == NONE


def _difference(one: Value, other: Value) -> Doubts:
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        if (len(one.shape), one.dtype, one.device) != (len(other.shape), other.dtype, other.device):
            return ALL
        unlike = [dim for dim, there in zip(one.shape, other.shape) if dim != there]
        if 1 in unlike or one.dtype is None:
            return ALL  # of a 1 nothing may be left: what is broadcast
        laid = all(getattr(one, name) == getattr(other, name) for name in _LAYOUT)
        return frozenset(word for dim in unlike for word in _words(dim)) | (NONE if laid else LAYOUT)
    if isinstance(one, Group) and isinstance(other, Group):
        if (one.kind, one.keys, len(one.items)) == (other.kind, other.keys, len(other.items)):
            return NONE.union(*map(_difference, one.items, other.items))
    if isinstance(one, Other) and isinstance(other, Other) and one.type == other.type == "int":
        return NONE if one.text == other.text else frozenset(_words(one.text)) or ALL
    return ALL


def _words(size: Any) -> list[str]:
    return [] if size is None else _WORDS.findall(str(size))
