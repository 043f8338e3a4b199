"""What torch's own classes do differently in this process: those that ask for data, sockets or a real tensor."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel
from torch.distributions import Distribution
from torch.nn import functional
from torch.nn.modules import adaptive, lazy, transformer
from torch.nn.parameter import UninitializedBuffer, UninitializedParameter
from torch.nn.utils import parametrizations
from torch.utils._pytree import tree_map_only

from ..shims import here
from ..worlds import worlds


def install() -> None:
    """Once a process, before the list of callables is made."""
    for module in (torch.overrides, functional):
        for name in ("has_torch_function", "has_torch_function_unary", "has_torch_function_variadic"):
            if hasattr(module, name):
                setattr(module, name, _looked_into)
    Distribution._validate_args = False
    Distribution.__init__ = _unchecked(Distribution.__init__)
    transformer._detect_is_causal_mask = lambda mask, is_causal=None, size=None: is_causal is True
    parametrizations._is_orthogonal = lambda *args: True
    functional.gaussian_nll_loss = _gaussian_nll_loss  # type: ignore[assignment]
    nn.TransformerEncoder.forward = _encoder(nn.TransformerEncoder.forward)
    nn.AdaptiveLogSoftmaxWithLoss.forward = _adaptive
    nn.AdaptiveLogSoftmaxWithLoss.predict = lambda self, input: self.head(input).argmax(dim=1)
    for wrapper in (nn.parallel.DistributedDataParallel, FullyShardedDataParallel):
        _keep_to_one_process(wrapper)
    nn.DataParallel.forward = _scattered
    UninitializedParameter.__new__ = _without_size(True)  # type: ignore[method-assign]
    UninitializedBuffer.__new__ = _without_size(False)  # type: ignore[method-assign]
    lazy.is_lazy = nn.parameter.is_lazy = is_lazy
    _among_classes(UninitializedParameter)


def _looked_into(*args: Any) -> bool:
    """In place of torch's `has_torch_function`: its Python functions are run, so that the guard sees each op in them."""
    return False


def _unchecked(original: Callable[..., None]) -> Callable[..., None]:
    """Whether arguments and samples are in range is for their data to say."""

    def init(self: Distribution, *args: Any, validate_args: Any = None, **kwargs: Any) -> None:
        original(self, *args[:2], validate_args=False, **kwargs)

    return init


def _adaptive(self: nn.AdaptiveLogSoftmaxWithLoss, input: torch.Tensor, target: torch.Tensor) -> Any:
    """The facts of its result: torch's own sorts the rows by the class they are of."""
    if target.dim() == 1 and input.size(0) != target.size(0):
        raise RuntimeError("Input and target should have the same size in the batch dimension.")
    chosen = functional.log_softmax(self.head(input), dim=-1).amax(-1)
    return adaptive._ASMoutput(chosen, (-chosen).mean())


def _gaussian_nll_loss(
    input: torch.Tensor,
    target: torch.Tensor,
    var: Any,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> torch.Tensor:
    """torch's own looks for variances below zero."""
    if isinstance(var, torch.Tensor) and var.size() != input.size():
        if input.size()[:-1] == var.size():
            var = var.unsqueeze(-1)
        elif input.ndim != var.ndim or sum(b for a, b in zip(input.size(), var.size()) if a != b) != 1:
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not valid")
    each = 0.5 * ((input - target) ** 2 / var + var)
    return each.mean() if reduction == "mean" else each.sum() if reduction == "sum" else each


_gaussian_nll_loss.__module__, _gaussian_nll_loss.__name__ = functional.__name__, "gaussian_nll_loss"


def _encoder(original: Any) -> Any:
    """In eval mode without grad an encoder cuts off what is padding in every sequence: how much is data."""

    def forward(self: Any, src: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
        env = here()
        if env is None:
            return original(self, src, *args, **kwargs)
        guard = env.run.guard
        guard.shortened = False
        out = original(self, src, *args, **kwargs)
        learning = torch.is_grad_enabled() and (
            src.requires_grad or any(one.requires_grad for one in self.parameters())
        )
        masked = kwargs.get("mask", args[0] if args else None) is not None
        if not guard.shortened or learning or masked or torch.is_autocast_enabled() or out.shape[1] < 2:
            return out
        worlds.use()
        return out[:, : worlds.within(1, out.shape[1])].contiguous()

    return forward


# ---------------------------------------------------------------- several processes


_BRINGS = "_shapewise_brings"


def _scattered(self: Any, *args: Any, **kwargs: Any) -> Any:
    """A call of the module within, the tensors that it is given brought to the card that it stands on, if it does."""
    weight = next(self.module.parameters(), None)
    if weight is not None and weight.device.type == "cuda":
        args, kwargs = tree_map_only(torch.Tensor, lambda one: one.to(weight.device), (args, kwargs))
    return self.module(*args, **kwargs)


def _keep_to_one_process(wrapper: Any) -> None:
    """`DistributedDataParallel` and its like: one process of several computes what one alone would.

    With `device_ids` it brings the inputs to the card, as `FullyShardedDataParallel` always does.
    """

    def init(self: nn.Module, module: nn.Module, device_ids: Any = None, *args: Any, **kwargs: Any) -> None:
        nn.Module.__init__(self)
        self.module = module
        object.__setattr__(self, _BRINGS, device_ids is not None or wrapper is FullyShardedDataParallel)

    def forward(self: nn.Module, *args: Any, **kwargs: Any) -> Any:
        return _scattered(self, *args, **kwargs) if getattr(self, _BRINGS) else self.module(*args, **kwargs)

    def nothing(self: nn.Module, *args: Any, **kwargs: Any) -> Any:
        return contextlib.nullcontext()

    kept = {"__init__": init, "forward": forward}
    for name in [name for name in vars(wrapper) if name not in ("__module__", "__doc__", "__dict__")]:
        if name in kept:
            setattr(wrapper, name, kept[name])
        elif name in ("no_sync", "join"):
            setattr(wrapper, name, nothing)
        elif callable(getattr(wrapper, name)) or isinstance(vars(wrapper)[name], property):
            with contextlib.suppress(AttributeError):
                delattr(wrapper, name)


# ---------------------------------------------------------------- lazy modules


_LAZY = "_shapewise_lazy"


def is_lazy(value: Any) -> bool:
    """Whether a parameter or buffer has no size yet."""
    return isinstance(value, torch.Tensor) and hasattr(value, _LAZY)


def _among_classes(lazy_parameter: type) -> None:
    """`isinstance(parameter, UninitializedParameter)` goes by the mark, as that of Parameter does already."""
    kind: Any = type(lazy_parameter)
    original = kind.__instancecheck__

    def check(cls: type, instance: Any) -> bool:
        return is_lazy(instance) if cls is lazy_parameter else original(cls, instance)

    kind.__instancecheck__ = check


def _without_size(parameter: bool) -> Callable[..., Any]:
    """Fake tensors cannot be of another class: one that has no size yet is marked."""

    def new(
        cls: Any, requires_grad: bool = parameter, device: Any = None, dtype: Any = None, **other: Any
    ) -> Any:
        data = torch.empty(0, device=device, dtype=dtype)
        made = nn.Parameter(data, requires_grad) if parameter else data

        def materialize(shape: Any, device: Any = None, dtype: Any = None) -> None:
            made.data = torch.empty(shape, device=device or made.device, dtype=dtype or made.dtype)
            delattr(made, _LAZY)

        setattr(made, _LAZY, True)
        made.materialize = materialize
        return made

    return new
