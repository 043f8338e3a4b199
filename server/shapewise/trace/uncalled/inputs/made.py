"""How torch makes sizes of those that it is given, in plain steps."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch.nn.modules.utils import _ntuple

CONVOLUTIONS = {f"{kind}{n}d": n for n in (1, 2, 3) for kind in ("conv", "conv_transpose")}
POOLS = {
    f"{prefix}{kind}_pool{n}d": n
    for n in (1, 2, 3)
    for kind in ("max", "avg", "adaptive_avg", "adaptive_max", "lp")
    for prefix in ("", "_")
} | {f"max_pool{n}d_with_indices": n for n in (1, 2, 3)}
TELLING = 10
"""A number up to this may come from anywhere: no made-up size is as small."""
_RESHAPING = frozenset("view reshape flatten unflatten _unsafe_view".split())


def sizes_of(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> list[Any]:
    """How torch computes sizes that differ from those it is given, in plain steps: (name, operands, result)."""
    name = getattr(function, "__name__", "")
    steps: list[Any] = []
    if name in ("cat", "concat", "concatenate") and args and isinstance(args[0], (tuple, list)):
        dim = args[1] if len(args) > 1 else kwargs.get("dim", kwargs.get("axis", 0))
        if all(isinstance(one, torch.Tensor) and one.dim() for one in args[0]) and type(dim) is int:
            parts = [one.shape[dim] for one in args[0]]
            for at in range(1, len(parts)):
                parts[at] = _step(steps, "+", parts[at - 1], parts[at])
    elif args and isinstance(args[0], torch.Tensor):
        if name in CONVOLUTIONS:
            _convolution(name, CONVOLUTIONS[name], args, kwargs, steps)
        elif name in POOLS and "adaptive" not in name and "lp" not in name:
            _pool(name, POOLS[name], args, kwargs, steps)
        elif name.startswith("upsample_") and len(args) > 1 and args[1] is None:  # by a factor
            for size, larger in zip(args[0].shape[2:], result.shape[2:]):
                if size and larger > size and larger % size == 0:
                    _step(steps, "*", size, larger // size)
                elif size > larger > 0 and size // (share := round(size / larger)) == larger and share > 1:
                    _step(steps, "//", size, share)
        elif name in ("unfold", "im2col") and args[0].dim() > 2:
            _unfolded(function, args, kwargs, steps)
        elif name == "__getitem__" and len(args) > 1:
            _sliced(args[0].shape, args[1] if isinstance(args[1], tuple) else (args[1],), steps)
        elif name in ("chunk", "tensor_split") and len(args) > 1 and type(args[1]) is int and args[1] > 1:
            dim = args[2] if len(args) > 2 else kwargs.get("dim", 0)
            _step(steps, "//", args[0].shape[dim], args[1])
        elif name == "pad" and len(args) > 1 and isinstance(args[1], (tuple, list)):
            for size, before, after in zip(args[0].shape[::-1], args[1][::2], args[1][1::2]):
                if type(before) is type(after) is int and before + after > 0:
                    both = _step(steps, "+", before, after) if before > 0 < after else before + after
                    _step(steps, "+", size, both)
        elif name in _RESHAPING and isinstance(result, torch.Tensor):
            _reshaped(args[0].shape, result.shape, steps)
    return steps


def _step(steps: list[Any], name: str, left: Any, right: Any) -> Any:
    value = {"+": left + right, "-": left - right, "*": left * right, "//": left // right if right else 0}[
        name
    ]
    steps.append((name, (left, right), value))
    return value


def windows_of(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
    """How large the windows of a convolution are, how far apart, and what is put around what they go over."""
    given = _of_convolution(name, args, kwargs)
    kernel = given["weight"].shape[2:] if isinstance(given.get("weight"), torch.Tensor) else ()
    return (*kernel, *(given.get(one) for one in ("stride", "padding", "output_padding", "dilation")))


def _of_convolution(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """What a convolution was given, by the names that torch has for it."""
    names: tuple[str, ...] = ("input", "weight", "bias", "stride", "padding", "dilation")
    if name.startswith("conv_transpose"):
        names = ("input", "weight", "bias", "stride", "padding", "output_padding", "groups", "dilation")
    return {**dict(zip(names, args)), **kwargs}


def _convolution(name: str, n: int, args: Any, kwargs: Any, steps: list[Any]) -> None:
    """`(in + 2*padding - dilation*(kernel - 1) - 1)//stride + 1`, as torch's documentation of Conv2d says."""
    given = _of_convolution(name, args, kwargs)
    tuples = _ntuple(n)
    weight = given["weight"]
    stride, dilation = tuples(given.get("stride") or 1), tuples(given.get("dilation") or 1)
    padding = given.get("padding", 0)
    extra = tuples(given.get("output_padding") or 0)
    if isinstance(padding, str):
        return
    padding = tuples(padding)
    for dim in range(n):
        size, kernel = args[0].shape[dim - n], weight.shape[2 + dim]
        s, p, d, e = (one[dim if len(one) > 1 else 0] for one in (stride, padding, dilation, extra))
        if name.startswith("conv_transpose"):
            spread = _step(steps, "*", _step(steps, "-", size, 1), s)
            inner = _step(steps, "-", spread, _step(steps, "*", 2, p))
            reach = _step(steps, "+", inner, _step(steps, "*", d, _step(steps, "-", kernel, 1)))
            _step(steps, "+", _step(steps, "+", reach, e), 1)
        else:
            _window(steps, size, kernel, s, p, d)


