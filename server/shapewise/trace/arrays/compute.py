"""What numpy makes of arrays: numpy itself says so, on numbers that are known or on zeros.

- All numbers known: the real call, and the result is known.
- Some not known: the real call on zeros of the same shapes. Its shape, dtype, strides and memory hold
  for any numbers, unless the function is one where they decide (`SHAPE_BY_DATA`).
- Too many numbers to compute with: `torch._numpy` on fake tensors gives the shape and strides, and
  numpy, on one number in place of each array, the dtype.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from ..unknowns.unknown import Lost
from ..worlds import worlds
from . import room
from .array import BY_DATA, KINDS, KNOWN, Array, Number, blank, made, np
from .functions import ALL, COUNTS, DATA, DATA_KEYS, FITS, SHAPE_BY_DATA
from .inputs import Inputs
from .numberless import FEW, on_fakes
from .tensors import array_to_tensor

MANY = 2**20
"""Numbers that are computed with where there is no other way."""
APART: dict[type, Callable[..., Any]] = {}
"""Types that numpy's functions treat in a way of their own: what one of them gives for such an argument."""


def compute(
    name: str, function: Callable[..., Any], kind: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """`function(*args, **kwargs)`, one of numpy's, which goes by this name and is of this kind."""
    if APART:
        for arg in args:
            if type(arg) in APART:
                return APART[type(arg)](name, function, kind, args, kwargs)
    inputs = Inputs(filled=kind == "heavy")
    if kind == "ufunc" and len(args) > function.nin:  # type: ignore[attr-defined]
        args, kwargs = args[:-1], {**kwargs, "out": args[-1]}
    given, named = _arguments(name, kind, inputs, args, kwargs)
    out = named.pop("out", None)
    with np.errstate(all="ignore"):
        result = _computed(name, function, kind, inputs, given, named, args, kwargs)
    if inputs.tensors and kind == "ufunc":
        return _as_tensor(result)
    _keep_limits(name, inputs, result)
    if any(array._memory.unlaid for array in inputs.arrays) and not _lays(name, function, args, kwargs):
        _unlay(result)
    if out is not None and type(kwargs.get("out")) is Array:
        kwargs["out"]._memory.known = False
        return kwargs["out"]
    return result


def _lays(name: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether what comes out lies row by row, whatever went in: `a.copy()` does, `np.copy(a)` lies as `a` does."""
    return name == "ascontiguousarray" or (function is np.ndarray.copy and len(args) == 1 and not kwargs)


def _unlay(result: Any) -> None:
    """What is made of arrays of which nobody knows how they lie in memory may lie as they do."""
    if type(result) is Array:
        result._memory.unlaid |= result.ndim > 1
    elif isinstance(result, (tuple, list)):
        for one in result:
            _unlay(one)


_SHARING = ("shares_memory", "may_share_memory")
_KEEP = frozenset(
    "__getitem__ astype copy flatten reshape ravel transpose squeeze swapaxes take repeat tile sort roll flip max min "
    "array asarray concatenate stack expand_dims choice unique".split()
)
"""Functions that move numbers about and make no new ones."""


def _keep_limits(name: str, inputs: Inputs, result: Any) -> None:
    """The lowest and the highest that the integers of a result can be, as far as they follow."""
    first = inputs.arrays[0] if inputs.arrays else None
    if first is None:
        return
    if name in ("argmax", "argmin"):
        limits: tuple[int, int] | None = (0, max(first.size - 1, 0))
    elif name in _KEEP and all(array._memory.limits == first._memory.limits for array in inputs.arrays):
        limits = first._memory.limits
    else:
        return
    if type(result) is Number:
        result._limits = limits
    elif type(result) is Array and not result._memory.known and result._memory.limits is None:
        result._memory.limits = limits


def _arguments(
    name: str, kind: str, inputs: Inputs, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """The real arguments. Raises Lost where one that decides the shape is not known."""
    data = ALL if kind == "ufunc" else DATA.get(name, 1)
    count = len(args) if data == ALL else data
    count = COUNTS.get(name, count)
    given = [inputs.real(arg) for arg in args[:count]]
    named = {key: inputs.real(value) for key, value in kwargs.items() if key in DATA_KEYS or key == "out"}
    arrays = len(inputs.arrays)
    inputs.exact = True
    for position, arg in enumerate(args[count:], count):
        inputs.exact = not (name == "full" and position == 1)
        given.append(inputs.real(arg))
    inputs.exact = True
    named |= {key: inputs.real(value) for key, value in kwargs.items() if key not in named}
    if any(not array._memory.known for array in inputs.arrays[arrays:]):
        raise Lost(BY_DATA)
    dtype = named.get("dtype")
    if dtype is not None and np.dtype(dtype).kind not in KINDS:
        raise Lost(f"an array of {np.dtype(dtype).name}")
    return given, named


def _computed(
    name: str,
    function: Callable[..., Any],
    kind: str,
    inputs: Inputs,
    given: list[Any],
    named: dict[str, Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    if inputs.unknown and (name in SHAPE_BY_DATA or (name == "where" and len(args) == 1)):
        if name == "unique" and len(args) == 1 and kwargs:
            return _uniques(inputs, named)
        return _sized_by_data(name, inputs, len(args) == 1 and not kwargs)
    if name in _SHARING and len({id(array._memory.root) for array in inputs.arrays}) > 1:
        return False  # their stand-ins may lie over the same zeros: see `room`
    if name == "reshape" and (shape := _shape_that_fits(inputs, given)) is not None:
        return blank(shape, inputs.arrays[0].dtype)
    if kind == "asked":
        return _handed(function(*given, **named), True, inputs)
    if kind == "filled":
        return _filled(name, inputs, given, named)
    if _work(name, kind, inputs, given, named) <= FEW * 4:
        try:
            return _handed(function(*given, **named), not inputs.unknown, inputs)
        except (Lost, MemoryError):
            raise
        except Exception as error:
            if not inputs.unknown or _is_certain(name, kind, error):
                raise
    try:
        return on_fakes(name, function, args, kwargs)
    except Lost:
        if _work(name, kind, inputs, given, named) > MANY:
            raise
    try:
        return _handed(function(*given, **named), not inputs.unknown, inputs)
    except Lost:
        raise
    except Exception as error:
        if _is_certain(name, kind, error):
            raise
        raise Lost(f"numpy.{name} on numbers that are not known") from error


def _is_certain(name: str, kind: str, error: Exception) -> bool:
    """Whether numpy refuses shapes and dtypes, whatever the numbers are."""
    if isinstance(error, np.linalg.LinAlgError):
        return "dimension" in str(error)
    if kind in ("ufunc", "view"):
        return isinstance(error, (ValueError, TypeError, IndexError))
    return isinstance(error, ValueError) and (name in FITS or type(error).__name__ == "AxisError")


def _shape_that_fits(inputs: Inputs, given: list[Any]) -> tuple[int, ...] | None:
    """The shape that an array takes whose sizes stand for others, where they themselves do not fit."""
    if len(inputs.arrays) != 1 or not any(map(worlds.is_given, inputs.arrays[0].shape)):
        return None
    sizes = given[1] if len(given) == 2 and isinstance(given[1], (tuple, list)) else given[1:]
    if not sizes or not all(type(size) is int for size in sizes) or sizes.count(-1) > 1:
        return None
    rest, count = math.prod(size for size in sizes if size >= 0), inputs.arrays[0].size
    if (rest and count % rest == 0) if -1 in sizes else rest == count:
        return None
    return tuple(worlds.size() if size == -1 else size for size in sizes)


def _sized_by_data(name: str, inputs: Inputs, alone: bool) -> Any:
    """An array whose length nobody knows: it has that of this world."""
    if len(inputs.arrays) != 1 or not alone:
        raise Lost(BY_DATA)
    array = inputs.arrays[0]
    dims, size = max(array.ndim, 1), worlds.size()
    if name in ("nonzero", "where"):
        return tuple(blank((size,), np.intp, (dims,)) for _ in range(dims))
    if name == "argwhere":
        return blank((size, dims), np.intp, (1, max(size, 1)))
    if name in ("flatnonzero", "bincount"):
        return blank((size,), np.intp)
    if name in ("unique", "unique_values"):
        return blank((size,), array.dtype)
    raise Lost(BY_DATA)


UNIQUE_WITH = ("return_index", "return_inverse", "return_counts")


def _uniques(inputs: Inputs, named: dict[str, Any]) -> tuple[Array, ...]:
    """`unique` of a row, with what is asked for by name: the number of each has the row's length."""
    array = inputs.arrays[0]
    if set(named) - {*UNIQUE_WITH} or array.ndim != 1 or not any(value is True for value in named.values()):
        raise Lost(BY_DATA)
    size = worlds.size()
    return (blank((size,), array.dtype), *beside_uniques(size, len(array), named))


def beside_uniques(size: int, length: int, named: dict[str, Any]) -> list[Array]:
    """What `unique` gives beside the values, `size` of `length`, that are there: the numbers that are asked for by name."""
    lengths = {"return_index": size, "return_inverse": length, "return_counts": size}
    return [blank((lengths[name],), np.intp) for name in UNIQUE_WITH if named.get(name) is True]


def _work(name: str, kind: str, inputs: Inputs, given: list[Any], named: dict[str, Any]) -> float:
    """About how many numbers a call computes."""
    sizes = [array.size for array in inputs.arrays]
    if kind == "view":
        copied = name in ("reshape", "ravel", "ascontiguousarray", "asfortranarray")
        return sum(a.size for a in inputs.arrays if not a._held.flags.c_contiguous) if copied else 0
    if kind == "ufunc":
        try:
            return math.prod(np.broadcast_shapes(*(np.shape(item) for item in given)))
        except ValueError:
            return 0  # and numpy will say so
    if kind == "index":
        return _picked(inputs.arrays[0], given[1])
    if name == "arange":
        return _length(given, named)
    settings = math.prod(_whole([*given, *named.values()]))
    if kind == "linear":
        return (sum(sizes) + 1) * settings
    return (math.prod(max(size, 1) for size in sizes) * settings) ** 2 / 64


def _picked(array: Array, index: Any) -> float:
    """About how many numbers an index of arrays picks."""
    items = [item for item in (index if isinstance(index, tuple) else (index,)) if item is not None]
    if Ellipsis in [item for item in items if not isinstance(item, (np.ndarray, list))]:
        return array.size * max((np.size(item) for item in items), default=1)
    rows, rest = 1, array.size
    for size, item in zip(array.shape, items):
        if isinstance(item, (np.ndarray, list)):
            rest //= max(size, 1)
            rows = max(rows, np.size(item))
            if np.asarray(item).dtype == np.bool_:
                return array.size
    return rows * rest


def _length(given: list[Any], named: dict[str, Any]) -> float:
    bounds = [*given[:3]]
    start, stop, step = [0, *bounds, 1] if len(bounds) == 1 else [*bounds, 1][:3] if bounds else [0, 0, 1]
    start, stop, step = (named.get(k, v) for k, v in (("start", start), ("stop", stop), ("step", step)))
    return abs((stop - start) / step) if step else 0


def _whole(values: list[Any], depth: int = 4) -> list[int]:
    """The integers among arguments that are no data."""
    found: list[int] = []
    for value in values:
        if isinstance(value, (int, np.integer)) and abs(value) > 1:
            found.append(abs(int(value)))
        elif isinstance(value, float) and abs(value) > 1e6:
            found.append(int(min(abs(value), 1e18)))
        elif isinstance(value, (tuple, list)) and depth and len(value) < 8:
            found += _whole(list(value), depth - 1)
        elif isinstance(value, slice):  # of numpy.mgrid and numpy.r_
            step = abs(value.step or 1)
            found += [int(1 / step)] if 0 < step < 1 else []
            found += _whole([value.start, value.stop, step], depth - 1)
    return found


def _filled(name: str, inputs: Inputs, given: list[Any], named: dict[str, Any]) -> Any:
    """`zeros`, `ones`, `empty`, `full`: however large."""
    values = (
        dict(zip(("shape", "fill_value", "dtype") if name == "full" else ("shape", "dtype"), given)) | named
    )
    shape = values["shape"]
    shape = tuple(shape) if isinstance(shape, (tuple, list)) or getattr(shape, "ndim", False) else (shape,)
    dtype, fill = values.get("dtype"), values.get("fill_value")
    if dtype is None:
        dtype = np.array(fill).dtype if name == "full" else np.dtype(float)
    items = math.prod(int(size) for size in shape)
    order = values.get("order") or "C"
    if items > KNOWN or inputs.unknown or name == "empty":
        return made(room.zeros(np, shape, np.dtype(dtype), order), False)
    if name == "full":
        return made(np.full(shape, fill, dtype, order), True)
    return made(getattr(np, name)(shape, dtype, order), True)


def _handed(result: Any, known: bool, inputs: Inputs) -> Any:
    """A result of numpy's on its way into the program."""
    kind = type(result)
    if kind is np.ndarray:
        return made(result, known, inputs.arrays)
    if isinstance(result, np.generic):
        if result.dtype.kind not in KINDS:
            raise Lost(f"a {result.dtype.name} of numpy's")
        return result if known else Number(result.dtype)
    if isinstance(result, (tuple, list)):
        items = [_handed(item, known, inputs) for item in result]
        return kind(*items) if hasattr(result, "_fields") else kind(items)
    if result is None or isinstance(result, (np.dtype, type)) or kind.__name__ in ("finfo", "iinfo"):
        return result
    if kind in (int, float, bool, complex) and known:
        return result
    raise Lost(BY_DATA)


def _as_tensor(result: Any) -> Any:
    """A ufunc that is given a tensor gives one (`Tensor.__array_wrap__`)."""
    tensor = array_to_tensor(result)
    if tensor is None:
        raise Lost("numpy on a tensor")
    return tensor.to(torch.uint8) if tensor.dtype == torch.bool else tensor
