"""numpy's arrays and scalars as the interpreted program holds them.

An array is a real numpy array whose shape, strides and dtype are those of the program's. Its numbers
are the program's too where they are known (`np.array([1, 2])`, `np.arange(4)`); else they are zeros
that nobody reads. Views share their `Memory`, so that both know when the numbers are known no more.
"""

from __future__ import annotations

import contextlib
import importlib
import math
import types
from collections.abc import Callable, Iterator
from typing import Any

import torch

from ..unknowns.unknown import Lost, Undecided, Unknown
from ..worlds import worlds
from . import room

np: Any = None
"""numpy itself, where the user's interpreter has it."""
with contextlib.suppress(ImportError):
    np = importlib.import_module("numpy")

KNOWN = 2**16
"""Numbers of an array that are kept; those of a longer one are not known."""
KINDS = "biufc"
"""Kinds of dtype that are followed: numbers and truth values."""
BY_DATA = "depends on the data"
TEXTS: list[Callable[[Any, bool], Any]] = []
"""What gives an array of texts for one of numpy's, and whether they are known; empty where nothing does."""


class Memory:
    """What an array and its views share."""

    __slots__ = ("known", "limits", "of", "root", "tensor", "unlaid", "written")

    def __init__(self, root: Any, known: bool) -> None:
        self.root = root
        self.known = known and root.size <= KNOWN
        self.limits: tuple[int, int] | None = None
        """The lowest and the highest of its integers, where no more is known of them."""
        self.unlaid = False
        """Whether nobody knows how it lies in memory: its shape is known, its strides are not."""
        self.tensor: torch.Tensor | None = None
        """A tensor over the same memory."""
        self.written = 0
        """How often it was written."""
        self.of: Memory | None = None
        """What it is a part of, nobody knows which, where the numbers of that are known."""


class Array:
    """What `numpy.ndarray` is to the interpreted program."""

    __slots__ = ("__weakref__", "_held", "_memory")
    __array_ufunc__ = None  # numpy's own scalars leave operators to this class
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, held: Any, memory: Memory) -> None:
        self._held = held
        self._memory = memory

    @property
    def dtype(self) -> Any:
        return self._held.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return self._held.shape

    @shape.setter
    def shape(self, shape: Any) -> None:
        self._held = self._held.reshape(shape)

    @property
    def ndim(self) -> int:
        return self._held.ndim

    @property
    def size(self) -> int:
        return self._held.size

    @property
    def itemsize(self) -> int:
        return self._held.itemsize

    @property
    def nbytes(self) -> int:
        return self._held.nbytes

    @property
    def strides(self) -> tuple[int, ...]:
        self._is_laid()
        return self._held.strides

    @property
    def flags(self) -> Any:
        self._is_laid()
        flags = self._held.flags
        return types.SimpleNamespace(
            c_contiguous=flags.c_contiguous, f_contiguous=flags.f_contiguous, contiguous=flags.c_contiguous
        )

    @property
    def T(self) -> Array:
        return Array(self._held.T, self._memory)

    @property
    def mT(self) -> Array:
        return Array(self._held.swapaxes(-1, -2), self._memory)

    @property
    def real(self) -> Array:
        return Array(self._held.real, self._memory)

    @property
    def flat(self) -> Any:
        """Not followed, and written through: `a.flat[::5] = 1`."""
        forget_numbers(self)
        raise Lost("flat is not followed")

    @property
    def imag(self) -> Array:
        return made(self._held.imag, self._memory.known)

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Iterator[Any]:
        if not self.ndim:
            raise TypeError("iteration over a 0-d array")
        return self._items()

    def _items(self) -> Iterator[Any]:
        for index in range(len(self)):
            if index >= KNOWN:
                raise Lost("too many items to follow")
            yield self[index]  # type: ignore[index] # compute.install

    def __contains__(self, item: Any) -> bool:
        return bool(value_of(self).__contains__(item))

    def __bool__(self) -> bool:
        return bool(value_of(self) if self.size == 1 else self._held)

    def __int__(self) -> int:
        return int(value_of(self))

    def __float__(self) -> float:
        return float(value_of(self))

    def __index__(self) -> int:
        return value_of(self).__index__()

    def __copy__(self) -> Array:
        return made(self._held.copy() if self._memory.known else self._held, self._memory.known)

    def __deepcopy__(self, memo: Any) -> Array:
        return self.__copy__()

    def _is_laid(self) -> None:
        """Raises Lost where nobody knows how it lies in memory."""
        if self._memory.unlaid:
            raise Lost("its strides are not known")

    def is_plain(self) -> bool:
        """Whether its strides are those of an array that was just made of its numbers."""
        return bool(self._held.strides == np.empty(self.shape, self.dtype).strides)

    def item(self, *index: Any) -> Any:
        return value_of(self).item(*index) if is_known(self) else some_number(self.dtype, self._memory.limits)

    def tolist(self) -> Any:
        """The numbers in it, nested as its dims are."""
        if is_known(self):
            return self._held.tolist()
        if self.size > LISTED:
            return Unknown(BY_DATA)
        made: Any = [some_number(self.dtype, self._memory.limits) for _ in range(self.size)]
        for size in reversed(self.shape[1:]):
            made = [made[start : start + size] for start in range(0, len(made), size)] if size else []
        return made if self.ndim else made[0]


