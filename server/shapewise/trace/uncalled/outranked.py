"""Inputs that have fewer dims than a weight they meet, or more: torch broadcasts them, and nobody gives them."""

from __future__ import annotations

from typing import Any

import torch

from .specs import MADE_UP
from .trouble import OUTRANKED, Trouble, Wish
from .usual import ELEMENTWISE


def meets_a_weight(name: str, args: tuple[Any, ...]) -> Trouble | None:
    """What is to be otherwise where torch is given these, None if nothing is.

    What comes from the inputs has as many dims as a weight that leaves one for the batch (`[1, dim, 1, 1]`), and where
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


def _is_a_weight(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.requires_grad and value.is_leaf
