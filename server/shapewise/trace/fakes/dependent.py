"""Torch functions whose sizes only data decides: nonzero, unique, masks.

Where the value of what goes in is known (see `values`), the size is; else it is the length of the
world that is traced (see `worlds`), so that everything below still has its rank, dtype and the
other dims.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.utils._mode_utils import no_dispatch

from ..unknowns import doubts
from ..unknowns.unknown import Lost
from ..unknowns.values import known, strip
from ..worlds import worlds
from . import validated
from .devices import device_of
from .torchmode import Guard, handles, whole_index

FIRST = "_shapewise_first"
"""On a tensor whose first item is known and no other."""
_MASKS = (torch.bool, torch.uint8)


def _count(mask: torch.Tensor) -> int:
    """How many elements of a mask are true."""
    value = known(mask)
    if value is None:
        return worlds.size(mask)
    with no_dispatch(), torch._C.DisableTorchFunction():
        return int(torch.count_nonzero(value))


def _real(function: Any, *args: Any, **kwargs: Any) -> Any:
    with no_dispatch(), torch._C.DisableTorchFunction():
        return function(*args, **kwargs)


def _placed(guard: Guard, made: Any, like: torch.Tensor) -> Any:
    return guard.put(made, torch.device(device_of(like)))


# ---------------------------------------------------------------- masks as an index


def unmasked(value: torch.Tensor, index: Any, count: Callable[[torch.Tensor], int] = _count) -> Any:
    """An index with integers in place of its masks. Raises torch's IndexError for a mask that does not fit.

    `count`: how many elements of a mask are taken to be true.
    """
    parts = index if isinstance(index, tuple) else (index,)
    if not any(isinstance(part, torch.Tensor) and part.dtype in _MASKS for part in parts):
        return index
    made: list[Any] = []
    dim = 0
    taken = sum(
        part.dim()
        if isinstance(part, torch.Tensor) and part.dtype in _MASKS
        else part is not None and part is not Ellipsis
        for part in parts
    )
    for part in parts:
        if isinstance(part, torch.Tensor) and part.dtype in _MASKS:
            if not part.dim():
                raise Lost("a mask of no dims")
            for offset, size in enumerate(part.shape):
                if dim + offset < value.dim() and size != value.shape[dim + offset]:
                    raise IndexError(
                        f"The shape of the mask {list(part.shape)} at index {offset} does not match the shape of the "
                        f"indexed tensor {list(value.shape)} at index {dim + offset}"
                    )
            taken_here = count(part)
            made.extend(torch.empty((taken_here,), dtype=torch.int64) for _ in part.shape)
            dim += part.dim()
        else:
            made.append(part)
            dim += value.dim() - taken if part is Ellipsis else part is not None
    return tuple(made)


@handles(torch.Tensor.__getitem__)
def _getitem(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    value, index = args
    if type(index) is int and index == 0 and hasattr(value, FIRST):
        return guard.plainly(torch.tensor, (getattr(value, FIRST),), {})
    where = unmasked(value, whole_index(index))
    return _placed(guard, _laid(torch.Tensor.__getitem__(value, where), where), value)


def _laid(taken: Any, where: Any) -> Any:
    """What index tensors take out lies as they do, which fake tensors do not know (measured, torch 2.13)."""
    parts = where if isinstance(where, tuple) else (where,)
    if any(isinstance(part, torch.Tensor) and not part.is_contiguous() for part in parts):
        doubts.may_lie_otherwise(taken)
    return taken


@handles(torch.Tensor.__setitem__)
def _setitem(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    value, index, new = args
    plain = whole_index(index)
    if not isinstance(new, torch.Tensor) or not new.dim():  # whatever is in the masks, its facts stay
        return torch.Tensor.__setitem__(value, unmasked(value, plain, lambda mask: 1), new)
    where = unmasked(value, plain)
    if where is plain:
        return torch.Tensor.__setitem__(value, where, new)
    try:
        return torch.Tensor.__setitem__(value, where, new)
    except (RuntimeError, IndexError):
        if not worlds.used():
            raise
        return torch.Tensor.__setitem__(
            value, where, new.sum().to(value.dtype)
        )  # what it does but for its length


@handles(torch.masked_select, torch.Tensor.masked_select)
def _masked_select(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    value, mask = args[0], kwargs.get("mask", args[1] if len(args) > 1 else None)
    value, mask = torch.broadcast_tensors(torch.atleast_1d(value), mask)
    return _placed(guard, torch.Tensor.__getitem__(value, unmasked(value, mask)), value)


# ---------------------------------------------------------------- where something is


@handles(torch.nonzero, torch.Tensor.nonzero, torch.argwhere, torch.Tensor.argwhere)
def _nonzero(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    value = args[0]
    if kwargs.get("as_tuple"):
        return _places(guard, value)
    real = known(value)
    if real is not None:
        return _fake_like(guard, _real(torch.nonzero, real), value)
    return _placed(guard, torch.empty((value.dim(), _count(value)), dtype=torch.int64).T, value)


def _places(guard: Guard, value: torch.Tensor) -> tuple[Any, ...]:
    count = _count(value)
    every = torch.empty((max(value.dim(), 1), count), dtype=torch.int64).T.unbind(1)
    return tuple(_placed(guard, one, value) for one in every)


@handles(torch.where)
def _where(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if len(args) == 1 and not kwargs:
        return _places(guard, args[0])
    return guard.plainly(torch.where, args, kwargs)


# ---------------------------------------------------------------- what is distinct


def _unique(
    guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any], function: Any, names: tuple[str, ...]
) -> Any:
    value, options = args[0], {**dict(zip(names, args[1:])), **kwargs}
    dim, real = options.get("dim"), known(value)
    if real is not None:
        return _fake_like(guard, _real(function, real, **options), value)
    count = worlds.size()
    if dim is None:
        given = [torch.empty((count,), dtype=value.dtype)]
    else:
        rest = [size for at, size in enumerate(value.shape) if at != dim % value.dim()]
        given = [torch.empty((count, *rest), dtype=value.dtype).movedim(0, dim)]
    if options.get("return_inverse"):
        given.append(torch.empty(value.shape if dim is None else (value.shape[dim],), dtype=torch.int64))
    if options.get("return_counts"):
        given.append(torch.empty((count,), dtype=torch.int64))
    placed = [_placed(guard, one, value) for one in given]
    return placed[0] if len(placed) == 1 else tuple(placed)


def _fake_like(guard: Guard, real: Any, like: torch.Tensor) -> Any:
    if isinstance(real, torch.Tensor):
        made = _placed(guard, torch.empty_strided(tuple(real.shape), real.stride(), dtype=real.dtype), like)
        guard.carry(made, real)
        return made
    return tuple(_fake_like(guard, one, like) for one in real)


@handles(torch.unique, torch.Tensor.unique)
def _distinct(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return _unique(guard, args, kwargs, torch.unique, ("sorted", "return_inverse", "return_counts", "dim"))


@handles(torch.unique_consecutive, torch.Tensor.unique_consecutive)
def _distinct_runs(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return _unique(guard, args, kwargs, torch.unique_consecutive, ("return_inverse", "return_counts", "dim"))


# ---------------------------------------------------------------- parts whose sizes are not known


@handles(torch.split, torch.Tensor.split)
def _split(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Sizes that stand for others add up to anything; one that data decides may be less than a known dim."""
    named = {**dict(zip(("self", "sizes", "dim"), args)), **kwargs}
    sizes, dim = (
        named.get("sizes", kwargs.get("split_size_or_sections", kwargs.get("split_size"))),
        named.get("dim", 0),
    )
    if type(sizes) is int:
        sizes = _in_dim(args[0], sizes, dim)
    try:
        return guard.plainly(torch.Tensor.split, (args[0], sizes), {"dim": dim})
    except RuntimeError:
        made_up = guard.run is not None and guard.run.attempt is not None and not worlds.here().taken
        if made_up or not worlds.used() or not isinstance(sizes, (list, tuple)):
            raise
        total = args[0].shape[dim]
        alike = len(sizes) > 1 and (len(set(sizes)) == 1 or worlds.here().apart is not None)
        likely = worlds.parts(total, len(sizes)) if alike else None
        if likely is not None:  # all of them stand for others
            return guard.plainly(torch.Tensor.split, (args[0], likely), {"dim": dim})
        parts = [args[0].index_select(dim, torch.empty((size,), dtype=torch.int64)) for size in sizes]
        return tuple(_placed(guard, part, args[0]) for part in parts)


