"""From arrays to tensors and back: both over one memory, as `torch.from_numpy` and `Tensor.numpy` do."""

from __future__ import annotations

import functools
from typing import Any

import torch
from torch.utils._mode_utils import no_dispatch

from .. import shims
from ..fakes.devices import device_of, spoken
from ..unknowns import doubts, values
from ..unknowns.unknown import Lost
from ..worlds import worlds
from . import room
from .array import Array, Memory, Number, np

_NEGATIVE = (
    "At least one stride in the given numpy array is negative, and tensors with negative strides are not "
    "currently supported. (You can probably work around this by making a copy of your array  with array.copy().) "
)
_SUPPORTED = frozenset(
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
)


def array_to_tensor(value: Any) -> Any:
    """The tensor over an array's memory, a new one for a numpy scalar of unknown value, None for anything else.

    Raises what torch raises of an array that no tensor can stand for.
    """
    if type(value) is Array:
        return _of_array(value)
    if type(value) is Number:
        stands = value.standing()
        return (
            torch.tensor(stands)
            if stands is value._plain
            else torch.empty((), dtype=torch_dtype(value.dtype))
        )
    return None


def _of_array(array: Array) -> torch.Tensor:
    made = _over(array)
    if array._memory.unlaid:
        doubts.may_lie_otherwise(made)
    return made


