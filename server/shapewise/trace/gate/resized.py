"""Layers that a package was given which is there to change their sizes: what they hold and give is not known from then on."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from ...vocabulary.wire import RESIZES
from ..unknowns.unknown import Unknown
from .entries import arguments
from .own import is_interpreted

if TYPE_CHECKING:
    from ...vocabulary.span import Span
    from ..run import Env, Run

_LISTS = frozenset("parameters named_parameters buffers named_buffers state_dict".split())


def hand_over(env: Env, span: Span, given: Iterable[Any], why: str) -> None:
    """A call that is not followed was given these: it may call them, too, with anything."""
    if not why.endswith(RESIZES):
        return
    from .calls import call

    for layer in given:
        if isinstance(layer, nn.Module) and id(layer) not in env.run.switched.resized:
            env.run.switched.resized.update((id(part), part) for part in layer.modules())
            if is_interpreted(forward := type(layer).forward):
                call(env, span, layer, *arguments(inspect.signature(forward), True, skipped=1), "forward")


def called(run: Run, function: Any) -> Unknown | None:
    """What a call of such a layer gives, unless its own code says so; None of any other function."""
    if isinstance(function, nn.Module):
        if id(function) in run.switched.resized and not is_interpreted(type(function).forward):
            return Unknown("a layer that may have another size now", True)
    elif id(getattr(function, "__self__", None)) in run.switched.resized and function.__name__ in _LISTS:
        return Unknown("a layer that may have another size now")
    return None


def read(run: Run, owner: Any, value: Any) -> Any:
    """What is read of an object: of such a layer no tensor is known."""
    if id(owner) in run.switched.resized and isinstance(value, torch.Tensor):
        return Unknown("a layer that may have another size now", True)
    return value
