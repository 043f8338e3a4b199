"""What is known of an array, or of a numpy scalar, that is one of two."""

from __future__ import annotations

from typing import Any

from ..unknowns import doubts
from ..unknowns.unknown import Lost, Unknown
from ..worlds import worlds
from .array import KINDS, Array, Number, blank, made, np


def beside_plain(left: Any, right: Any) -> Any:
    """What a value is that is a numpy scalar or a number of Python's; None where it is no such."""
    scalar, other = (left, right) if isinstance(left, (Number, np.generic)) else (right, left)
    other = other.sample if type(other) is Unknown else other
    if not isinstance(scalar, (Number, np.generic)) or type(other) not in (int, float):
        return None
    if isinstance(scalar, Number) and scalar.is_any and type(scalar._plain) is type(other):
        return scalar
    made = Number(scalar.dtype)
    made._plain = type(other)(1)
    return made


def joined(left: Any, right: Any) -> Any:
    """What a value is that is one of these two arrays or numpy scalars."""
    if isinstance(left, Array):
        if left.shape == right.shape and left.dtype == right.dtype:
            if left._memory.unlaid or right._memory.unlaid:
                return left if left._memory.unlaid else right
        elif left._memory.unlaid or right._memory.unlaid:
            return Unknown(_TWO_WAYS)
        alike = left.shape == right.shape and left.dtype == right.dtype and left.strides == right.strides
        if not alike:
            return _either(left, right)
        if left._memory.known and (not right._memory.known or not np.array_equal(left._held, right._held)):
            return made(left._held.copy(order="K"), False)
        return left
    if (
        not (isinstance(left, Number) or isinstance(right, Number))
        and left == right
        and left.dtype == right.dtype
    ):
        return left
    plain = {type(one._plain) for one in (left, right) if isinstance(one, Number) and one._plain is not None}
    if left.dtype != right.dtype or len(plain) > 1:
        return Unknown("differs between two ways")
    if isinstance(left, Number) and left.is_any and (left._plain is not None or not plain):
        return left
    either = Number(left.dtype)
    either._plain = plain.pop()(1) if plain else None
    return either


_TWO_WAYS = "an array that differs between two ways"


def _either(left: Array, right: Array) -> Any:
    """One of two arrays that differ in their sizes, their layout or their dtype: another one in each world.

    In the first it is the dtype that gives way to the other and the more plainly laid out of each two, so that what is computed of several
    such is between what it is in both worlds.
    """
    if left.ndim != right.ndim:
        return Unknown(_TWO_WAYS)
    try:
        if doubts.NOW.rounds:
            raise Lost(_TWO_WAYS)  # one of more than two
        worlds.use()
    except Lost:
        return _unlaid(left, right)
    dtype = worlds.picked(*sorted((left.dtype, right.dtype), key=_rank))
    like = worlds.picked(*sorted((left, right), key=lambda one: not one.is_plain()))
    sizes = worlds.joined(left.shape, right.shape)
    if left.shape == right.shape and _steps(left) == _steps(right):
        return blank(sizes, dtype, _steps(left))
    return blank(sizes, dtype, None if like.is_plain() else _apart(sizes, like.strides))


def _steps(array: Array) -> list[int]:
    """Its strides in items."""
    return [stride // array.dtype.itemsize for stride in array.strides]


def _rank(dtype: Any) -> tuple[int, int]:
    """Of two dtypes, the lower gives way where numbers of both are computed with."""
    return KINDS.index(dtype.kind), dtype.itemsize


def _unlaid(left: Array, right: Array) -> Any:
    """One of two arrays that differ in how they lie in memory alone, where no world is to be had for each."""
    if left.shape != right.shape or left.dtype != right.dtype:
        return Unknown(_TWO_WAYS)
    either = blank(left.shape, left.dtype)
    either._memory.unlaid = True
    return either


def _apart(sizes: Any, like: tuple[int, ...]) -> list[int]:
    """Strides in items, in the order of those of another array, that leave room between the items: another one in each world."""
    strides, step = [0] * len(like), worlds.picked(2, 3)
    for at in sorted(range(len(like)), key=lambda at: abs(like[at])):
        strides[at] = step
        step *= max(sizes[at], 1)
    return strides
