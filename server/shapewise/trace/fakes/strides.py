"""Ops whose results fake tensors lay out otherwise than real ones do (measured on permuted inputs, torch 2.13)."""

from __future__ import annotations

from typing import Any

import torch

from ..unknowns import doubts, values
from ..unknowns.unknown import Lost
from .devices import device_of, tensors_in
from .torchmode import Guard, handles

_ELSEWHERE = (
    "floor_divide __floordiv__ __rfloordiv__ div divide true_divide ldexp logaddexp logaddexp2 logical_and logical_or logical_xor "
    "heaviside angle xlogy special_xlogy special_xlog1py channel_shuffle native_channel_shuffle roll"
)
"""Fake tensors give these another stride where an input is not contiguous."""
_NATIVE: Any = torch._C._nn


def _in_doubt(function: Any, always: bool) -> Any:
    def handler(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        result = guard.plainly(function, args, kwargs)
        if isinstance(result, torch.Tensor) and (always or kwargs.get("rounding_mode") is not None):
            if any(one.dim() > 1 and not one.is_contiguous() for one in tensors_in(args)):
                doubts.may_lie_otherwise(result)
        return result

    return handler


for _name in _ELSEWHERE.split():
    for _owner in (torch, torch.Tensor, torch.special):
        _function = getattr(_owner, _name, None)
        if _function is not None:
            handles(_function)(_in_doubt(_function, always="div" not in _name or "floor" in _name))
for _function in (_NATIVE.pad, _NATIVE.max_unpool2d, _NATIVE.max_unpool3d, _NATIVE.log_sigmoid):
    handles(_function)(_in_doubt(_function, always=True))


def _by_its_format(function: Any) -> Any:
    """Channels-last as its input is. In a batch of one the step from item to item tells, which fake tensors have another of
    than real ones after `x + 1`."""

    def handler(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        result = guard.plainly(function, args, kwargs)
        if isinstance(result, torch.Tensor) and result.dim() > 3 and not result.is_contiguous():
            given = [one for one in tensors_in((args, kwargs)) if one.dim() > 3 and one.shape[0] == 1]
            if not all(one.is_contiguous() for one in given):
                doubts.may_lie_otherwise(result)
        return result

    return handler


for _name in "conv2d conv3d conv_transpose2d conv_transpose3d max_pool2d max_pool3d group_norm pixel_shuffle pixel_unshuffle cat".split():
    _function = getattr(torch, _name)
    handles(_function)(_by_its_format(_function))
for _name in (
    "avg_pool2d avg_pool3d adaptive_avg_pool2d adaptive_avg_pool3d upsample_nearest2d upsample_nearest3d upsample_bilinear2d "
    "upsample_bicubic2d upsample_trilinear3d _upsample_nearest_exact2d _upsample_nearest_exact3d"
).split():
    _function = getattr(_NATIVE, _name)
    handles(_function)(_by_its_format(_function))


@handles(torch.batch_norm)
def _batch_norm(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Its output is contiguous, or channels-last as its input is."""
    given, result = args[0], guard.plainly(torch.batch_norm, args, kwargs)
    last = {4: torch.channels_last, 5: torch.channels_last_3d}.get(given.dim())
    if given.is_contiguous() or (last is not None and given.is_contiguous(memory_format=last)):
        return result
    return guard.plainly(torch.Tensor.contiguous, (result,), {})


def _like(function: Any) -> Any:
    """A tensor like another: its dims of size one step as that one's do, too, where the others do."""

    def handler(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        made = guard.plainly(function, args, kwargs)
        given = args[0] if args else kwargs.get("input")
        if kwargs.get("memory_format", torch.preserve_format) is not torch.preserve_format:
            return made
        if not isinstance(given, torch.Tensor) or {given.layout, made.layout} != {torch.strided}:
            return made
        steps, wanted = made.stride(), given.stride()
        if steps == wanted or not made.numel():
            return made
        if any(a != b and size != 1 for a, b, size in zip(steps, wanted, made.shape)):
            return made
        laid = torch.empty_strided(made.shape, wanted, dtype=made.dtype, requires_grad=made.requires_grad)
        return guard.put(laid, torch.device(device_of(made)))

    return handler


for _name in "empty zeros ones full rand randn randint".split():
    _function = getattr(torch, f"{_name}_like")
    handles(_function)(_like(_function))


@handles(torch.tensor_split, torch.Tensor.tensor_split)
def _tensor_split(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if len(args) > 1 and isinstance(args[1], torch.Tensor):
        real = values.known(args[1])
        if real is None:
            raise Lost("where it is split depends on the data")
        args = args[0], real.tolist(), *args[2:]
    return guard.plainly(torch.tensor_split, args, kwargs)


@handles(torch._nested_tensor_from_mask_left_aligned)
def _left_aligned(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether an encoder cuts its padding off: see `torch_classes`."""
    guard.shortened = True
    return False
