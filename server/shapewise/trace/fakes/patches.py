"""What is replaced inside torch, in this process only, because no torch function mode can see it."""

from __future__ import annotations

import copy
import copyreg
import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch._subclasses import fake_tensor
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.nn import init

from .. import memory
from ..shims import here
from ..unknowns import doubts
from ..unknowns.unknown import Lost, Unknown
from .devices import SHOWN, device_of, place

_FANS = frozenset("kaiming_uniform_ kaiming_normal_ xavier_uniform_ xavier_normal_".split())
_FILLS = _FANS | frozenset("uniform_ normal_ trunc_normal_ constant_ ones_ zeros_".split())


def install() -> None:
    """Once a process, before the list of callables is made."""
    nn.Module._apply = _apply
    FakeTensorMode.__deepcopy__ = lambda self, memo: self
    FakeTensor.__deepcopy__ = _deepcopy
    FakeTensor.device = _shown_device(FakeTensor.device.fget)
    if "tolist" in vars(FakeTensor):
        del FakeTensor.tolist  # asks for every number one by one; see `dependent` and the shim
    torch.optim.Optimizer._patch_step_function = _unwrapped
    torch.optim.Optimizer.step = _step
    for kind in vars(torch.optim).values():
        if isinstance(kind, type) and issubclass(kind, torch.optim.Optimizer) and "step" in vars(kind):
            setattr(kind, "step", _step)  # noqa: B010 (mypy)
    nn.Module.load_state_dict = _load_state_dict
    nn.Module.parameters = _not_lacking(nn.Module.parameters)
    nn.Module.named_parameters = _not_lacking(nn.Module.named_parameters)
    nn.RNNBase.flatten_parameters = _nothing
    fake_tensor.run_fallback_kernel = _fall_back
    copy._reconstruct = _reconstruct  # type: ignore[attr-defined]
    for name in _FILLS:
        setattr(init, name, _fill(getattr(init, name), name in _FANS))


def _shown_device(original: Any) -> property:
    """`FakeTensor.device` as torch's own modules read it: `torch.zeros(n, device=x.device)` in a forward."""

    def device(self: Any) -> torch.device:
        if SHOWN.on and torch._C._len_torch_dispatch_stack() and not self.fake_mode.in_kernel_invocation:
            return torch.device(device_of(self))
        return original(self)

    return property(device)


def _apply(self: nn.Module, fn: Callable[[torch.Tensor], torch.Tensor], recurse: bool = True) -> nn.Module:
    """`nn.Module._apply` for fake parameters: the object stays, its data is replaced.

    torch's own refuses fake tensors ("Couldn't swap"), whatever torch.__future__ says (2.13).
    """
    if recurse:
        for child in self.children():
            child._apply(fn)
    with torch.no_grad():
        for param in self._parameters.values():
            if param is not None:
                moved = fn(param.data)
                place(param, torch.device(device_of(moved)))
                if moved.dtype != param.dtype or moved.stride() != param.stride():
                    param.data = moved
                if param.grad is not None:
                    param.grad = fn(param.grad)
        for key, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[key] = fn(buffer)
    return self


def _not_lacking(original: Any) -> Any:
    """`parameters` of a module: where it has none and something in it is not known, nobody knows which it has. Raises Lost."""

    @functools.wraps(original)
    def method(self: nn.Module, *args: Any, **kwargs: Any) -> Any:
        if here() is not None and next(original(self, *args, **kwargs), None) is None:
            for module in self.modules():
                for value in vars(module).values():
                    if type(value) is Unknown:
                        raise Lost(value.why)
        return original(self, *args, **kwargs)

    return method


def _nothing(self: nn.RNNBase) -> None:
    """`flatten_parameters`: a torch built with cuDNN looks at the memory of weights on a card to move them there."""


NO_WEIGHTS: dict[str, Any] = {}
"""Stands for weights that would be downloaded."""
_load = nn.Module.load_state_dict


@functools.wraps(_load)
def _load_state_dict(self: nn.Module, state_dict: Any, *args: Any, **kwargs: Any) -> Any:
    return None if state_dict is NO_WEIGHTS else _load(self, state_dict, *args, **kwargs)


