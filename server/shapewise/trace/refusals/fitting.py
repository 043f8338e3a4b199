"""Calls that torch refuses only because of sizes that stand for others: what they give where the sizes fit.

Where the program goes on, a size that meets another one in an operator is that size (or 1, which gives the
same), and a view to sizes that are all known has them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from ..worlds import worlds

_SPOKEN = (
    "add sub mul div truediv floordiv floor_divide true_divide mod pow and or xor eq ne lt le gt ge maximum minimum "
    "max min where lerp atan2 fmod remainder masked_fill copy logical_and logical_or logical_xor mse_loss l1_loss "
    "smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits masked_select"
).split()
_BROADCAST = frozenset(
    form.format(name) for name in _SPOKEN for form in ("{}", "{}_", "__{}__", "__r{}__", "__i{}__")
)
_VIEWS = frozenset(("view", "reshape"))


def fitted(function: Any, args: Sequence[Any]) -> tuple[Any, ...] | None:
    """The arguments of a call that was refused, with other sizes in place of those that stand for others.

    None where they did not, or nobody knows which. What is written into is never another tensor.
    """
    name = getattr(function, "__name__", "")
    if not args or not isinstance(args[0], torch.Tensor):
        return None
    if name in _BROADCAST:
        in_place = name.endswith("_") and not name.endswith("__") or name.startswith("__i")
        return _broadcast(args, in_place)
    if name in _VIEWS:
        return _viewed(args)
    return _FITS[name](args) if name in _FITS else None


def _broadcast(args: Sequence[Any], in_place: bool) -> tuple[Any, ...] | None:
    tensors = [arg for arg in args if isinstance(arg, torch.Tensor)]
    instead: dict[int, int] = {}
    """By dim from the right, the size that it has to be."""
    for at in range(1, 1 + max(tensor.dim() for tensor in tensors)):
        sizes = {tensor.shape[-at] for tensor in tensors if tensor.dim() >= at} - {1}
        known = {size for size in sizes if not worlds.is_given(size)}
        if len(sizes) > 1:
            if len(known) != 1 or 0 in known:
                return None
            instead[at] = known.pop()
    made = tuple(_resized(arg, instead) if isinstance(arg, torch.Tensor) else arg for arg in args)
    return None if not instead or (in_place and made[0] is not args[0]) else made


def _resized(tensor: torch.Tensor, instead: dict[int, int]) -> torch.Tensor:
    sizes = list(tensor.shape)
    for at, size in instead.items():
        if at <= tensor.dim() and sizes[-at] != 1:
            sizes[-at] = size
    return tensor if tuple(sizes) == tuple(tensor.shape) else _like(tensor, sizes)


def _met(args: Sequence[Any], dim: int, size: int) -> tuple[Any, ...] | None:
    """The arguments with another size for one dim of the first, if that one stands for others."""
    tensor = args[0]
    if not -tensor.dim() <= dim < tensor.dim() or not worlds.is_given(tensor.shape[dim]) or not size:
        return None
    sizes = list(tensor.shape)
    sizes[dim] = size
    return _like(tensor, sizes), *args[1:]


def _product(args: Sequence[Any]) -> tuple[Any, ...] | None:
    """`matmul`: of the two sizes that meet, one stands for others."""
    left, right = args[0], args[1] if len(args) > 1 else None
    if not isinstance(right, torch.Tensor) or not left.dim() or not right.dim():
        return None
    inner = max(-2, -right.dim())
    if worlds.is_given(left.shape[-1]) == worlds.is_given(right.shape[inner]):
        return None
    if worlds.is_given(left.shape[-1]):
        return _met(args, -1, right.shape[inner])
    other = _met((right,), inner, left.shape[-1])
    return None if other is None else (left, other[0], *args[2:])


def _weighed(args: Sequence[Any]) -> tuple[Any, ...] | None:
    """`linear`: a row is as long as the weight wants it."""
    weight = args[1] if len(args) > 1 else None
    return (
        _met(args, -1, weight.shape[-1]) if isinstance(weight, torch.Tensor) and weight.dim() == 2 else None
    )


def _of_classes(args: Sequence[Any]) -> tuple[Any, ...] | None:
    """`cross_entropy`: as many rows as targets."""
    rows, targets = args[0], args[1] if len(args) > 1 else None
    if not isinstance(targets, torch.Tensor) or not targets.dim() or rows.dim() < 2:
        return None
    if worlds.is_given(rows.shape[0]) == worlds.is_given(targets.shape[0]):
        return None
    if worlds.is_given(rows.shape[0]):
        return _met(args, 0, targets.shape[0])
    other = _met((targets,), 0, rows.shape[0])
    return None if other is None else (rows, other[0], *args[2:])


_FITS = {
    **dict.fromkeys(("matmul", "mm", "bmm", "__matmul__", "__rmatmul__"), _product),
    "linear": _weighed,
    **dict.fromkeys(("cross_entropy", "nll_loss"), _of_classes),
}


def _viewed(args: Sequence[Any]) -> tuple[Any, ...] | None:
    tensor, sizes = args[0], args[1] if len(args) == 2 and isinstance(args[1], (tuple, list)) else args[1:]
    if not sizes or not all(type(size) is int for size in sizes):
        return None
    if not tensor.numel() and -1 in sizes:  # of as much as nothing, each size that is none stands for one
        many = math.prod(size for size in tensor.shape if size)
        rest = math.prod(size for size in sizes if size > 0)
        if sizes.count(-1) != 1 or sizes.count(0) != tuple(tensor.shape).count(0) or many % rest:
            return None
        return tensor, *(many // rest if size == -1 else size for size in sizes)
    if not any(map(worlds.is_given, tensor.shape)) or sizes.count(-1) > 1:
        return None
    if -1 in sizes:  # as many as there are then, and nobody knows how many
        sizes = [worlds.size() if size == -1 else size for size in sizes]
    return _like(tensor, list(sizes)), *sizes


def _like(tensor: torch.Tensor, sizes: list[int]) -> torch.Tensor:
    """A tensor of other sizes that lies in memory in the same order, and requires grad if that one does."""
    order = list(range(len(sizes)))
    if len(sizes) == tensor.dim():
        order.sort(key=lambda dim: -tensor.stride(dim))
    made = tensor.new_empty([sizes[dim] for dim in order]).permute(
        [order.index(dim) for dim in range(len(sizes))]
    )
    return made + tensor.sum() if tensor.requires_grad else made
