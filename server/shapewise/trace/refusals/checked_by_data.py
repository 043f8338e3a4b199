"""Torch functions that look at values only to refuse some: what they give has its facts without any.

Fake tensors cannot make these calls. They are made on real tensors of ones, and each result gets a fake one of its
facts, which autograd leads back to what requires grad among the arguments.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from ..fakes.devices import common, place, tensors_in
from ..fakes.torchmode import Guard, handles
from ..unknowns.unknown import Lost
from .replay import computed

_SMALL = 1 << 20
"""Elements, of what is given and of what comes out, up to which a call is really computed."""
_CHOSEN = 20
"""Items to choose, or to leave out, from which on there are more ways than `_SMALL` for sure."""
_SOLVED = 1 << 16
"""Elements up to which a system of equations is."""


def _as_really(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], size: int) -> Any:
    """What a call gives. `size`: how many elements that will have, about."""
    given = tensors_in((args, kwargs))
    if max(size, *(tensor.numel() for tensor in given)) > _SMALL:
        raise Lost("too large to compute")
    real = computed(function, args, kwargs)
    origins = [tensor.sum().real for tensor in given if tensor.requires_grad]

    def fake(one: torch.Tensor) -> torch.Tensor:
        length = 1 + sum((n - 1) * step for n, step in zip(one.shape, one.stride())) if one.numel() else 0
        memory = torch.empty(length, dtype=one.dtype)
        if one.requires_grad:
            memory = memory + sum(origins).to(one.dtype)
        return memory.as_strided(tuple(one.shape), one.stride())

    device = common(given)
    if isinstance(real, torch.Tensor):
        return place(fake(real), device)
    return type(real)([place(fake(one), device) for one in real])


def _of_rows(function: Any) -> Any:
    def handler(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        value = args[0] if args else kwargs["input"]
        return _as_really(function, args, kwargs, len(value) ** 2 if value.dim() else 1)

    return handler


for _owner in (torch, torch.Tensor):
    for _name in ("cov", "corrcoef"):
        handles(getattr(_owner, _name))(_of_rows(getattr(_owner, _name)))


@handles(torch.istft, torch.Tensor.istft)
def _istft(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return _as_really(torch.istft, args, kwargs, 0)


@handles(torch.combinations)
def _combinations(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    named = {**dict(zip(("input", "r", "with_replacement"), args)), **kwargs}
    r, repeats = max(named.get("r", 2), 0), named.get("with_replacement", False)
    count = named["input"].numel() + r * repeats
    if min(r, count - r) > _CHOSEN:
        raise Lost("too large to compute")
    return _as_really(torch.combinations, args, kwargs, r * math.comb(count, r))


@handles(torch.linalg.lstsq)
def _lstsq(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Whether there are residuals is decided by the rank of what is solved, if the driver does not take it for full."""
    if kwargs.get("driver") in ("gelss", "gelsd") and args[0].shape[-2] > args[0].shape[-1]:
        raise Lost("depends on the data")
    if args[0].numel() > _SOLVED:
        raise Lost("too large to compute")
    return _as_really(_solved, args, kwargs, 0)


def _solved(a: torch.Tensor, b: torch.Tensor, **options: Any) -> Any:
    """Of a matrix of full rank, which one of ones is not."""
    full = torch.eye(*a.shape[-2:], dtype=a.dtype).expand(a.shape).clone().requires_grad_(a.requires_grad)
    return torch.linalg.lstsq(full, b, **options)