def _deepcopy(self: torch.Tensor, memo: dict[int, Any]) -> torch.Tensor:
    """`copy.deepcopy` of a fake tensor. torch's own copies the mode with it, which ends in heap corruption (2.13)."""
    if id(self) in memo:
        return memo[id(self)]
    if doubts.NOW.active and doubts.of(self) & {doubts.GRAD, doubts.ALL}:
        raise Lost("a copy of what may require grad")
    if not self.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment."
        )
    with torch.no_grad():
        copied = self.detach().clone()
    if isinstance(self, nn.Parameter):
        copied = nn.Parameter(copied, requires_grad=self.requires_grad)
    else:
        copied.requires_grad_(self.requires_grad)
    place(copied, torch.device(device_of(self)))
    doubts.mark(copied, doubts.of(self) - {doubts.LAYOUT})
    if self.grad is not None:
        copied.grad = _deepcopy(self.grad, memo)
    memo[id(self)] = copied
    return copied


_PLAIN_MAKERS = {id(maker) for maker in (copyreg.__newobj__, copyreg.__newobj_ex__, copyreg._reconstructor)}  # type: ignore[attr-defined]
_copied: Any = copy._reconstruct  # type: ignore[attr-defined]


@functools.wraps(_copied)
def _reconstruct(x: Any, memo: Any, maker: Any, args: Any, *state: Any, **options: Any) -> Any:
    """`copy.copy` of a program's object: a copy is made by its class, and is of that class, before it gets its state.

    Else `__new__` or `__reduce__` could name anything, and its attributes would be set.
    """
    if here() is None:
        return _copied(x, memo, maker, args, *state, **options)
    if maker is not type(x) and id(maker) not in _PLAIN_MAKERS:
        raise Lost("a copy that is made in a way of its own")

    def make(*given: Any) -> Any:
        made = maker(*given)
        if type(made) is not type(x):
            raise Lost("a copy of another class")
        return made

    return _copied(x, memo, make, args, *state, **options)


_computed_on_zeros = fake_tensor.run_fallback_kernel


def _fall_back(mode: Any, function: Any, *rest: Any) -> Any:
    """What has no kernel for fake tensors is computed on zeros: as long as that takes little."""
    try:
        with memory.little():
            return _computed_on_zeros(mode, function, *rest)
    except RuntimeError as error:
        if "can't allocate memory" in str(error):
            raise fake_tensor.UnsupportedOperatorException(function) from None
        raise


def _unwrapped(self: Any) -> None:
    """An optimizer's `step`, the user's own too, without the hooks and the profiler around it."""
    self._zero_grad_profile_name = "Optimizer.zero_grad"


def _step(self: Any, closure: Any = None, *args: Any, **kwargs: Any) -> Any:
    """`Optimizer.step` changes values only, which nobody has: what is left of it is the closure's call, and that graphs of
    before no longer have the weights that they were made with. Fused steps count no version, and of one that is only perhaps
    taken nothing is said.
    """
    loss = None
    if closure is not None:
        with torch.enable_grad():
            loss = closure()
            if isinstance(self, torch.optim.LBFGS):
                _perhaps_again(closure)
    if not doubts.NOW.ways:
        for group in self.param_groups:
            for parameter in () if group.get("fused") else group["params"]:
                if (
                    isinstance(parameter, torch.Tensor)
                    and parameter.grad is not None
                    and not parameter.is_inference()
                ):
                    for _ in range(_writes(self, group)):
                        torch.autograd.graph.increment_version(parameter)
    return loss


def _perhaps_again(closure: Callable[[], Any]) -> None:
    """An optimizer that searches along a line asks as often as data decides."""

    def again() -> None:
        closure()

    env = here()
    if env is not None:
        env.run.both(env, [again, lambda: None])


def _writes(optimizer: Any, group: dict[str, Any]) -> int:
    """How often a step writes into each weight, which torch's error tells."""
    decays = isinstance(optimizer, (torch.optim.AdamW, torch.optim.Adafactor)) or group.get(
        "decoupled_weight_decay"
    )
    twice = isinstance(optimizer, (torch.optim.NAdam, torch.optim.ASGD))
    return 1 + twice + bool(decays and group.get("weight_decay"))


def _fill(original: Any, needs_fans: bool) -> Any:
    """An `init` function without the filling (half the cost of building a layer), with its errors."""

    @functools.wraps(original)
    def fill(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(tensor, FakeTensor):  # a real one has values
            return original(tensor, *args, **kwargs)
        if needs_fans:
            init._calculate_fan_in_and_fan_out(tensor)
        if not tensor.is_inference():
            torch.autograd.graph.increment_version(tensor)
        return tensor

    del fill.__wrapped__
    return fill
