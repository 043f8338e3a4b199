"""A call on tensors of several devices: what torch would say of it, and where its results would stand.

The call is run with each of torch's inner ops seen, and of each is checked what torch checks of it on a card
(`kernels`). Measured on a card (torch 2.11) over torch's own samples: `tests/opdb/devices.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from . import devices, torch_versions
from .devices import CPU, DeviceMismatch, place, tensors_in, two_devices
from .kernels import kernel

Given = list[tuple[str, torch.Tensor]]
"""The tensors of an op under the names of its parameters, in torch's order; those of a list under the list's name."""

_SMALL = 20_480
"""Numbers in an input that oneDNN is not asked for (`use_mkldnn`, `Convolution.cpp`)."""
_ANYWHERE = torch.device("lazy")
"""Where a tensor stands that one of torch's own functions makes: where it is needed. A kind of device that no program names."""
_WALKED_ALONE = frozenset(
    "aten::addcdiv aten::bucketize aten::lerp aten::mse_loss "
    "aten::smooth_l1_loss aten::huber_loss aten::soft_margin_loss".split()
)
"""Ops that walk over their operands and take no number from the CPU."""


def several(given: list[torch.Tensor]) -> bool:
    """Whether these stand on more than one device."""
    return len(given) > 1 and len({devices.where(tensor) for tensor in given}) > 1


def call(function: Callable[[], Any], given: list[torch.Tensor]) -> Any:
    """The result of a call on these. Raises DeviceMismatch where torch would, and what the call raises."""
    with _Across():
        result = function()
    for tensor in tensors_in(result):
        if devices.where(tensor) == _ANYWHERE:
            place(tensor, _home(given))
    return result


class _Across(TorchDispatchMode):
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        given = [*_given(func, args, kwargs)]
        _SAID.get(func._schema.name, _checked)(func, given)
        result = func(*args, **kwargs)
        mine = {id(tensor) for _, tensor in given}
        home = _ANYWHERE if kwargs.get("device") is not None else _of_result(func, given)
        for tensor in tensors_in(result):
            if id(tensor) not in mine:
                place(tensor, home)
        return result


