"""What definitions tell by themselves, by place: their words are used where another one uses them.

A layer made with 64 channels has 64 in a dim there; by itself it calls the dim `channels`, which is 64 there, too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from ....vocabulary.events import Bound, Event, Frame, Tensor, Value
from ..doubting.covering import told


class Own:
    """What was assumed so far of definitions that were tried by themselves.

    `tried_for`: by frame, the definition that was tried.
    """

    def __init__(self, events: Iterable[Event], frames: list[Frame], tried_for: Mapping[int, str]) -> None:
        self._by_place: dict[Any, list[Value]] = defaultdict(list)
        for event in events:
            frame = frames[event.frame]
            if tried_for.get(event.frame) == frame.scope.partition(".")[0]:
                others = event.others if isinstance(event, Bound) else ()
                every = [one for one in (told(event), *others) if one is not None]
                self._by_place[_place(event, frame)] += every

    def told(self, event: Event, frame: Frame) -> Value | None:
        """What is told at the place of an event; of a tensor, where it has as many dims."""
        value = told(event)
        for own in self._by_place.get(_place(event, frame), ()):
            if type(own) is not type(value):
                continue
            if not isinstance(own, Tensor) or not isinstance(value, Tensor):
                return own
            if own.shape is not None and len(own.shape) == len(value.shape) and _has_words(own):
                return own
        return None


def _place(event: Event, frame: Frame) -> Any:
    return type(event), event.span, event.name, frame.file, frame.scope


def _has_words(tensor: Tensor) -> bool:
    return any(isinstance(dim, str) for dim in tensor.shape)
