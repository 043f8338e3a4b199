"""What an op that fails would have meant, where that is clear: the trace goes on with it.

One mistake then costs one finding, and the lines below keep their facts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

_LOSSES = frozenset(
    "cross_entropy nll_loss binary_cross_entropy binary_cross_entropy_with_logits mse_loss l1_loss".split()
)


def meant(name: str, args: list[Any], kwargs: dict[str, Any]) -> Any | None:
    """The value of what was meant, or None where nobody can say."""
    if not args:
        return None
    try:
        if isinstance(args[0], nn.Module):
            return _layer(args[0], args[1:])
        if isinstance(args[0], torch.Tensor):
            short = name.rsplit(".", 1)[-1]
            instead = _MEANT.get(short)
            if instead is not None:
                return instead(*args, **kwargs)
            if short in _LOSSES and kwargs.get("reduction", "mean") != "none":
                return args[0].float().mean()
    except Exception:
        return None
    return None


def _product(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor | None:
    """A product of matrices whose inner dims were right: the outer ones are known."""
    if left.dim() < 2 or right.dim() < 2 or left.dtype != right.dtype:
        return None
    return left[..., :1] @ right[..., :1, :]


def _item(tensor: torch.Tensor, index: Any) -> torch.Tensor | None:
    """An item that is not there, of a dim that is too short or has none: it would have the other dims."""
    numbers = list(index) if isinstance(index, tuple) else [index]
    if not all(type(one) is int or one == slice(None) for one in numbers) or len(numbers) > tensor.dim():
        return None
    for dim, one in enumerate(numbers):
        if type(one) is int and not -tensor.shape[dim] <= one < tensor.shape[dim]:
            if not tensor.shape[dim]:
                row = [*tensor.shape]
                row[dim] = 1
                tensor = torch.cat([tensor, tensor.new_empty(row)], dim)
            numbers[dim] = 0
    return tensor[tuple(numbers)]


_MEANT: dict[str, Callable[..., Any]] = {
    "[]": _item,
    "view": lambda tensor, *shape, **named: tensor.reshape(*shape, **named),
    "view_as": lambda tensor, other: tensor.reshape_as(other),
    "@": _product,
    "matmul": _product,
    "mm": _product,
    "bmm": _product,
}


def _layer(layer: nn.Module, args: list[Any]) -> Any | None:
    """What a layer gives for an input of the width and the dtype that it was built for."""
    given = args[0] if args else None
    if not isinstance(given, torch.Tensor):
        return None
    if isinstance(layer, (nn.CrossEntropyLoss, nn.NLLLoss, nn.BCELoss, nn.BCEWithLogitsLoss, nn.MSELoss)):
        return given.float().mean() if layer.reduction != "none" else None
    if isinstance(layer, (nn.LayerNorm, nn.BatchNorm1d, nn.BatchNorm2d)):
        return given.clone()
    fitted = None
    if isinstance(layer, nn.Linear):
        flat = given.dim() > 2 and math.prod(given.shape[1:]) == layer.in_features
        fitted = given.flatten(1) if flat else _resized(given, -1, layer.in_features)
    elif isinstance(layer, (nn.Conv1d, nn.Conv2d, nn.Conv3d)):
        rank = len(layer.kernel_size) + 2
        last = given.dim() == rank and given.shape[-1] == layer.in_channels != given.shape[1]
        if last:
            fitted = given.movedim(-1, 1)
        elif given.dim() == rank:
            fitted = _resized(given, 1, layer.in_channels)
    return None if fitted is None else layer(fitted.to(layer.weight.dtype))


def _resized(tensor: torch.Tensor, dim: int, size: int) -> torch.Tensor:
    """The tensor with another size in one dim; it still requires grad if it did."""
    one = tensor.narrow(dim, 0, 1)
    sizes = [-1] * tensor.dim()
    sizes[dim] = size
    return one.expand(sizes).contiguous()
