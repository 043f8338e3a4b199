"""Operators, subscripts and methods of arrays and numpy scalars."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import torch

from .. import shims
from ..unknowns.unknown import Lost, Unknown
from ..worlds import worlds
from .array import BY_DATA, Array, Memory, Number, blank, is_known, np
from .compute import compute
from .functions import BINARY, COMPARE, IN_PLACE, KINDS, METHODS, UNARY
from .inputs import Inputs


def _binary(name: str, swapped: bool) -> Any:
    function = getattr(np, name)

    def operate(self: Any, other: Any) -> Any:
        if isinstance(other, torch.Tensor):
            return _with_tensor(self, other, function, name, swapped)
        operands = (other, self) if swapped else (self, other)
        result = compute(name, function, "ufunc", operands, {})
        if type(result) is Number and type(self) is Number:
            result._sample = _sample_of(function, operands)
            result._plain = _plain_of(function, operands)
        return result

    return operate


def _sample_of(function: Any, operands: tuple[Any, ...]) -> Any:
    """What numbers of this world come to, so that `i` and `i + 32` stay 32 apart; None where one has none."""
    numbers = [operand.unknown() if type(operand) is Number else operand for operand in operands]
    plain = [number.sample if type(number) is Unknown else number for number in numbers]
    plain = [number.item() if isinstance(number, np.generic) else number for number in plain]
    if (
        function in (np.remainder, np.floor_divide)
        or function in _WRAPS
        or not all(type(n) in (int, float) for n in plain)
    ):
        return None
    with np.errstate(all="ignore"):
        made = function(*plain)
        return made.item() if isinstance(made, np.generic) else made


def _plain_of(function: Any, operands: tuple[Any, ...]) -> Any:
    """A number of the type that Python's own numbers give, where every operand may be one."""
    plain = [operand._plain if type(operand) is Number else operand for operand in operands]
    if not all(type(number) in (int, float) for number in plain):
        return None
    made = function(*plain)
    return made.item() if isinstance(made, np.generic) else made


_WRAPS = (operator.mod, operator.imod, operator.floordiv, operator.ifloordiv)
"""What does not keep numbers apart."""


def _with_tensor(self: Any, other: torch.Tensor, function: Any, name: str, swapped: bool) -> Any:
    """A tensor beside a numpy scalar takes it for a number of Python's, a truth value for a float; beside an array it is one
    (measured, numpy 2.4).

    An array on the left of a tensor is refused by some versions of both: not known.
    """
    if type(self) is Number:
        plain = {"b": 1.0, "i": 1, "u": 1, "f": 1.0, "c": 1j}[self.dtype.kind]
        operate = _PLAIN[name]
        return operate(other, plain) if swapped else operate(plain, other)
    if swapped and name not in COMPARE.values():
        return compute(name, function, "ufunc", (other, self), {})
    raise Lost("an array beside a tensor")


def _in_place(name: str) -> Any:
    function = getattr(np, name)

    def operate(self: Any, other: Any) -> Any:
        if isinstance(other, torch.Tensor):
            raise Lost("an array beside a tensor")
        if type(self) is Array and type(other) is Array and name != "matmul":
            _fits_in_place(self, other, function)
        result = compute(name, function, "ufunc", (self, other), {})
        if not isinstance(self, Array):
            return result
        if not np.can_cast(result.dtype, self.dtype, "same_kind"):
            raise TypeError(
                f"Cannot cast ufunc '{name}' output from dtype('{result.dtype}') to dtype('{self.dtype}') with casting rule 'same_kind'"
            )
        _written(self, lambda held, value: operator.setitem(held, ..., value), result)
        return self

    return operate


def _unary(name: str) -> Any:
    function = getattr(np, name)

    def operate(self: Any) -> Any:
        return compute(name, function, "ufunc", (self,), {})

    return operate


def _getitem(self: Any, index: Any) -> Any:
    if type(self) is not Array:
        raise IndexError("invalid index to scalar variable.")
    inputs = Inputs()
    inputs.real(index)
    basic = all(
        item is None or item is Ellipsis or isinstance(item, (int, slice, np.integer, Number))
        for item in (index if isinstance(index, tuple) else (index,))
    )
    if inputs.unknown and any(array.dtype == np.bool_ and not array._memory.known for array in inputs.arrays):
        if type(index) is not Array or index.shape != self.shape[: index.ndim]:
            raise Lost(BY_DATA)
        return blank((worlds.size(), *self.shape[index.ndim :]), self.dtype)
    return compute("__getitem__", operator.getitem, "view" if basic else "index", (self, index), {})


def _setitem(self: Any, index: Any, value: Any) -> None:
    if type(self) is not Array:
        raise TypeError("a numpy scalar does not support item assignment")
    inputs = Inputs()
    try:
        where, new = inputs.real(index), inputs.real(value)
    except Lost:
        self._memory.known = False
        return
    if inputs.unknown or inputs.tensors or _is_open(index):
        self._memory.known = False
    _fits(self, where, new)
    _written(self, lambda held, value: operator.setitem(held, where, value), new)


def _is_open(index: Any) -> bool:
    """Whether nobody knows which place this is."""
    if type(index) is slice:
        return any(map(_is_open, (index.start, index.stop, index.step)))
    return any(map(_is_open, index)) if type(index) is tuple else type(index) in (Number, Unknown)


def _like(array: Array) -> Any:
    """An array of the same shape and dtype that is one number in memory."""
    return np.lib.stride_tricks.as_strided(np.zeros(1, array.dtype), array.shape, (0,) * array.ndim)


