"""Where a tensor stands, and what moves it: answered from the device that is carried beside it."""

from __future__ import annotations

from typing import Any

import torch

from . import devices
from .devices import CPU, device_of, with_index
from .torchmode import Guard, handles


@handles(torch.Tensor.device.__get__)
def _device(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return torch.device(device_of(args[0]))


@handles(torch.Tensor.is_cuda.__get__)
def _is_cuda(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return device_of(args[0]).startswith("cuda")


@handles(torch.Tensor.is_cpu.__get__)
def _is_cpu(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return device_of(args[0]) == "cpu"


@handles(torch.Tensor.data.__set__)
def _set_data(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """It stands where its numbers do."""
    tensor, data = args
    torch.Tensor.data.__set__(tensor, data)
    if isinstance(data, torch.Tensor):
        guard.put(tensor, devices.where(data))


def _move(guard: Guard, tensor: torch.Tensor, device: torch.device, **options: Any) -> Any:
    here = torch.device(device_of(tensor))
    moved = (
        tensor.to(copy=True, **{"dtype": tensor.dtype, **options})
        if device != here
        else tensor.to(**options)
        if options
        else tensor
    )
    return moved if moved is tensor else guard.put(moved, device)


def _names_a_device(value: Any) -> bool:
    return not isinstance(value, (torch.dtype, torch.Tensor))


@handles(torch.Tensor.to)
def _to(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    tensor, rest = args[0], args[1:]
    here = torch.device(device_of(tensor))
    copy = kwargs.pop("copy", False)
    if len(rest) == (4 if rest and _names_a_device(rest[0]) else 3):
        rest, copy = rest[:-1], rest[-1]
    if (rest and isinstance(rest[0], torch.Tensor)) or "other" in kwargs:
        other = rest[0] if rest else kwargs["other"]
        device, dtype = torch.device(device_of(other)), other.dtype
        memory_format = kwargs.get("memory_format")
    else:
        device, dtype, _, memory_format = _parsed(rest, kwargs)
    options: dict[str, Any] = {}
    if dtype is not None:
        options["dtype"] = dtype
    if memory_format is not None:
        options["memory_format"] = memory_format
    if copy:
        options["copy"] = True
    target = here if device is None else with_index(device)
    if target != here:
        options.pop("copy", None)
        return _move(guard, tensor, target, **options)
    return guard.put(tensor.to(**options), here) if options else tensor


@handles(torch._C._nn._parse_to)
def _read(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What `nn.Module.to` makes of its arguments: a device among them is the answer, and not where it is made."""
    return _parsed(args, kwargs)


def _parsed(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The same where no card is: a number is one of several cards, whatever this machine has."""
    if args and type(args[0]) is int:
        args = (with_index(args[0]), *args[1:])
    if type(kwargs.get("device")) is int:
        kwargs = {**kwargs, "device": with_index(kwargs["device"])}
    return torch._C._nn._parse_to(*args, **kwargs)


@handles(torch.Tensor.cuda)
def _cuda(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    device = args[1] if len(args) > 1 else kwargs.get("device")
    return _move(guard, args[0], with_index("cuda" if device is None else device))


@handles(torch.Tensor.cpu)
def _cpu(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return _move(guard, args[0], CPU)