def _over(array: Array) -> torch.Tensor:
    held, memory = array._held, array._memory
    dtype = torch_dtype(held.dtype)
    if any(step < 0 for step in held.strides):
        raise ValueError(_NEGATIVE)
    if any(step % held.itemsize for step in held.strides):
        raise ValueError(
            "given numpy array strides not a multiple of the element byte size. Copy the numpy array to reallocate the memory."
        )
    strides = tuple(step // held.itemsize for step in held.strides)
    root = memory.root
    if root.dtype != held.dtype or not root.flags.forc:
        return torch.empty_strided(held.shape, strides, dtype=dtype)
    if memory.tensor is None:
        memory.tensor = torch.empty(root.size, dtype=dtype)
    offset = (held.ctypes.data - root.ctypes.data) // held.itemsize if held.size else 0
    with torch.no_grad():
        made = torch.as_strided(memory.tensor, held.shape, strides, offset)
    if memory.limits is not None and not memory.known and held.dtype.kind in "iu":
        with no_dispatch(), torch._C.DisableTorchFunction():
            values.carry(made, torch.tensor(worlds.within(*memory.limits), dtype=dtype), whole=False)
        env = shims.here()
        if env is not None:
            env.run.guard.valued = True
    return made


def of_unknown(index: Any) -> Any:
    """An index of a tensor, with a tensor in place of each array of unknown numbers: torch would read them one by one.

    Raises what `array_to_tensor` raises.
    """
    if type(index) is tuple:
        return tuple(map(of_unknown, index))
    return array_to_tensor(index) if type(index) is Array and not index._memory.known else index


def shared(array: Any, tensor: torch.Tensor) -> torch.Tensor:
    """The tensor over an array's memory, given out: what is written through it, the array does not see."""
    if type(array) is Array:
        array._memory.known = False
    return tensor


def stacked(items: Any) -> torch.Tensor | None:
    """The tensor that torch makes of nested lists with arrays or tensors in them, or None if there are none.

    Its dtype is that to which all are promoted; a number of Python's counts as torch's default of its kind.
    """
    if not _has_array(items):
        return None
    dtypes: list[torch.dtype] = []
    shape = _shape_of(items, dtypes, 0)
    return torch.empty(shape, dtype=functools.reduce(torch.promote_types, dict.fromkeys(dtypes)))


_DEEP = 16


def _has_array(items: Any, depth: int = 3) -> bool:
    return any(
        type(item) in (Array, Number)
        or isinstance(item, torch.Tensor)
        or (depth and isinstance(item, (list, tuple)) and _has_array(item, depth - 1))
        for item in items[:LISTED]
    )


def _shape_of(value: Any, dtypes: list[torch.dtype], depth: int) -> tuple[int, ...]:
    if type(value) is Number:
        value = value.standing()
    if type(value) is Array or (np is not None and isinstance(value, np.generic)):
        dtypes.append(torch_dtype(value.dtype))
        return tuple(value.shape)
    if isinstance(value, torch.Tensor):
        if value.numel() != 1 and worlds.is_given(value.numel()):
            raise Lost("a tensor made of tensors of nobody knows which sizes")
        if value.numel() != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        dtypes.append(value.dtype)
        return ()
    if isinstance(value, (list, tuple)):
        if depth > _DEEP or len(value) > LISTED:
            raise Lost("too long a list to follow")
        inner = {_shape_of(item, dtypes, depth + 1) for item in value}
        if len(inner) > 1:
            raise ValueError("expected sequence of equal lengths")
        return (len(value), *(inner.pop() if inner else ()))
    if type(value) in _PLAIN_DTYPES:
        dtypes.append(_PLAIN_DTYPES[type(value)] or torch.get_default_dtype())
        return ()
    raise Lost("a tensor made of a list of arrays and more")


LISTED = 10_000
_PLAIN_DTYPES = {bool: torch.bool, int: torch.int64, float: None}


def on_arrays(function: Any) -> Any:
    """A function of tensors that gives arrays for arrays, as einops does."""

    def call(first: Any, *args: Any, **kwargs: Any) -> Any:
        if type(first) is Array:
            return tensor_to_array(function(array_to_tensor(first), *args, **kwargs))
        if isinstance(first, list) and first and all(type(item) is Array for item in first):
            return tensor_to_array(function([array_to_tensor(item) for item in first], *args, **kwargs))
        return function(first, *args, **kwargs)

    call.__name__ = call.__qualname__ = function.__name__
    return call


def torch_dtype(dtype: Any) -> torch.dtype:
    """torch's dtype for one of numpy's. Raises torch's own TypeError where there is none."""
    if dtype.name not in _SUPPORTED or not hasattr(torch, dtype.name):
        raise TypeError(
            f"can't convert np.ndarray of type {dtype.type.__module__}.{dtype.type.__name__}. The only supported types are: "
            "float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, uint8, and bool."
        )
    return getattr(torch, dtype.name)


def tensor_to_array(tensor: torch.Tensor) -> Array:
    """`tensor.numpy()`: an array over the tensor's memory, whose numbers nobody knows."""
    if np is None:
        raise Lost("numpy is not installed")
    if (home := device_of(tensor)) != "cpu":
        raise spoken(
            TypeError,
            f"can't convert {home} device type tensor to numpy. "
            "Use Tensor.cpu() to copy the tensor to host memory first.",
        )
    name = str(tensor.dtype).removeprefix("torch.")
    if name not in _SUPPORTED:
        raise TypeError(f"Got unsupported ScalarType {_SCALAR_TYPES.get(name, name)}")
    dtype = np.dtype(name)
    if doubts.of(tensor):
        raise Lost("an array of a tensor in doubt")
    strides, offset = tensor.stride(), tensor.storage_offset()
    last = (
        offset + sum((size - 1) * step for size, step in zip(tensor.shape, strides)) if tensor.numel() else 0
    )
    root = room.zeros(np, (last + 1,), dtype)
    held = np.ndarray(
        tuple(tensor.shape),
        dtype,
        root,
        offset * dtype.itemsize if tensor.numel() else 0,
        tuple(step * dtype.itemsize for step in strides),
    )
    memory = Memory(root, False)
    with torch.no_grad():
        memory.tensor = tensor.detach()
    return Array(held, memory)


_SCALAR_TYPES = {"bfloat16": "BFloat16", "float8_e4m3fn": "Float8_e4m3fn", "float8_e5m2": "Float8_e5m2"}
