"""Modules that hold something unknown: how many weights, buffers and layers there are in one of them nobody knows.

Those that are known come first, so that loops that freeze or initialize them go on working; then nobody knows how many more.
An optimizer, and what clips gradients, take those that are known.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from types import GeneratorType
from typing import Any

import torch
from torch import nn

from ..shims import real
from ..unknowns.grown import grown, is_grown, unknown_in
from ..unknowns.unknown import Lost, Unknown, likely
from .own import is_interpreted

_BELOW = frozenset(
    "parameters named_parameters buffers named_buffers modules named_modules state_dict".split()
)
_ITS_OWN = frozenset("children named_children".split())
_RESTS: weakref.WeakSet[Any] = weakref.WeakSet()
"""What gives items of which nobody knows how many."""
_TAKERS = {id(torch.nn.utils.clip_grad_norm_), id(torch.nn.utils.clip_grad_value_)}


def lost_in(function: Any) -> Unknown | None:
    """What makes nobody know all that such a method of a module gives; None of any other function."""
    layer = getattr(function, "__self__", None)
    if not isinstance(layer, nn.Module) or is_interpreted(getattr(function, "__func__", None)):
        return None
    name = function.__name__
    if name in _ITS_OWN:
        return _unknown_in(layer, True)
    return _unknown_in(layer, False) if name in _BELOW else None


def and_more(given: Any, why: str) -> Any:
    """What the method gave, and nobody knows how much more."""
    if type(given) is OrderedDict:
        grown(given, why, sure=True)
        return given
    if not isinstance(given, Iterator):
        return given
    rest = _and_more(given, why)
    _RESTS.add(rest)
    return rest


def listed(function: Any, args: Sequence[Any]) -> list[Any] | None:
    """The list of such items; None where it is anything else that is made."""
    if function is not list or len(args) != 1 or type(args[0]) is not GeneratorType or args[0] not in _RESTS:
        return None
    known: list[Any] = []
    try:
        known.extend(args[0])
    except Lost as error:
        grown(known, error.why)
    return known


def _and_more(known: Iterator[Any], why: str) -> Iterator[Any]:
    yield from known
    raise Lost(why)


def _unknown_in(layer: nn.Module, direct: bool) -> Unknown | None:
    """What a module, or one in it, holds that may be a layer or a weight."""
    for part in (layer,) if direct else layer.modules():
        lost = is_grown(part)
        if lost is not None:
            return lost
        for value in vars(part).values():
            if type(value) is Unknown and value.kind is None and likely(value) is value:
                return value
    return None


def known_of(
    function: Any, args: Sequence[Any], kwargs: dict[str, Any]
) -> tuple[Sequence[Any], dict[str, Any]]:
    """The arguments of an optimizer, or of what clips gradients, with the weights that are known."""
    if not _is_taker(function):
        return args, kwargs
    return [_known(arg) for arg in args], {key: _known(arg) for key, arg in kwargs.items()}


def _is_taker(function: Any) -> bool:
    if isinstance(function, type):
        return issubclass(function, torch.optim.Optimizer)
    inner = getattr(function, "__func__", None)
    return inner is torch.optim.Optimizer.__init__ or id(real(function)) in _TAKERS


def _known(arg: Any) -> Any:
    if isinstance(arg, Iterator):
        return _drained(arg)
    if type(arg) is dict and "params" in arg:
        return {**arg, "params": _known(arg["params"])}
    if type(arg) is list and any(type(one) is dict for one in arg):
        return [_known(one) for one in arg]
    if type(arg) is list and unknown_in(arg) is not None:
        return [one for one in arg if type(one) is not Unknown] or arg
    return arg


def _drained(items: Iterator[Any]) -> Any:
    known: list[Any] = []
    try:
        known.extend(items)
    except Lost as error:
        if not known:
            return Unknown(error.why)
    return known
