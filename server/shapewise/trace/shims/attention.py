"""Torch: attention that takes the user's own functions, which are compiled into it and not called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.nn.attention import flex_attention as flex

from ..unknowns import doubts
from ..unknowns.unknown import Unknown
from ..wall import allowed
from . import given_out, shim

if TYPE_CHECKING:
    from ..run import Env


@shim(flex.create_block_mask)
def _block_mask(env: Env, *args: Any, **kwargs: Any) -> Unknown:
    return Unknown("a block mask")


@shim(flex.flex_attention)
def _flex_attention(
    env: Env, query: Any, key: Any, value: Any, *args: Any, enable_gqa: Any = False, **kwargs: Any
) -> Any:
    """`[B, Hq, L, Ev]` of queries `[B, Hq, L, E]` and values `[B, Hkv, S, Ev]`, with the lengths `[B, Hq, L]` if they are asked for.

    How the result lies in memory hangs on whether it is compiled.
    """
    if kwargs.get("return_aux") is not None or not all(
        isinstance(one, torch.Tensor) and one.dim() == 4 for one in (query, key, value)
    ):
        return Unknown("attention whose results are not followed", True)
    out = torch.nn.functional.scaled_dot_product_attention(query, key, value, enable_gqa=bool(enable_gqa))
    doubts.may_lie_otherwise(out)
    if not kwargs.get("return_lse"):
        return out
    return out, query.new_empty(query.shape[:3], dtype=torch.float32)


allowed.TAKES_UNKNOWNS.add(id(given_out(flex.flex_attention)))
