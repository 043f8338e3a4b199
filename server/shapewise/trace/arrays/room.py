"""Room for numbers that nobody reads or writes: long arrays all lie over the same zeros, however many there are."""

from __future__ import annotations

import math
from typing import Any

from ..unknowns.unknown import Lost

LARGEST = 2**31
"""Bytes of the longest array that is followed."""
_LONG = 2**22
"""Bytes of an array that has no memory of its own."""


class _Zeros:
    held: Any = None
    """Of a dtype that no array of a program's has, so that nothing seems to be a view of all of it."""


def zeros(numpy: Any, shape: Any, dtype: Any, order: str = "C") -> Any:
    """`numpy.zeros`, of which only the facts matter. Raises Lost where it is too long."""
    size = math.prod(shape) * dtype.itemsize
    if size > LARGEST:
        raise Lost("too large an array to follow")
    if size < _LONG:
        return numpy.zeros(shape, dtype, order)
    if _Zeros.held is None or _Zeros.held.size < size:
        _Zeros.held = numpy.zeros(1 << (size - 1).bit_length(), "V1")
    return numpy.ndarray(shape, dtype, _Zeros.held, order=order)
