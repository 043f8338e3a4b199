"""The device as a fact of our own, carried beside fake tensors that all live on the CPU.

Fake CUDA tensors can abort the process on a CPU build of torch (measured, 2.13), so no fake tensor
ever leaves the CPU; where it would stand is written on it, and torch's rules are checked here.
"""

from __future__ import annotations

from typing import Any

import torch

from ..unknowns.unknown import ATOMS

_ATTRIBUTE = "_shapewise_device"
CPU = torch.device("cpu")
CLASH = "Expected all tensors to be on the same device"
"""How torch begins to say that devices differ."""
_FUNCTORCH: Any = torch._C._functorch


class _Shown:
    """Whether torch's own Python code is told where a tensor would stand: not inside an op, where fake tensors are made."""

    on = False


SHOWN = _Shown()


class OnTheCard(RuntimeError):
    """What torch refuses on a card, raised in its own words: there is none here to replay it on."""

    spoken = RuntimeError


class DeviceMismatch(OnTheCard):
    """Tensors on different devices in one op."""


def spoken(kind: type[Exception], message: str) -> Exception:
    """An error raised by us in torch's own words, where it cannot be replayed."""
    error = kind(message)
    error.spoken = kind  # type: ignore[attr-defined]
    return error


def device_of(value: torch.Tensor) -> str:
    """Where a tensor stands, as torch prints it."""
    return str(where(value))


def where(value: torch.Tensor) -> torch.device:
    """A wrapper of torch.func's stands where what it wraps stands."""
    found: torch.device | None = getattr(value, _ATTRIBUTE, None)
    while (
        found is None
        and _FUNCTORCH.peek_interpreter_stack()
        and _FUNCTORCH.is_functorch_wrapped_tensor(value)
    ):
        value = _FUNCTORCH.get_unwrapped(value)
        found = getattr(value, _ATTRIBUTE, None)
    return CPU if found is None else found


def place(value: Any, device: torch.device) -> Any:
    """Write a device on every tensor of a result."""
    if isinstance(value, torch.Tensor):
        if device != CPU or hasattr(value, _ATTRIBUTE):
            setattr(value, _ATTRIBUTE, device)
    elif isinstance(value, (tuple, list)):
        for item in value:
            place(item, device)
    return value


def tensors_in(value: Any, depth: int = 3) -> list[torch.Tensor]:
    """Every tensor among the arguments of a call."""
    found: list[torch.Tensor] = []
    _gather(value, depth, found)
    return found


def _gather(value: Any, depth: int, found: list[torch.Tensor]) -> None:
    if isinstance(value, torch.Tensor):
        found.append(value)
    elif depth and isinstance(value, (tuple, list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            if type(item) not in ATOMS:
                _gather(item, depth - 1, found)


def common(tensors: list[torch.Tensor]) -> torch.device:
    """The device on which an op of these runs. Raises torch's RuntimeError where they disagree.

    A tensor of no dims on the CPU may stand beside any other (torch's rule for wrapped numbers).
    """
    found = CPU
    first: torch.device | None = None
    for tensor in tensors:
        device = where(tensor)
        if device == CPU and tensor.dim() == 0:
            continue
        if first is None:
            first = found = device
        elif device != first:
            raise two_devices(first, device)
    return found


def two_devices(first: torch.device, second: torch.device) -> DeviceMismatch:
    """What torch says where operands are walked over together: the card is named first."""
    if first == CPU:
        first, second = second, first
    return DeviceMismatch(f"{CLASH}, but found at least two devices, {first} and {second}!")


_HOME = "_shapewise_home"


def of_gradients(name: str, values: tuple[Any, ...]) -> None:
    """A method of an `autograd.Function` begins: torch hands a gradient to it that stands where the inputs stood."""
    context, *given = values
    if name in ("forward", "setup_context"):
        elsewhere = {where(tensor) for tensor in tensors_in(given)} - {CPU}
        setattr(context, _HOME, elsewhere.pop() if len(elsewhere) == 1 else CPU)
    elif name in ("backward", "vjp"):
        for tensor in tensors_in(given):
            if not hasattr(tensor, _ATTRIBUTE):
                place(tensor, getattr(context, _HOME, CPU))


def with_index(device: Any) -> torch.device:
    """`cuda` as a tensor would print it: with the number of the card."""
    device = torch.device("cuda", device) if isinstance(device, int) else torch.device(device)
    return torch.device(device.type, 0) if device.type == "cuda" and device.index is None else device
