"""What real torch said of a call, for the next one that is the same to it: a search makes a call again and again."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import torch
from torch._C._functorch import is_functorch_wrapped_tensor as is_wrapped

from ..unknowns.values import known

_MOST = 5_000
_ANSWERS: dict[Any, Exception | None] = {}
_PLAIN = frozenset(
    (int, float, bool, str, complex, type(None), torch.dtype, torch.device, torch.layout, torch.memory_format)
)


class _Unlike(Exception):
    """This call is not like any other."""


Ask = Callable[[Any, tuple[Any, ...], dict[str, Any]], "Exception | None"]


def once(ask: Ask, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Exception | None:
    """What `ask` finds out about a call; it is not asked again about one with the same facts."""
    try:
        key = func, torch.is_grad_enabled(), tuple(_facts((args, kwargs), {}))
    except _Unlike:
        return ask(func, args, kwargs)
    if key not in _ANSWERS:
        if len(_ANSWERS) >= _MOST:
            _ANSWERS.clear()
        _ANSWERS[key] = _alone(ask(func, args, kwargs))
    answer = _ANSWERS[key]
    return None if answer is None else copy.copy(answer)


def _alone(error: Exception | None) -> Exception | None:
    """Without what it would hold alive: stand-ins may be large."""
    if error is not None:
        error.__traceback__ = error.__context__ = error.__cause__ = None
    return error


def _facts(value: Any, memories: dict[int, int]) -> list[Any]:
    """All that real torch can see of what stands in for a value. Raises _Unlike where numbers are known."""
    kind = type(value)
    if isinstance(value, torch.Tensor):
        if value.layout is not torch.strided or known(value) is not None or is_wrapped(value):
            raise _Unlike
        storage = value.untyped_storage()
        return [
            tuple(value.shape),
            value.stride(),
            value.storage_offset(),
            value.dtype,
            value.requires_grad,
            value.is_leaf,
            value.is_inference(),
            memories.setdefault(storage._cdata, len(memories)),
            storage.nbytes(),
        ]
    if kind in _PLAIN:
        return [kind, value]
    if kind in (tuple, list, torch.Size):
        return [kind, len(value), *(fact for one in value for fact in _facts(one, memories))]
    if kind is dict:
        return [kind, *value, *(fact for one in value.values() for fact in _facts(one, memories))]
    if kind is slice:
        return [
            kind,
            *(fact for one in (value.start, value.stop, value.step) for fact in _facts(one, memories)),
        ]
    raise _Unlike
