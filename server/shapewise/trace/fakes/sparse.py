"""What a sparse tensor stores: how much of it only data decides, unless it is as it was put together.

Fake tensors take it for nothing as soon as anything was made of such a tensor (`coalesce`, `to_sparse`, `mm`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..unknowns import doubts
from ..unknowns.unknown import Lost
from ..worlds import worlds
from .torchmode import Guard, handles

_AS_GIVEN = "_shapewise_as_given"
"""On a tensor that was put together of its parts: its version then."""


@handles(torch.sparse_coo_tensor)
def _made(guard: Guard, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    made = guard.plainly(torch.sparse_coo_tensor, args, kwargs)
    if sum(isinstance(part, torch.Tensor) for part in (*args, *kwargs.values())) > 1:
        setattr(made, _AS_GIVEN, made._version)
    return made


def _is_as_given(value: torch.Tensor) -> bool:
    return getattr(value, _AS_GIVEN, None) == value._version


def _values(guard: Guard, function: Any, value: torch.Tensor) -> Any:
    """What is stored, a row of the dense dims each."""
    stored = guard.plainly(function, (value,), {})
    if _is_as_given(value):
        return stored
    some = stored.sum(0, keepdim=True).to(stored.dtype)
    return some.expand(worlds.size(value), *stored.shape[1:]).contiguous()


def _indices(guard: Guard, function: Any, value: torch.Tensor) -> Any:
    """Where that is. It may be a part of what was there before equal places became one, so strides are not known."""
    stored = guard.plainly(function, (value,), {})
    if _is_as_given(value):
        return stored
    made = stored.new_empty((len(stored), worlds.size(value)))
    doubts.may_lie_otherwise(made)
    return made


def _count(guard: Guard, function: Any, value: torch.Tensor) -> Any:
    """How much that is."""
    if not _is_as_given(value):
        raise Lost("how much is stored depends on the data")
    return guard.plainly(function, (value,), {})


def _asked(handler: Callable[[Guard, Any, torch.Tensor], Any], function: Any) -> None:
    handles(function)(lambda guard, args, kwargs: handler(guard, function, args[0]))


for _function in (torch.Tensor.values, torch.Tensor._values):
    _asked(_values, _function)
for _function in (torch.Tensor.indices, torch.Tensor._indices):
    _asked(_indices, _function)
_asked(_count, torch.Tensor._nnz)
