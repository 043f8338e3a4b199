"""What layers hold: how many parameters and buffers, and the memory they take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

import torch
from torch import nn

from ...vocabulary.events import Weights

_BY_NUMBER = attrgetter("id")


class Weighed:
    """The layers that a trace came by, counted when it did and once more at its end."""

    def __init__(self) -> None:
        self._met: dict[int, tuple[nn.Module, Weights | None]] = {}
        self._settled: list[Weights] = []
        self.is_closed = False
        """Whether layers are met no more: those of made-up inputs have made-up sizes."""
        self._elsewhere: list[dict[int, Weights]] = []
        """What the same layers hold in the other worlds."""

    def meet(self, number: int, layer: nn.Module) -> None:
        """A layer was built or called."""
        if number not in self._met and not self.is_closed:
            self._met[number] = layer, _counted(number, layer)

    def when_met(self, number: int) -> Weights | None:
        """What a layer held then; None where that is not known, or it was not met."""
        return self._met[number][1] if number in self._met else None

    def meet_again(self, number: int, layer: nn.Module, counted: Weights | None) -> None:
        """A layer was met as another was, in a call that is said again."""
        if number not in self._met and not self.is_closed:
            self._met[number] = layer, None if counted is None else replace(counted, id=number)

    def keep(self, weights: Iterable[Weights]) -> None:
        """Those of layers that are not there: what they are used in is said again."""
        self._settled += weights

    def count(self) -> int:
        """How many layers were met."""
        return len(self._met)

    def met_since(self, count: int) -> tuple[int, ...]:
        """The numbers of the layers that were met since there were so many."""
        return tuple([*self._met][count:]) if len(self._met) > count else ()

    def agree(self, others: Sequence[Weighed]) -> None:
        """Of a layer that holds something else in another world, as its sizes are not known, nothing is said."""
        self._elsewhere = [{one.id: one for one in other.all()} for other in others]

    def all(self) -> tuple[Weights, ...]:
        """Those that held the same all along, by their numbers."""
        held = [
            counted
            for number, (layer, counted) in self._met.items()
            if counted is not None and counted == _counted(number, layer)
        ]
        every = sorted((*self._settled, *held), key=_BY_NUMBER)
        return tuple([one for one in every if all(known.get(one.id) == one for known in self._elsewhere)])


def _counted(number: int, layer: nn.Module) -> Weights | None:
    """None where something in it is not known, or not made yet (lazy layers)."""
    parameters: dict[int, torch.Tensor] = {}
    buffers: dict[int, torch.Tensor] = {}
    for one in _within(layer, set()):
        for held, into in ((one.get("_parameters"), parameters), (one.get("_buffers"), buffers)):
            if not isinstance(held, dict):
                return None
            for value in held.values():
                if value is None:
                    continue
                if not isinstance(value, torch.Tensor) or isinstance(value, _NOT_MADE):
                    return None
                into[id(value)] = value
    with torch._C.DisableTorchFunction():
        return Weights(
            number,
            sum(one.numel() for one in parameters.values()),
            sum(one.numel() for one in buffers.values()),
            sum(one.numel() * one.element_size() for one in (*parameters.values(), *buffers.values())),
        )


_NOT_MADE = (nn.parameter.UninitializedParameter, nn.parameter.UninitializedBuffer)


def _within(layer: nn.Module, seen: set[int]) -> Iterator[dict[str, Any]]:
    """The attributes of a layer and of all in it, each once. No method of the program's is called."""
    if id(layer) in seen:
        return
    seen.add(id(layer))
    held = object.__getattribute__(layer, "__dict__")
    yield held
    inner = held.get("_modules")
    for one in inner.values() if isinstance(inner, dict) else ():
        if isinstance(one, nn.Module):
            yield from _within(one, seen)