@handles(torch.chunk, torch.Tensor.chunk)
def _chunk(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """As many parts as data decides may be less than a known dim has."""
    named = {**dict(zip(("input", "chunks", "dim"), args)), **kwargs}
    if "input" not in named or type(named.get("chunks")) is not int:
        return guard.plainly(torch.chunk, args, kwargs)
    dim = named.get("dim", 0)
    return guard.plainly(
        torch.chunk, (named["input"], _in_dim(named["input"], named["chunks"], dim), dim), {}
    )


def _in_dim(value: torch.Tensor, number: int, dim: int) -> int:
    if not worlds.is_of_given(number) or not -value.dim() <= dim < value.dim():
        return number
    return worlds.in_dim(number, value.shape[dim])


# ---------------------------------------------------------------- how often


@handles(torch.bincount, torch.Tensor.bincount)
def _bincount(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    value = args[0]
    options = {**dict(zip(("weights", "minlength"), args[1:])), **kwargs}
    weights, real = options.get("weights"), known(value)
    if real is not None and weights is None:
        return _fake_like(guard, _real(torch.bincount, real, **options), value)
    dtype = (
        torch.int64 if weights is None else torch.float32 if weights.dtype == torch.float32 else torch.float64
    )
    return _placed(guard, torch.empty((worlds.size(),), dtype=dtype), value)


@handles(torch.repeat_interleave, torch.Tensor.repeat_interleave)
def _repeat_interleave(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    value = args[0]
    options = {**dict(zip(("repeats", "dim"), args[1:])), **kwargs}
    repeats, dim = options.get("repeats"), options.get("dim")
    if not isinstance(repeats, torch.Tensor):
        return guard.plainly(torch.repeat_interleave, args, kwargs)
    real, size = known(repeats), options.get("output_size")
    if size is not None and (real is not None or not isinstance(size, int)):
        return guard.plainly(torch.repeat_interleave, args, kwargs)
    flat = value.flatten() if dim is None else value
    at = 0 if dim is None else dim % value.dim()
    if real is None:
        total = worlds.size() if size is None else size
    else:
        total = int(_real(lambda: real.sum().item())) * (flat.shape[at] if real.numel() == 1 else 1)
    return _placed(guard, flat.index_select(at, torch.empty((total,), dtype=torch.int64)), value)


@handles(torch.nn.functional.one_hot)
def _one_hot(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    value = args[0]
    classes = kwargs.get("num_classes", args[1] if len(args) > 1 else -1)
    if isinstance(classes, torch.Tensor):
        number = known(classes)
        classes = worlds.size() if number is None else int(_real(number.item))
    if type(classes) is not int or classes >= 0:
        made = guard.plainly(torch.nn.functional.one_hot, (value, classes), {})
        return made.contiguous()  # it is filled in, as fake tensors do not
    real = known(value)
    count = worlds.size() if real is None else int(_real(lambda: real.max().item())) + 1
    return _placed(guard, torch.empty((*value.shape, count), dtype=torch.int64), value)


# ---------------------------------------------------------------- a part from anywhere


@handles(torch.narrow, torch.Tensor.narrow)
def _narrow(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Where a part begins is no fact of it."""
    start = args[2] if len(args) > 2 else kwargs.get("start")
    if isinstance(start, torch.Tensor) and known(start) is None:
        args, kwargs = (*args[:2], *(0 for _ in args[2:3]), *args[3:]), {**kwargs}
        if "start" in kwargs:
            kwargs["start"] = 0
    return guard.plainly(torch.narrow, args, kwargs)


# ---------------------------------------------------------------- a tensor's own number


def _number(read: Any) -> Any:
    def handler(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        real = known(args[0])
        if real is not None:
            return _real(read, real)
        asserted = validated.as_asserted() if read is torch.Tensor.__bool__ else None
        return read(args[0]) if asserted is None else asserted

    return handler


for _read in (torch.Tensor.__bool__, torch.Tensor.__int__, torch.Tensor.__float__, torch.Tensor.__index__):
    handles(_read)(_number(_read))
handles(torch.Tensor.item)(_number(torch.Tensor.item))


@handles(torch.Tensor.tolist)
def _tolist(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    real = known(args[0])
    if real is None:
        raise Lost("depends on the data")
    return real.tolist()


@handles(torch.Tensor.requires_grad_)
def _requires_grad(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    strip(args[0])  # a step of an optimizer will change it
    return guard.plainly(torch.Tensor.requires_grad_, args, kwargs)
