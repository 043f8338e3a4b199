"""Tensors over memory of Python's own: none of it is looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ..unknowns.unknown import Lost
from ..wall import allowed
from ..worlds import worlds
from . import given_out, shim

if TYPE_CHECKING:
    from ..run import Env


@shim(torch.frombuffer)
def _frombuffer(env: Env, buffer: Any, *, dtype: Any, count: Any = -1, **options: Any) -> Any:
    """Nobody knows how many numbers of a type, in one row."""
    if not isinstance(dtype, torch.dtype):
        raise Lost("a dtype that is not known")
    size = count if type(count) is int and count >= 0 else worlds.size()
    return torch.empty((size,), dtype=dtype, requires_grad=options.get("requires_grad") is True)


allowed.TAKES_UNKNOWNS.add(id(given_out(torch.frombuffer)))
