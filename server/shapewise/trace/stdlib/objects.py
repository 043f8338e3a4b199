"""Objects in files: pickled, saved, and what is read back of them."""

from __future__ import annotations

import copy
import weakref
from collections import OrderedDict
from typing import Any, NamedTuple

import torch
from torch import nn

from .. import arrays
from ..fakes.devices import device_of, place
from ..log.facts import facts_of
from ..unknowns import doubts
from ..unknowns.grown import grown, mark_of
from ..unknowns.joining import JOINS
from ..unknowns.unknown import Lost, Unknown
from . import stand_in
from .files import content, put
from .plain import SCALARS, is_plain

_WHY = "what a file says"
_ITEMS = 20_000
_DEPTH = 20


class Saved(NamedTuple):
    """An object that a file holds in a form of its own: what `restored` gives whoever reads it."""

    value: Any
    form: str


def kept(value: Any, depth: int = _DEPTH) -> Any:
    """A copy of what is saved, or read back: tensors with memory of their own, plain data, layers.

    All else is unknown, and what may be one thing or another.
    """
    if type(value) is Unknown or type(value) in SCALARS:
        return value
    if isinstance(value, torch.Tensor):
        return _copied(value)
    if type(value) in (list, tuple, dict, OrderedDict) and depth and len(value) <= _ITEMS:
        items = value.values() if isinstance(value, dict) else value
        copies = [kept(item, depth - 1) for item in items]
        made = type(value)(zip(value, copies) if isinstance(value, dict) else copies)
        mark = mark_of(value)
        if mark is not None:
            grown(made, *mark[1:])
        return made
    if isinstance(value, (nn.Module, arrays.Array)):
        try:
            return copy.deepcopy(value)
        except (Lost, RuntimeError, TypeError):
            return Unknown(_WHY)
    return Unknown("an object that was saved")


def _copied(value: torch.Tensor) -> Any:
    with torch._C.DisableTorchFunction(), torch.no_grad():
        if value.layout is not torch.strided or doubts.of(value):
            return Unknown("a tensor that was saved", True)
        made = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype)
        grad = value.requires_grad
        made = nn.Parameter(made, grad) if isinstance(value, nn.Parameter) else made.requires_grad_(grad)
    place(made, torch.device(device_of(value)))
    return made


class Model:
    """A layer that was saved. Of two states of one model it is either, whatever its weights are."""

    __slots__ = ("layer",)

    def __init__(self, layer: nn.Module) -> None:
        self.layer = layer


def _either(left: Any, right: Any) -> Any:
    alike = type(left) is type(right) is Model and _looks(left.layer) == _looks(right.layer)
    return left if alike else Unknown(_WHY)


def _looks(model: nn.Module) -> list[Any]:
    """All that two models of the same looks have in common, whatever their weights are."""
    found: list[Any] = []
    for name, layer in model.named_modules():
        own = {key: _look(value) for key, value in vars(layer).items() if key not in _PARTS}
        parts = {key: _look(value) for held in _PARTS for key, value in vars(layer).get(held, {}).items()}
        found.append((name, type(layer), own, parts))
    return found


_PARTS = ("_parameters", "_buffers", "_modules")


def _look(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return facts_of(value), doubts.of(value)
    if isinstance(value, (nn.Module, weakref.ref)):
        return type(value)
    if type(value) in (list, tuple):
        return [_look(item) for item in value]
    if isinstance(value, dict):
        return {key: _look(item) for key, item in value.items()}
    return value if is_plain(value) else id(value)


JOINS[Model] = _either


def restored(held: Any, form: str) -> Any:
    """What a file of this form gives; an Unknown where it does not hold one."""
    if type(held) is not Saved or held.form != form:
        return Unknown(_WHY)
    return kept(held.value.layer if type(held.value) is Model else held.value)


def saved(value: Any, form: str) -> Saved:
    """What a file holds in which this was saved."""
    copied = kept(value)
    return Saved(Model(copied) if isinstance(copied, nn.Module) else copied, form)


def _dump(value: Any, file: Any, *args: Any, **options: Any) -> None:
    put(file, saved(value, "pickle"))


def _load(file: Any, *args: Any, **options: Any) -> Any:
    return restored(content(file), "pickle")


stand_in("pickle", {"dump": _dump, "load": _load, "HIGHEST_PROTOCOL": 5})
