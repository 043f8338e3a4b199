"""Arrays of too many numbers: shapes and strides as `torch._numpy` finds them on fakes, dtypes as numpy does on few."""

from __future__ import annotations

import collections
import math
from collections.abc import Callable
from typing import Any

import torch

from ..unknowns.unknown import NO_SAMPLE, Lost, Unknown
from ..wall import namespaces
from ..worlds import worlds
from .array import Array, Number, blank, np
from .tensors import array_to_tensor, tensor_to_array

FEW = 2**14
"""Numbers that are computed with while nobody would notice."""


def on_fakes(name: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Shapes and strides as `torch._numpy` finds them, dtypes as numpy does. Raises Lost where either fails."""
    instead = _instead(name, function)
    if instead is None:
        raise Lost(f"numpy.{name} is not followed")
    try:
        found = instead(*(_fake(arg) for arg in args), **{key: _fake(item) for key, item in kwargs.items()})
        if name == "__getitem__":
            if isinstance(args[1], tuple) or not args[0]._held.flags.c_contiguous:
                raise Lost("too large an array to follow")
            return blank(tuple(found.shape), args[0].dtype)
        probed = _probed(function, args, kwargs)
    except Lost:
        raise
    except Exception as error:
        raise Lost(f"numpy.{name} on so many numbers") from error
    return _with_dtypes(found, probed, name)


def _instead(name: str, function: Any) -> Any:
    if name == "__getitem__":
        return function
    numpy: Any = namespaces.behind("torch._numpy")
    home = str(getattr(function, "__module__", ""))
    for part in ("linalg", "fft"):
        if part in home:
            return getattr(namespaces.behind(f"torch._numpy.{part}"), name, None)
    if isinstance(function, _METHOD):
        return getattr(numpy.ndarray, name, None)
    return getattr(numpy, name, None)


_METHOD = (type(str.upper), type(int.__add__))


def _fake(value: Any) -> Any:
    """An argument for `torch._numpy`."""
    numpy: Any = namespaces.behind("torch._numpy")
    if type(value) in (Array, Number):
        return numpy.ndarray(array_to_tensor(value))
    if isinstance(value, np.generic):
        return value.item()
    if type(value) is Unknown and value.sample is not NO_SAMPLE:
        worlds.take()
        return value.sample
    if isinstance(value, torch.Tensor):
        return numpy.ndarray(value)
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        return getattr(numpy, np.dtype(value).name)
    if type(value) in (tuple, list):
        return type(value)(_fake(item) for item in value)
    return value


def _probed(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The call on arrays of few numbers: equal sizes stay equal, and so does the order of strides."""
    sizes: dict[int, int] = {0: 0, 1: 1}
    try:
        return function(*(_few(arg, sizes) for arg in args), **{k: _few(v, sizes) for k, v in kwargs.items()})
    except Exception:
        if any(type(arg) is Array and not arg._held.flags.c_contiguous for arg in args):
            raise
        sizes = collections.defaultdict(lambda: 1)
        return function(*(_few(arg, sizes) for arg in args), **{k: _few(v, sizes) for k, v in kwargs.items()})


def _few(value: Any, sizes: dict[int, int]) -> Any:
    """An argument of the same dtype, rank and order of strides as this one, with few numbers."""
    if type(value) is Array:
        shape = tuple(sizes[n] if n in sizes else sizes.setdefault(n, len(sizes)) for n in value.shape)
        order = sorted(range(value.ndim), key=lambda n: -abs(value._held.strides[n]))
        made = np.zeros([shape[n] for n in order], value.dtype).transpose(np.argsort(order).tolist())
        return some_numbers(made)
    if type(value) is Number:
        return value.standing()
    if type(value) is Unknown and value.sample is not NO_SAMPLE:
        return type(value.sample)(1)
    if isinstance(value, torch.Tensor):
        return _few(tensor_to_array(value), sizes)
    if type(value) in (tuple, list):
        return type(value)(_few(item, sizes) for item in value)
    if type(value) is float:
        return math.copysign(1.0, value) if value else value
    return max(-_COUNT, min(value, _COUNT)) if type(value) is int else value


_COUNT = 8


def _in_order(shape: tuple[int, ...], dtype: Any, order: list[int]) -> Array:
    """An array whose numbers lie as densely as they can, with strides in this order."""
    strides, step = [0] * len(shape), 1
    for n in reversed(order):
        strides[n] = step
        step *= max(shape[n], 1)
    return blank(shape, dtype, strides)


def _with_dtypes(found: Any, probed: Any, name: str) -> Any:
    tensor = getattr(found, "tensor", None)
    if tensor is not None and isinstance(probed, (np.ndarray, np.generic)):
        if probed.ndim != tensor.dim():
            raise Lost(f"numpy.{name} on so many numbers")
        if isinstance(probed, np.generic):
            return Number(probed.dtype)
        order = sorted(range(probed.ndim), key=lambda n: -probed.strides[n])
        if probed.size > 1 and not probed.transpose(order).flags.c_contiguous:
            raise Lost(f"numpy.{name} on so many numbers")
        return _in_order(tuple(tensor.shape), probed.dtype, order)
    if isinstance(found, (tuple, list)) and isinstance(probed, (tuple, list)) and len(found) == len(probed):
        items = [_with_dtypes(one, other, name) for one, other in zip(found, probed)]
        return type(probed)(*items) if hasattr(probed, "_fields") else type(probed)(items)
    raise Lost(f"numpy.{name} on so many numbers")


def some_numbers(held: Any) -> Any:
    """An array of the same shape, strides and dtype as this one, short enough to be computed with."""
    if held.dtype.kind not in "fc" or held.size > FEW:
        return held
    filled = np.empty_like(held)
    filled.flat = np.cos(np.arange(held.size) * 1.7)
    return filled