def _unfolded(function: Any, args: Any, kwargs: Any, steps: list[Any]) -> None:
    """Windows of a picture in a row, as torch's documentation of Unfold says; those along one dim, as that of `Tensor.unfold`."""
    if function is torch.Tensor.unfold:
        dim, size, step = ({**kwargs, **dict(zip(_OF_UNFOLD, args[1:]))}.get(name) for name in _OF_UNFOLD)
        if type(dim) is type(size) is type(step) is int and step:
            _step(steps, "+", _step(steps, "//", _step(steps, "-", args[0].shape[dim], size), step), 1)
        return
    given = {**dict(zip(("input", "kernel_size", "dilation", "padding", "stride"), args)), **kwargs}
    two = _ntuple(2)
    kernels = two(given["kernel_size"])
    places = [
        _window(steps, size, kernel, stride, padding, dilation)
        for size, kernel, stride, padding, dilation in zip(
            args[0].shape[2:],
            kernels,
            two(given.get("stride", 1)),
            two(given.get("padding", 0)),
            two(given.get("dilation", 1)),
        )
    ]
    functools.reduce(lambda a, b: _step(steps, "*", a, b), places)
    functools.reduce(lambda a, b: _step(steps, "*", a, b), kernels, args[0].shape[1])


_OF_UNFOLD = ("dimension", "size", "step")


def _window(
    steps: list[Any], size: int, kernel: int, stride: int, padding: int, dilation: int, more: int = 0
) -> Any:
    inner = _step(steps, "+", size, _step(steps, "*", 2, padding))
    reach = _step(steps, "*", dilation, _step(steps, "-", kernel, 1))
    span = _step(steps, "-", _step(steps, "-", inner, reach), 1)
    return _step(steps, "+", _step(steps, "//", _step(steps, "+", span, more) if more else span, stride), 1)


def _pool(name: str, n: int, args: Any, kwargs: Any, steps: list[Any]) -> None:
    names: tuple[str, ...] = ("input", "kernel_size", "stride", "padding", "dilation", "ceil_mode")
    if "avg" in name:
        names = ("input", "kernel_size", "stride", "padding", "ceil_mode", "count_include_pad")
    given = {**dict(zip(names, args)), **kwargs}
    tuples = _ntuple(n)
    kernels = tuples(given["kernel_size"])
    strides, paddings = tuples(given.get("stride") or given["kernel_size"]), tuples(given.get("padding") or 0)
    dilations = tuples(given.get("dilation") or 1) if "max" in name else tuples(1)
    for dim in range(n):
        kernel, stride, padding, dilation = (
            one[dim if len(one) > 1 else 0] for one in (kernels, strides, paddings, dilations)
        )
        size, more = args[0].shape[dim - n], 0
        if given.get("ceil_mode"):  # it rounds up, but no window begins behind the end
            more = stride - 1
            last = (size + 2 * padding - dilation * (kernel - 1) - 1 + more) // stride
            if last * stride >= size + padding:
                continue
        _window(steps, size, kernel, stride, padding, dilation, more)


def _sliced(shape: Sequence[int], index: tuple[Any, ...], steps: list[Any]) -> None:
    """`x[:, 2:]`, `x[:, :-1]`, `x[..., left:end]`: what is left of a size."""
    before = tuple(itertools.takewhile(lambda one: one is not ..., index))
    behind = index[len(before) + 1 :]
    dims = sum(one is not None for one in behind)
    for part, sizes in ((before, shape), (behind, shape[len(shape) - dims :])):
        of = iter(sizes)
        for one in part:
            if one is None:
                continue
            size = next(of, None)
            if size is None or not isinstance(one, (slice, int)):
                break
            if isinstance(one, slice):
                _cut(size, one.start or 0, one.stop, one.step or 1, steps)