Array.__name__ = "ndarray"  # what programs ask for, and what errors say


class Number(Undecided):
    """A numpy scalar whose dtype is known and whose value is not. (Known ones are numpy's own.)"""

    __slots__ = ("_held", "_limits", "_plain", "_sample")
    __array_ufunc__ = None

    def __init__(self, dtype: Any, limits: tuple[int, int] | None = None) -> None:
        self._held = dtype.type(0 if dtype.kind in "iub" else 1)  # an index in bounds, a divisor
        self._limits = limits
        self._sample: Any = None
        """What it is in this world, where it was computed of other numbers."""
        self._plain: Any = None
        """A number of Python's that it is in another world, where nobody knows which of the two it is."""

    @property
    def is_any(self) -> bool:
        """Whether nothing is known of it but its dtype."""
        return self._limits is None and self._sample is None

    @property
    def may_be_a_size(self) -> bool:  # type: ignore[override]
        """Whether it is an integer of which more is known than that, as good as one of Python's."""
        return bool(self.dtype == np.int64) and not self.is_any

    def stand_for(self, number: int | float) -> None:
        """It is this number in this world."""
        self._sample = number

    def standing(self) -> Any:
        """What stands in for it: no number but its type and dtype are read."""
        if self._plain is None:
            return self._held
        worlds.use()
        return worlds.picked(self._held, self._plain)

    def unknown(self) -> Unknown:
        """A number of Python's that nobody knows."""
        if self._sample is not None:
            return Unknown(BY_DATA, sample=self._sample)
        return some_number(self.dtype, self._limits)

    shape, ndim, size = (), 0, 1

    @property
    def dtype(self) -> Any:
        return self._held.dtype

    @property
    def itemsize(self) -> int:
        return self._held.itemsize

    nbytes = itemsize

    def __hash__(self) -> int:
        return id(self)

    def _lost(self, *args: Any) -> Any:
        raise Lost(BY_DATA)

    __bool__ = __int__ = __float__ = __index__ = __len__ = __iter__ = __contains__ = _lost

    def item(self) -> Any:
        return self.unknown()

    tolist = item


LISTED = 4096
"""Numbers of an array that are listed one by one although nobody knows them."""


def some_number(dtype: Any, limits: tuple[int, int] | None) -> Unknown:
    """A number of Python's that nobody knows, with one that it may be in this world."""
    if limits is not None:
        return worlds.between(*limits, BY_DATA)
    if dtype.kind == "f":
        return worlds.real(BY_DATA)
    return worlds.number(BY_DATA) if dtype.kind in "iu" else Unknown(BY_DATA)


def is_known(value: Array | Number) -> bool:
    """Whether the numbers of it are the program's."""
    return type(value) is Array and value._memory.known


def forget_numbers(array: Array) -> None:
    """Something is written into it, and nobody knows what or where."""
    for memory in (array._memory, array._memory.of):
        if memory is not None:
            memory.known = False


def value_of(value: Array | Number) -> Any:
    """The real thing, where somebody asks for the numbers. Raises Lost where they are not known."""
    if not is_known(value):
        raise Lost(BY_DATA)
    return value._held


def made(real: Any, known: bool, near: list[Array] | tuple[Array, ...] = ()) -> Array:
    """An array of the program's from a real one, which may be a view of one of those `near`."""
    if real.dtype.kind not in KINDS:
        raise Lost(f"an array of {real.dtype.name}")
    for other in near:
        if real is other._held:
            return other
    if real.base is not None:
        shared = [other for other in near if np.may_share_memory(real, other._memory.root)]
        if len({id(other._memory.root) for other in shared}) > 1:
            raise Lost("a view of one of several long arrays")  # they lie over the same zeros: see `room`
        if shared:
            memory = shared[0]._memory
            same = known == memory.known  # a row of known numbers at an unknown place is not known
            if same:
                return Array(real, memory)
            part = Memory(memory.root, False)
            part.of = memory
            return Array(real, part)
        root = real.base if isinstance(real.base, np.ndarray) and real.base.dtype == real.dtype else real
        return Array(real, Memory(root, known))
    return Array(real, Memory(real, known))


def blank(shape: Any, dtype: Any, strides: Any = None) -> Array:
    """An array of these facts whose numbers nobody knows; `strides` in items."""
    dtype = np.dtype(dtype)
    if strides is None or not math.prod(shape):
        return made(room.zeros(np, shape, dtype), False)
    items = 1 + sum((size - 1) * step for size, step in zip(shape, strides))
    root = room.zeros(np, (items,), dtype)
    held = np.ndarray(tuple(shape), dtype, root, 0, tuple(step * dtype.itemsize for step in strides))
    return Array(held, Memory(root, False))


def number(name: str) -> Number:
    """A number of this dtype that nobody knows."""
    return Number(np.dtype(name))


def item(value: Array) -> Array | Number:
    """What an item of an array is of which nobody knows the place. Raises LookupError where it has none."""
    if not value.ndim or not len(value):
        raise LookupError
    if value.ndim > 1:
        return Array(value._held[0], Memory(value._memory.root, False))
    return Number(value.dtype, value._memory.limits)