def _fits_in_place(array: Array, other: Array, function: Any) -> None:
    """Raise what numpy raises where the result would not fit into the array."""
    try:
        fits = np.broadcast_shapes(array.shape, other.shape) == array.shape
    except ValueError:
        fits = False
    if not fits:
        like = _like(array)
        function(like, _like(other), out=like)


def _fits(array: Array, where: Any, new: Any) -> None:
    """Raise what numpy raises where what is written has a shape that does not fit; nothing is written.

    Places that an unknown mask picks are as many as it says.
    """
    shape = np.shape(new)
    places = where if isinstance(where, tuple) else (where,)
    if any(np.asarray(place).dtype == np.bool_ for place in places if not isinstance(place, slice)):
        return
    like = _like(array)
    room = np.shape(like[where])
    more = max(len(shape) - len(room), 0)
    try:
        fits = shape[:more] == (1,) * more and np.broadcast_shapes(room, shape[more:]) == room
    except ValueError:
        fits = False
    if not fits:
        like[where] = np.broadcast_to(np.zeros((), np.asarray(new).dtype), shape)


def beside_unknown(name: str, function: Any, operands: list[Any]) -> Any:
    """An operator on arrays or numpy scalars and numbers of Python's that nobody knows; None where it is no such."""
    if not _is_numpys(operands[0]) and (name == "[]" or not _is_numpys(operands[-1])):
        return None
    if name == "[]":
        return _getitem(operands[0], _numbered(operands[1])) if type(operands[0]) is Array else None
    plain = [_plain_number(operand) for operand in operands]
    if any(type(operand) is Unknown for operand in plain):
        return None
    if name.endswith("=") and (type(operands[0]) is Array or name in _COMPARES):
        return None
    result = function(*plain)
    if type(result) is Array:
        result._memory.known = False
    if not isinstance(result, np.generic):
        return result
    made = Number(result.dtype)
    if made.dtype.kind in "iuf":
        made._sample = _sample_of(function, tuple(operands))
    return made


_COMPARES = frozenset(("==", "!=", "<=", ">="))


def _is_numpys(operand: Any) -> bool:
    return type(operand) in (Array, Number) or isinstance(operand, np.generic)


def _plain_number(operand: Any) -> Any:
    if type(operand) is Unknown and type(operand.sample) in (int, float):
        return type(operand.sample)(1)
    return operand


def _numbered(index: Any) -> Any:
    """An index with an undecided number in place of each unknown integer."""
    if type(index) is tuple:
        return tuple(_numbered(part) for part in index)
    if type(index) is Unknown and type(index.sample) is int:
        return Number(np.dtype(np.int64))
    return index


def _written(array: Array, write: Callable[[Any, Any], None], value: Any) -> None:
    """A write into an array. Done where it is known; else, and where it is taken back later, nobody knows its numbers."""
    env = shims.here()
    if type(value) in (Array, Number):
        known, value = is_known(value), value._held
        array._memory.known &= known
    if env is None:
        array._memory.known = False
    else:
        env.run.journal.note_numbers(array._memory, _NUMBERS)
    array._memory.written += 1
    if array._memory.of is not None:
        array._memory.of.known = False
    if array._memory.known:
        write(array._held, value)


class _Numbers:
    """The numbers of an array, as the journal knows them."""

    def writes(self, memory: Memory) -> int:
        """How often they were written."""
        return memory.written

    def void(self, memory: Memory) -> None:
        """They are not known any more."""
        memory.known = False


_NUMBERS = _Numbers()


def _changes(name: str) -> Any:
    def method(self: Any, *args: Any, **kwargs: Any) -> None:
        if type(self) is not Array:
            raise Lost(f"{name} is not followed")
        self._memory.known = False

    method.__name__ = method.__qualname__ = name
    return method


def _resize(self: Any, *shape: Any, refcheck: Any = True) -> None:
    """`a.resize(shape)`: in place, in memory of its own."""
    if type(self) is not Array:
        raise Lost("resize is not followed")
    new = blank(shape[0] if len(shape) == 1 else shape, self.dtype)
    self._held, self._memory = new._held, new._memory


def _rounded(self: Any, digits: Any = None) -> Any:
    """`round(number)`: an integer of Python's; with digits a numpy scalar as it is."""
    if digits is not None:
        return self.round(digits)
    return self.unknown() if self.dtype.kind in "iu" else worlds.number(BY_DATA)


def _method(name: str) -> Any:
    kind = KINDS[name]

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        function = getattr(np.ndarray if type(self) is Array else np.generic, name)
        return compute(name, function, kind, (self, *args), kwargs)

    method.__name__ = method.__qualname__ = name
    return method


_PLAIN = {
    **{
        name: getattr(operator, short if short not in ("and", "or") else f"{short}_")
        for short, name in BINARY.items()
    },
    **{name: getattr(operator, short) for short, name in COMPARE.items()},
}


def install() -> None:
    """Give both classes their operators and methods."""
    for kind in (Array, Number):
        for short, name in BINARY.items():
            setattr(kind, f"__{short}__", _binary(name, False))
            setattr(kind, f"__r{short}__", _binary(name, True))
            setattr(kind, f"__i{short}__", _in_place(name))
        for short, name in COMPARE.items():
            setattr(kind, f"__{short}__", _binary(name, False))
        for short, name in UNARY.items():
            setattr(kind, f"__{short}__", _unary(name))
        setattr(kind, "__getitem__", _getitem)  # noqa: B010 (mypy)
        setattr(kind, "__setitem__", _setitem)  # noqa: B010
        for name in METHODS:
            if hasattr(np.ndarray, name):
                setattr(kind, name, _method(name))
        for name in IN_PLACE:
            setattr(kind, name, _changes(name))
        setattr(kind, "resize", _resize)  # noqa: B010
    setattr(Number, "__round__", _rounded)  # noqa: B010