def _cut(size: int, start: Any, stop: Any, step: Any, steps: list[Any]) -> None:
    """What a slice leaves of a size."""
    if type(step) is int and step > 1 and stop is None and type(start) is int and 0 <= start < size:
        rest = _step(steps, "-", size, start) if start else size
        _step(steps, "//", _step(steps, "+", rest, step - 1), step)
    elif step != 1 or type(start) is not int or start < 0:
        return
    elif start and stop is None:
        _step(steps, "-", size, min(start, size))
    elif type(stop) is int and start and start < stop <= size:
        _step(steps, "-", stop, start)
    elif type(stop) is int and stop < 0:
        rest = _step(steps, "-", size, min(start, size)) if start else size
        _step(steps, "-", rest, min(-stop, rest))


def _reshaped(old: Sequence[int], new: Sequence[int], steps: list[Any]) -> None:
    """Neighbouring dims made one, or one made several: `(b h) n d`, `b n (h d)`."""
    at = to = 0
    while at < len(old) and to < len(new):
        stop, end = at + 1, to + 1
        mine, theirs = old[at], new[to]
        while mine != theirs:
            if mine < theirs and stop < len(old):
                mine, stop = mine * old[stop], stop + 1
            elif mine > theirs and end < len(new):
                theirs, end = theirs * new[end], end + 1
            else:
                return
        if stop - at == end - to == 2:
            _regrouped(old[at:stop], new[to:end], steps)
        elif stop - at > 1 and end - to == 1:
            functools.reduce(lambda a, b: _step(steps, "*", a, b), old[at:stop])
        elif stop - at == 1 and end - to == 2:
            for part, rest in (new[to:end], new[to:end][::-1]):
                if part > 1 and rest > TELLING:
                    _step(steps, "//", mine, part)
        at, to = stop, end


def _regrouped(old: Sequence[int], new: Sequence[int], steps: list[Any]) -> None:
    """`x.view(b * groups, -1)` of `(b, c)`: what the one dim gets more the other has less."""
    (first, second), (more, rest) = old, new
    if first and more % first == 0:
        _step(steps, "//", second, more // first)
    elif more > 1 and second and rest % second == 0:
        _step(steps, "*", second, rest // second)


def too_far(shape: Sequence[int], index: Any) -> Iterator[tuple[int, int]]:
    """Where an index asks for more than there is: `x[:, :n]` and `x[:, -n:]` of fewer than n."""
    for size, part in _each_part(shape, index):
        if isinstance(part, slice):
            for asked in (part.stop, None if part.start is None else -part.start):
                if type(asked) is int and asked > size:
                    yield size, asked


def _each_part(shape: Sequence[int], index: Any) -> Iterator[tuple[int, Any]]:
    """Each dim that an index says something of, with that: `x[..., :n]` says it of the last."""
    parts = [part for part in (index if isinstance(index, tuple) else (index,)) if part is not None]
    at = next((at for at, part in enumerate(parts) if part is ...), len(parts))
    behind = parts[at + 1 :]
    yield from zip(shape, parts[:at])
    yield from zip(shape[len(shape) - len(behind) :], behind)


def cut_at(shape: Sequence[int], index: Any) -> Iterator[tuple[int, int]]:
    """How much there is where an index cuts it, and what it is cut at: `x[:, :n]`, `x[:, -n:]`."""
    for size, part in _each_part(shape, index):
        if isinstance(part, slice):
            first, stop = part.start, part.stop
            if type(stop) is int and stop > 0:
                yield size, stop
            elif stop is None and type(first) is int and first < 0:
                yield size, -first


def asks_for_nothing(args: tuple[Any, ...], not_by_number: bool) -> bool:
    """Whether nothing was asked for: no tensor of the text's own is that small by chance. `not_by_number`: but a number may be."""
    return any(
        (isinstance(arg, torch.Tensor) and 0 in arg.shape)
        or (not not_by_number and arg == 0)
        or (isinstance(arg, (list, tuple)) and not arg)
        for arg in args
        if not isinstance(arg, torch.Tensor) or 0 in arg.shape
    )


def is_cut_at_its_end(args: Sequence[Any]) -> bool:
    """Whether an index leaves nothing since it asks for nothing: `x[:i]` of the first round, `x[i + 1 :]` of the last."""
    if len(args) != 2 or not isinstance(args[0], torch.Tensor):
        return False
    parts = [part for part in (args[1] if isinstance(args[1], tuple) else (args[1],)) if part is not None]
    return any(
        isinstance(part, slice) and (part.stop == 0 or part.start == size)
        for size, part in zip(args[0].shape, parts)
    )


def is_expanded(tensor: Any) -> bool:
    """Whether a dim looks at one place in memory again and again: other sizes decide whether a reshape copies it."""
    return 0 in tensor.stride() and tensor.numel() > 1
