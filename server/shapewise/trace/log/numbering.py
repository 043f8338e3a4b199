"""Values of the log under other numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ...vocabulary import events as e

if TYPE_CHECKING:
    from .recorder import Recorder

Number = Callable[[int], int]


class Count(NamedTuple):
    """How many frames there are, and numbers of objects and of memories."""

    frames: int
    numbers: int
    memories: int

    @classmethod
    def of(cls, recorder: Recorder) -> Count:
        """How many there are now."""
        return cls(len(recorder.frames), recorder.numbers(), recorder.memories())


class Numbering:
    """Gives the values of a log other numbers: `number` those of objects, `memory` those of their memories."""

    def __init__(self, number: Number, memory: Number) -> None:
        self._number, self._memory = number, memory
        self._known: dict[int, tuple[Any, Any]] = {}

    def of(self, value: Any) -> Any:
        """The same value; equal objects stay one."""
        kind = type(value)
        if kind is e.Scalar or kind is e.Unknown:
            return value
        known = self._known.get(id(value))
        if known is not None:
            return known[1]
        made = value
        if kind is e.Tensor:
            made = e.Tensor(
                self._number(value.id),
                value.shape,
                value.dtype,
                value.device,
                value.stride,
                value.contiguous,
                value.requires_grad,
                value.leaf,
                self._memory(value.storage),
                value.offset,
                value.itemsize,
                value.names,
            )
        elif kind is e.Group:
            made = e.Group(value.kind, tuple([self.of(item) for item in value.items]), value.keys)
        elif value.id is not None:
            made = e.Other(value.type, value.text, self._number(value.id))
        self._known[id(value)] = value, made
        return made

    def event(self, one: e.Event, frame: int, modes: e.Modes) -> e.Event:
        """An event of another frame."""
        if type(one) is e.Bound:
            others = tuple([self.of(value) for value in one.others]) if one.others else one.others
            return e.Bound(frame, one.span, one.kind, one.name, self.of(one.value), modes, others)
        assert type(one) is e.Op
        return e.Op(
            frame,
            one.span,
            one.name,
            tuple([self.of(arg) for arg in one.args]),
            tuple([(name, self.of(arg)) for name, arg in one.kwargs]) if one.kwargs else one.kwargs,
            self.of(one.result),
            one.failure,
            modes,
        )
