"""Inputs with fewer dims than people give, or more: torch broadcasts them to a weight, or makes other dims of them in a view."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch

from ..inputs.specs import MADE_UP
from ..inputs.usual import ELEMENTWISE
from .trouble import OUTRANKED, Trouble, Wish


def likelier(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Trouble | None:
    """What is to be otherwise where torch is given these, None if nothing is."""
    if not args:  # all is given by name
        return None
    return (
        _meets_a_weight(name, args)
        or _meets_a_gate(name, args)
        or _meets_its_batch(name, args)
        or _meets_a_table(name, args)
        or _flattens_nothing(name, args, kwargs)
        or _views_others(name, args)
        or _splits_a_batch(name, args)
        or _meets_a_mask(name, args)
        or _meets_a_target(name, args, kwargs)
        or _meets_a_batch(name, args)
        or _indexes_beside(name, args)
    )


def likelier_by_dims(
    name: str,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    doubled: Callable[[int], bool],
    is_a_dim: Callable[[Any], bool],
) -> Trouble | None:
    """The same where it hangs on which numbers are dims of inputs, and which are twice others."""
    return _repeats_a_batch(name, args, is_a_dim) or _halves_another(name, args, kwargs, doubled, is_a_dim)


def _repeats_a_batch(name: str, args: tuple[Any, ...], is_a_dim: Callable[[Any], bool]) -> Trouble | None:
    """What is repeated as often as there are others has no batch of its own: `self.table.repeat(x.size(0), 1)`."""
    if name != "repeat" or len(args) < 3 or not hasattr(args[0], MADE_UP):
        return None
    often, rest, shape = args[1], args[2:], tuple(args[0].shape)
    if len(shape) != len(args) - 1 or shape[0] == 1 or often in shape or not is_a_dim(often):
        return None
    if any(one != 1 for one in rest):
        return None
    return Trouble(Wish(OUTRANKED), given=args, wanted=len(rest), function=name, args=args)


def _halves_another(
    name: str,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    doubled: Callable[[int], bool],
    is_a_dim: Callable[[Any], bool],
) -> Trouble | None:
    """What is halved along a dim of the inputs, and has twice a width behind it, is to have that there: `scale, shift = x.chunk(2, 1)`."""
    if name not in ("chunk", "split") or len(args) < 2 or not hasattr(args[0], MADE_UP):
        return None
    dim = args[2] if len(args) > 2 else kwargs.get("dim", 0)
    parts = args[1]
    if type(dim) is not int or type(parts) is not int or not 0 < dim < args[0].dim() - 1:
        return None
    size, last = int(args[0].shape[dim]), int(args[0].shape[-1])
    halves = parts == 2 if name == "chunk" else parts == size // 2
    if not halves or not is_a_dim(size) or not doubled(last):
        return None
    return Trouble(Wish(OUTRANKED), given=args, wanted=dim + 1, function=name, args=args)


_TIMES = frozenset(("mul", "*", "*=", "__mul__", "__rmul__", "__imul__"))
_PLUS = frozenset(("add", "+", "+=", "__add__", "__radd__", "__iadd__"))


def _meets_a_gate(name: str, args: tuple[Any, ...]) -> Trouble | None:
    """What is weighted by something of its own dims in front and ones behind has these dims itself: `x * gate` of `[b, c, 1, 1]`."""
    if name not in _TIMES or len(args) < 2:
        return None
    for one, gate in ((args[0], args[1]), (args[1], args[0])):
        if not all(isinstance(each, torch.Tensor) and hasattr(each, MADE_UP) for each in (one, gate)):
            return None
        rank = one.dim()
        if 1 < rank < gate.dim() and gate.shape == (*one.shape, *[1] * (gate.dim() - rank)):
            return Trouble(Wish(OUTRANKED), given=args, wanted=gate.dim(), function=name, args=(one,))
    return None


def _meets_its_batch(name: str, args: tuple[Any, ...]) -> Trouble | None:
    """What meets something of its own batch that has ones behind that has dims there itself: `x + shift` of `[b, 1, d]`."""
    if name not in _TIMES | _PLUS or len(args) < 2:
        return None
    for one, other in ((args[0], args[1]), (args[1], args[0])):
        if not all(isinstance(each, torch.Tensor) and hasattr(each, MADE_UP) for each in (one, other)):
            return None
        more = other.dim() - one.dim()
        if one.dim() > 1 and more > 0 and other.shape == (one.shape[0], *[1] * more, *one.shape[1:]):
            return Trouble(Wish(OUTRANKED), given=args, wanted=other.dim(), function=name, args=(one,))
    return None


def _meets_a_mask(name: str, args: tuple[Any, ...]) -> Trouble | None:
    """What a mask chooses from has as many dims as the mask, if none of them is broadcast."""
    if name != "masked_select" or len(args) < 2 or not isinstance(args[1], torch.Tensor):
        return None
    if not hasattr(args[0], MADE_UP) or args[0].dim() >= args[1].dim():
        return None
    return Trouble(Wish(OUTRANKED), given=args, wanted=args[1].dim(), function=name, args=args)


def _meets_a_batch(name: str, args: tuple[Any, ...]) -> Trouble | None:
    """Batches of matrices that are multiplied have as many dims: broadcasting would hold a batch against heads (`q @ k.mT`)."""
    if name not in ("matmul", "@", "__matmul__") or len(args) < 2:
        return None
    if not all(isinstance(each, torch.Tensor) and hasattr(each, MADE_UP) for each in args[:2]):
        return None
    lower, taller = sorted(args[:2], key=torch.Tensor.dim)
    if not 2 < lower.dim() < taller.dim():
        return None
    return Trouble(Wish(OUTRANKED), given=args, wanted=taller.dim(), function=name, args=(lower,))


def _indexes_beside(name: str, args: tuple[Any, ...]) -> Trouble | None:
    """An index beside others that leave dims for it has as many: `x[rows[:, None, None], heads[None, :, None], index]`."""
    if name != "__getitem__" or not isinstance(args[1], tuple):
        return None
    indices = [one for one in args[1] if isinstance(one, torch.Tensor)]
    most = max((one.dim() for one in indices if not hasattr(one, MADE_UP) and 1 in one.shape), default=0)
    for one in indices:
        if hasattr(one, MADE_UP) and 0 < one.dim() < most:
            return Trouble(Wish(OUTRANKED), given=(one,), wanted=most, function=name, args=(one,))
    return None


_LOSSES = frozenset(("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"))
"""Losses that broadcast, and warn where they do."""


def _meets_a_target(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Trouble | None:
    """What a loss holds side by side has as many dims, if both have any."""
    if name not in _LOSSES:
        return None
    one, other = [*args, kwargs.get("target")][:2]
    if not all(isinstance(each, torch.Tensor) and hasattr(each, MADE_UP) for each in (one, other)):
        return None
    lower, taller = sorted((one, other), key=torch.Tensor.dim)
    if not 0 < lower.dim() < taller.dim():
        return None
    given = (lower, taller)
    return Trouble(Wish(OUTRANKED), given=given, wanted=taller.dim(), function=name, args=given)


def _meets_a_weight(name: str, args: tuple[Any, ...]) -> Trouble | None:
    """What comes from the inputs has as many dims as a weight that leaves one for the batch (`[1, dim, 1, 1]`), and where
    that is one of pictures, no more; and as many as one of several layers (`...nd,...dh->...nh` of `[experts, dim, hidden]`).
    """
    if name == "einsum":
        weights = [one.dim() for one in args if _is_a_weight(one)] if args and "..." in str(args[0]) else []
        many = 9
    elif name in ELEMENTWISE:
        weights = [one.dim() for one in args if _is_a_weight(one) and one.dim() and one.shape[0] == 1]
        many = 3
    else:
        return None
    most = max(weights, default=0)
    for one in args if most else ():
        if isinstance(one, torch.Tensor) and hasattr(one, MADE_UP):
            if 0 < one.dim() < most or one.dim() > most > many:
                return Trouble(Wish(OUTRANKED), given=args, wanted=most, function=name, args=(one,))
    return None


def _meets_a_table(name: str, args: tuple[Any, ...]) -> Trouble | None:
    """What comes from the inputs has as many dims as what leaves one for the batch: `x * cos.view(1, n, 1, d)`, `x + grid[None]`."""
    if name not in _TIMES | _PLUS or len(args) < 2:
        return None
    for one, table in ((args[0], args[1]), (args[1], args[0])):
        if not isinstance(one, torch.Tensor) or not isinstance(table, torch.Tensor):
            return None
        if hasattr(one, MADE_UP) and 2 < one.dim() < table.dim() and table.shape[0] == 1 < max(table.shape):
            return Trouble(Wish(OUTRANKED), given=args, wanted=table.dim(), function=name, args=(one,))
    return None


def _flattens_nothing(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Trouble | None:
    """What is to be otherwise where torch is given these: `x.flatten(2)` of an input makes one dim of several."""
    start = kwargs.get("start_dim", args[1] if len(args) > 1 else 0) if name == "flatten" else 0
    whole = start and (args[2] if len(args) > 2 else kwargs.get("end_dim", -1)) == -1
    if not whole or type(start) is not int or start < 2 or not hasattr(args[0], MADE_UP):
        return None
    if args[0].dim() != start + 1:
        return None
    return Trouble(Wish(OUTRANKED), given=args, wanted=start + 2, function=name, args=args)


def _views_others(name: str, args: tuple[Any, ...]) -> Trouble | None:
    """What is viewed so that one size is left open has as many dims as that says, though a view takes any.

    `x.view(batch, -1, heads, width)` splits the last of three dims; `x.view(batch, -1)` makes one dim of several.
    """
    if name not in ("view", "reshape") or not hasattr(args[0], MADE_UP):
        return None
    sizes = args[1] if len(args) == 2 and isinstance(args[1], (tuple, list)) else args[1:]
    shape = tuple(args[0].shape)
    at = next((at for at, size in enumerate(sizes) if size == -1), 0)
    fits = shape[:at] == tuple(sizes[:at]) or len(shape) > at + 2
    if not at or not all(type(size) is int for size in sizes) or not fits:
        return None
    split = sizes[at + 1 :]
    is_split = len(split) > 1 and math.prod(split) == shape[-1] and len(shape) != at + 2
    if not is_split and (split or len(shape) != at):
        return None
    return Trouble(Wish(OUTRANKED), given=args, wanted=at + 2, function=name, args=args)


def _splits_a_batch(name: str, args: tuple[Any, ...]) -> Trouble | None:
    """What is viewed as more dims than it has, and is as wide as none of them, has one more: `x.view(-1, layers, width)` of `[n, layers]`."""
    if name not in ("view", "reshape") or not args or not hasattr(args[0], MADE_UP):
        return None
    sizes = args[1] if len(args) == 2 and isinstance(args[1], (tuple, list)) else args[1:]
    shape, kept = tuple(args[0].shape), tuple(sizes[1:])
    if sizes[:1] != (-1,) or not 1 < len(shape) <= len(kept) or not all(type(one) is int for one in kept):
        return None
    if shape[-1] in (kept[-1], math.prod(kept)) or shape[-1] not in kept:
        return None
    return Trouble(Wish(OUTRANKED), given=args, wanted=len(shape) + 1, function=name, args=args)


def _is_a_weight(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.requires_grad and value.is_leaf