def _given(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[tuple[str, torch.Tensor]]:
    for at, parameter in enumerate(func._schema.arguments):
        value = args[at] if at < len(args) else kwargs.get(parameter.name)
        for tensor in tensors_in(value):
            yield parameter.name, tensor


def _stands(given: Given) -> list[tuple[str, torch.Tensor, torch.device]]:
    """Those of which it is known where they stand."""
    placed = [(name, tensor, devices.where(tensor)) for name, tensor in given]
    return [one for one in placed if one[2] != _ANYWHERE]


def _home(given: list[torch.Tensor]) -> torch.device:
    """Where what is computed of these stands: a number of no dims on the CPU goes where the others are."""
    found = [(tensor, device) for tensor in given if (device := devices.where(tensor)) != _ANYWHERE]
    large = [device for tensor, device in found if device != CPU or tensor.dim()]
    return large[0] if large else found[0][1] if found else _ANYWHERE


def _of_result(func: Any, given: Given) -> torch.device:
    if kernel(func).iterates:
        return _home([tensor for _, tensor in given])
    return devices.where(given[0][1]) if given else _ANYWHERE


# ---------------------------------------------------------------- what is checked, and torch's words for it


def _checked(func: Any, given: Given) -> None:
    """What torch's list says. Raises DeviceMismatch."""
    asked = kernel(func)
    if asked.iterates:
        _walked(func, given)
    elif asked.method is not None:
        _alike(given, asked.method)


def _alike(given: Given, method: str) -> None:
    """All stand where the first does: the check that is generated."""
    stands = _stands(given)
    for name, _, device in stands:
        first = stands[0][2]
        if device != first:
            raise DeviceMismatch(torch_versions.differs(name, device, first, method))


def _walked(func: Any, given: Given) -> None:
    """All stand on the first device that is not the CPU, one number of no dims apart (`TensorIterator.cpp`)."""
    stands = _stands(given)
    card = next((device for _, _, device in stands if device != CPU), CPU)
    written = func._schema.name.endswith("_") and not func._schema.name.endswith("__")
    for at, (_, tensor, device) in enumerate(stands):
        number = device == CPU and tensor.dim() == 0 and not (written and at == 0)
        if device != card and not (number and func._schema.name not in _WALKED_ALONE):
            raise two_devices(card, device)


def _as(method: str, **names: str) -> Callable[[Any, Given], None]:
    """An op whose check is made by another inside it, under its names."""

    def check(func: Any, given: Given) -> None:
        _alike([(names.get(name, name), tensor) for name, tensor in given], method)

    return check


def _indexed(func: Any, given: Given) -> None:
    indexed = devices.where(given[0][1])
    for name, tensor in given:
        if name == "indices" and devices.where(tensor) not in (CPU, indexed, _ANYWHERE):
            raise DeviceMismatch(
                f"indices should be either on cpu or on the same device as the indexed tensor ({indexed})"
            )


def _convolved(func: Any, given: Given) -> None:
    """`check_input_same_type_as_parameters` (`Convolution.cpp`); small inputs on the CPU go by another way."""
    (_, first, home), *others = _stands(given)
    if home == CPU and first.dim() < 5 and first.shape[0] == 1 and first.numel() <= _SMALL:
        _alike(given, "wrapper_CUDA___slow_conv2d_forward")
    for name, tensor, device in others:
        if device != home:
            tail = f" or input should be a MKLDNN tensor and {name} is a dense tensor" if home == CPU else ""
            raise DeviceMismatch(
                f"Input type ({_type(first, home)}) and {name} type ({_type(tensor, device)}) should be the same{tail}"
            )


def _type(tensor: torch.Tensor, device: torch.device) -> str:
    """The old name of a tensor's type: `torch.cuda.FloatTensor`."""
    name = (
        torch.empty((), dtype=tensor.dtype).type()
        if tensor.dtype != torch.bfloat16
        else "torch.BFloat16Tensor"
    )
    return name if device == CPU else name.replace("torch.", f"torch.{device.type}.", 1)


def _masked(func: Any, given: Given) -> None:
    named = {name: devices.where(tensor) for name, tensor in given}
    if "mask" in named and named["mask"] not in (named["self"], _ANYWHERE):
        raise DeviceMismatch(
            f"expected self and mask to be on the same device, but got mask on {named['mask']} and self on {named['self']}"
        )


def _put(func: Any, given: Given) -> None:
    """`index_put`: its indices may stand on the CPU, and a number that is put; what walks over them says so."""
    home = devices.where(given[0][1])
    for name, tensor in given[1:]:
        device = devices.where(tensor)
        free = device in (home, _ANYWHERE) or (device == CPU and (name == "indices" or not tensor.dim()))
        if not free:
            raise two_devices(home, device)


def _stepped(func: Any, given: Given) -> None:
    """`addcmul`: its first may be no number from the CPU."""
    stands = _stands(given)
    if stands[0][2] == CPU and stands[0][1].dim() == 0 and any(device != CPU for *_, device in stands):
        raise DeviceMismatch(
            "CPU Scalar support for self argument is not supported when calling addcmul on CUDA tensors."
        )
    _walked(func, given)


def _bilinear(func: Any, given: Given) -> None:
    if given[0][1].numel():
        _alike([("mat2", tensor) for _, tensor in given], "wrapper_CUDA_bmm")


def _multiplied(func: Any, given: Given) -> None:
    """`mv` adds to an empty tensor where its vector stands."""
    _alike([("self", given[1][1]), ("mat", given[0][1])], "wrapper_CUDA_addmv_")


_SAID: dict[str, Callable[[Any, Given], None]] = {
    "aten::_trilinear": _bilinear,
    "aten::addcmul": _stepped,
    "aten::complex": _as("wrapper_CUDA_out_complex_out"),
    "aten::convolution": _convolved,
    "aten::embedding": _as("wrapper_CUDA__index_select", indices="index"),
    "aten::index": _indexed,
    "aten::index_put": _put,
    "aten::index_put_": _put,
    "aten::ldexp": _walked,
    "aten::masked_fill": _masked,
    "aten::masked_fill_": _masked,
    "aten::masked_scatter": _as("wrapper_CUDA__masked_scatter_"),
    "aten::mv": _multiplied,
    "aten::polar": _as("wrapper_CUDA_out_polar_out"),
    "aten::put": _as("wrapper_CUDA__put_"),
    "aten::soft_margin_loss": _walked,
    "aten::stack": _as("wrapper_CUDA_cat"),
}
"""Ops of which torch's list does not say what is checked, and what torch says."""
