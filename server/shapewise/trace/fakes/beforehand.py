"""What some functions of torch say of their tensors' devices before any op is run (`across` sees the ops)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.nn import functional

from ..arrays import array_to_tensor
from . import torch_versions
from .devices import CPU, DeviceMismatch, tensors_in, two_devices, where

Check = Callable[[tuple[Any, ...], dict[str, Any]], None]
_CHECKS: dict[Any, Check] = {}
_NATIVE: Any = torch._C._VariableFunctions


def refuse(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raises DeviceMismatch in the function's own words."""
    check = _CHECKS.get(func)
    if check is not None:
        check(args, kwargs)


def _before(*functions: Any) -> Callable[[Check], Check]:
    def register(check: Check) -> Check:
        _CHECKS.update(dict.fromkeys(functions, check))
        return check

    return register


def _argument(args: tuple[Any, ...], kwargs: dict[str, Any], at: int, name: str) -> Any:
    return args[at] if at < len(args) else kwargs.get(name)


def _same(first: Any, second: Any, name: str, method: str) -> None:
    """Two arguments of an op that a stand-in of ours does not run."""
    if isinstance(first, torch.Tensor) and isinstance(second, torch.Tensor) and where(first) != where(second):
        raise DeviceMismatch(torch_versions.differs(name, where(second), where(first), method))


# ---------------------------------------------------------------- layers


@_before(_NATIVE.lstm, _NATIVE.gru, _NATIVE.rnn_tanh, _NATIVE.rnn_relu)
def _recurrent(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """`check_attributes` (`RNN.cpp`): the input, then hidden states, then parameters."""
    packed = isinstance(args[1], torch.Tensor) and len(args) > 3 and isinstance(args[3], (list, tuple))
    hidden, weights = (args[2], args[3]) if packed else (args[1], args[2])
    home = where(args[0])
    for name, tensors in (("hidden", tensors_in(hidden)), ("parameter", tensors_in(weights))):
        for tensor in tensors:
            if where(tensor) != home:
                raise DeviceMismatch(
                    f"Input and {name} tensors are not at the same device, found input tensor at {home} and "
                    f"{name} tensor at {where(tensor)}"
                )


@_before(functional.scaled_dot_product_attention)
def _attention(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    names = "query key value".split()
    three = [_argument(args, kwargs, at, name) for at, name in enumerate(names)]
    if not all(isinstance(one, torch.Tensor) for one in three):
        return
    if len({where(one) for one in three}) > 1:
        said = " ".join(
            f"{'and ' * (name == 'value')}{name}.device: {where(one)}" for name, one in zip(names, three)
        )
        raise DeviceMismatch(
            f"Expected query, key, and value to have the same device type, but got {said} instead."
        )
    mask = _argument(args, kwargs, 3, "attn_mask")
    _same(three[0], mask, "attn_bias", "wrapper_CUDA___scaled_dot_product_efficient_attention")


def _normed(*names: str) -> Check:
    """What has weights and more than two dims is given to cuDNN where its input is on the card."""

    def check(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        named = {name: _argument(args, kwargs, at, name) for at, name in enumerate(("input", *names))}
        given = named["input"]
        if not isinstance(given, torch.Tensor) or given.dim() < 3 or where(given) == CPU:
            return
        library = "cudnn" if isinstance(named["weight"], torch.Tensor) else "native"
        for name in _OF_A_NORM:
            _same(given, named[name], name, f"wrapper_CUDA__{library}_batch_norm")

    return check


_OF_A_NORM = ("weight", "bias", "running_mean", "running_var")
_before(torch.batch_norm, torch.instance_norm)(_normed(*_OF_A_NORM))
_before(functional.batch_norm)(_normed("running_mean", "running_var", "weight", "bias"))
_before(functional.instance_norm)(_normed("running_mean", "running_var", "weight", "bias"))


@_before(torch.rms_norm, functional.rms_norm)
def _root_mean_square(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    weight = _argument(args, kwargs, 2, "weight")
    _same(_argument(args, kwargs, 0, "input"), weight, "weight", "wrapper_CUDA___fused_rms_norm")


# ---------------------------------------------------------------- what is not run as torch runs it


@_before(torch.Tensor.__getitem__)
def _indexed(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    home = where(args[0])
    for one in _indices(args[1]):
        if where(one) not in (CPU, home):
            raise DeviceMismatch(
                f"indices should be either on cpu or on the same device as the indexed tensor ({home})"
            )


@_before(torch.Tensor.__setitem__)
def _set(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Where single places are written, what is written stands where they do; a whole part is copied from anywhere."""
    value, index, new = args
    if _indices(index) and isinstance(new, torch.Tensor) and new.dim() and where(new) != where(value):
        raise two_devices(where(value), where(new))


def _indices(index: Any) -> list[torch.Tensor]:
    """Tensors of places or masks in an index: not those that are one number."""
    parts = index if isinstance(index, tuple) else (index,)
    tensors = (array_to_tensor(part) if not isinstance(part, torch.Tensor) else part for part in parts)
    return [one for one in tensors if one is not None and one.dim()]


def _two(at: int, name: str, shown: str, method: str) -> Check:
    def check(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        _same(args[0] if args else kwargs.get("input"), _argument(args, kwargs, at, name), shown, method)

    return check


_before(torch.masked_select, torch.Tensor.masked_select)(
    _two(1, "mask", "mask", "wrapper_CUDA__masked_select")
)
_before(torch.bincount, torch.Tensor.bincount)(_two(1, "weights", "weights", "wrapper_CUDA__bincount"))
_before(torch.repeat_interleave, torch.Tensor.repeat_interleave)(
    _two(1, "repeats", "index", "wrapper_CUDA__index_select")
)
_before(torch.equal, torch.Tensor.equal)(_two(1, "other", "other", "wrapper_CUDA__equal"))


@_before(torch.take_along_dim, torch.Tensor.take_along_dim)
def _taken(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    indices = _argument(args, kwargs, 1, "indices")
    if isinstance(indices, torch.Tensor) and where(indices) != where(args[0]):
        raise DeviceMismatch(
            f"Expected tensor to have {where(args[0])} Device, but got tensor with {where(indices)} Device "
            "(while checking arguments for torch.take_along_dim():)"
        )


@_before(torch.meshgrid, _NATIVE.meshgrid, torch.cartesian_prod, _NATIVE.cartesian_prod)
def _grid(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    if len({where(one) for one in tensors_in(args)}) > 1:
        raise DeviceMismatch("meshgrid expects all tensors to have the same device")


# ---------------------------------------------------------------- gradients


@_before(torch.Tensor.backward)
def _backward(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    _gradients([args[0]], [_argument(args, kwargs, 1, "gradient")])


@_before(torch.autograd.grad)
def _grad(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    _gradients(tensors_in(args[:1]), tensors_in(_argument(args, kwargs, 2, "grad_outputs")))


def _gradients(outputs: list[Any], gradients: list[Any]) -> None:
    for at, (output, gradient) in enumerate(zip(outputs, gradients)):
        if isinstance(gradient, torch.Tensor) and where(gradient) != where(output):
            raise DeviceMismatch(
                f"invalid gradient at index {at} - expected device {where(output)} but got {where(gradient)}"
            )


@_before(torch.Tensor.grad.__set__)
def _set_grad(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    tensor, gradient = args
    if isinstance(gradient, torch.Tensor) and where(gradient) != where(tensor):
        raise DeviceMismatch(
            f"attempting to assign a gradient with device type '{where(gradient).type}' to a tensor with device type "
            f"'{where(tensor).type}'. Please ensure that the gradient and the tensor are on the same device"
        )
