"""Torch's own words for an op that fake tensors refused.

People search for the real text, and fake tensors word a fifth of all errors differently (measured
on torch's error inputs). So the one op that failed is called again on real CPU tensors. They have
the same shapes, strides and dtypes, and own memory that is never touched: torch checks before it
computes. A real verdict of "legal" means that the fake one cannot be trusted: no finding then.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from ..vocabulary.events import Failure
from .devices import OnTheCard

_LIMIT = 256 * 1024 * 1024
"""Bytes of address space one stand-in may reserve; beyond that it shares one element (stride 0)."""


_FILLED = 1_000_000
"""Elements up to which a stand-in is filled with zeros."""


class _TooLarge(Exception):
    pass


def first_line(error: BaseException) -> str:
    """The first line of an error's message."""
    return str(error).strip().split("\n")[0]


def _stand_in(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        needed = 1 + sum((size - 1) * step for size, step in zip(value.shape, value.stride()) if size)
        if needed * value.element_size() > _LIMIT:
            raise _TooLarge
        real = torch.empty_strided(tuple(value.shape), value.stride(), dtype=value.dtype)
        if real.numel() <= _FILLED:
            real.zero_()  # an index, a probability in range: what lies in unused memory is not
        if real.is_floating_point() or real.is_complex():
            real.requires_grad_(value.requires_grad and value.is_leaf)
        return real
    if type(value) in (tuple, list):
        return type(value)(_stand_in(item) for item in value)
    if type(value) is dict:
        return {key: _stand_in(item) for key, item in value.items()}
    return value


def replay(
    error: Exception, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Exception, Failure] | None:
    """What real torch raises at this call. None if it does not refuse it."""
    if isinstance(error, OnTheCard):
        return error, Failure("RuntimeError", first_line(error), authentic=True)
    with _disable_current_modes(), torch._C.DisableTorchFunction(), torch.no_grad():
        try:
            real_args, real_kwargs = _stand_in(args), _stand_in(kwargs)
        except (_TooLarge, RuntimeError, TypeError):
            return error, Failure(type(error).__name__, first_line(error))
        try:
            func(*real_args, **real_kwargs)
        except Exception as real:
            return real, Failure(type(real).__name__, first_line(real), authentic=True)
    return None
