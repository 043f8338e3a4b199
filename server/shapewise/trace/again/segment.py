"""What a call wrote down, and the same under the numbers of another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...vocabulary import events as e
from ..log.numbering import Numbering
from .code import Unfit

if TYPE_CHECKING:
    from ..log.recorder import Recorder, Whole
    from ..run import Run
    from .look import Look
    from .made import Made


Words = list[tuple[int, e.Bound]]
"""Bindings of integers, each with how many events of the segment were before it."""
Written = tuple[list[e.Frame], list[e.Event], Words]


class Segment:
    """The frames and events of one call."""

    def __init__(self, run: Run, look: Look, frame: int, whole: Whole) -> None:
        """All since there were so many frames. Raises Unfit."""
        recorder = run.recorder
        self.frames = recorder.frames[frame:]
        self.spoken_of = list(whole.numbers), list(whole.memories)
        """The numbers of objects and of memories, in the order in which they were first spoken of."""
        self.events, self.words = whole.events, whole.words
        self.quiet = recorder.quiet[frame:]
        self.first = frame
        self.rounds = len(recorder.rounds)
        if any(type(one) is e.Op and one.failure is not None for one in self.events):
            raise Unfit
        if any(one.abandoned for one in self.frames):
            raise Unfit
        frames = range(frame, len(recorder.frames))
        self.selves = {at: recorder.selves[at] for at in frames if at in recorder.selves}
        self.alike = [at for at in frames if at in recorder.alike]
        self.numbers, self.memories = _numbers_of(recorder, look)
        layers = dict.fromkeys(
            value.id
            for one in self.events
            if type(one) is e.Op
            for value in (one.result, *(one.args[:1] if one.name.endswith("()") else ()))
            if type(value) is e.Other and value.id is not None
        )
        self.said: tuple[Any, Written] | None = None
        """Under which numbers, and where, it was last written down, and what that was: mostly it is the same again."""
        self.layers = [(number, recorder.weights.when_met(number)) for number in layers]


def _numbers_of(recorder: Recorder, look: Look) -> tuple[dict[int, int], dict[int, int]]:
    """By number in the log the place of what the call saw: of objects, and of memories."""
    numbers: dict[int, int] = {}
    memories: dict[int, int] = {}
    for at, value in enumerate(look.held):
        number = recorder.known_number(value)
        if number is not None:
            numbers[number] = at
    for at, tensor in look.tensors:
        number = recorder.known_memory(tensor)
        if number is not None:
            memories.setdefault(number, at)
    return numbers, memories


class Said:
    """A segment written down once more: the numbers that its own have become."""

    def __init__(self, segment: Segment, run: Run, look: Look, made: Sequence[Made]) -> None:
        self._segment, self._recorder, self._look = segment, run.recorder, look
        self._numbers: dict[int, int] = {}
        self._memories: dict[int, int] = {}
        self._numbering = Numbering(self.number, self._memory)
        self._modes: dict[int, Any] = {}
        recorder = run.recorder
        for given in segment.spoken_of[0]:
            self.number(given)
        for given in segment.spoken_of[1]:
            self._memory(given)
        layers: dict[int, Any] = {}
        for value, number, memory in made:
            if number is not None:
                recorder.give_number(value, self.number(number))
                layers[number] = value
            if memory is not None:
                recorder.give_memory(value, self._memory(memory))
        self._shift = len(recorder.frames) - segment.first
        self._rounds = tuple(recorder.rounds)
        place = (
            self._shift,
            self._rounds,
            run.frames[-1] if run.frames else None,
            run.site,
            tuple(self._numbers.items()),
            tuple(self._memories.items()),
        )
        if segment.said is not None and segment.said[0] == place:
            frames, events, words = segment.said[1]
        else:
            frames, events, words = written = self._written(run)
            segment.said = place, written
        recorder.frames += frames
        recorder.quiet += segment.quiet
        for one, number in segment.selves.items():
            recorder.selves[one + self._shift] = self.number(number)
        recorder.alike.update(one + self._shift for one in segment.alike)
        recorder.say(events, words)
        for one, counted in segment.layers:
            seen = segment.numbers.get(one)
            if seen is not None:
                recorder.weights.meet(self.number(one), look.held[seen])
            elif one in layers:
                recorder.weights.meet_again(self.number(one), layers[one], counted)

    def _written(self, run: Run) -> Written:
        segment, parent = self._segment, run.frames[-1] if run.frames else None
        frames = [
            replace(frame, id=frame.id + self._shift, parent=parent, site=run.site)
            if not at
            else replace(frame, id=frame.id + self._shift, parent=frame.parent + self._shift)  # type: ignore[operator]
            for at, frame in enumerate(segment.frames)
        ]
        words = [
            (
                before,
                e.Bound(
                    bound.frame + self._shift,
                    bound.span,
                    bound.kind,
                    bound.name,
                    bound.value,
                    self._mode(bound.modes),
                ),
            )
            for before, bound in segment.words
        ]
        event = self._numbering.event
        events = [event(one, one.frame + self._shift, self._mode(one.modes)) for one in segment.events]
        return frames, events, words

    def number(self, number: int) -> int:
        """The number here of an object of then."""
        known = self._numbers.get(number)
        if known is None:
            at = self._segment.numbers.get(number)
            known = self._numbers[number] = (
                self._recorder.new_number() if at is None else self._recorder.number(self._look.held[at])
            )
        return known

    def _memory(self, number: int) -> int:
        known = self._memories.get(number)
        if known is None:
            at = self._segment.memories.get(number)
            known = self._memories[number] = (
                self._recorder.new_memory() if at is None else self._recorder.memory(self._look.held[at])
            )
        return known

    def _mode(self, modes: e.Modes) -> e.Modes:
        known = self._modes.get(id(modes))
        if known is None:
            rounds = (*self._rounds, *modes.rounds[self._segment.rounds :])
            known = self._modes[id(modes)] = (
                modes
                if rounds == modes.rounds
                else e.Modes(modes.grad, modes.inference, modes.autocast, rounds)
            )
        return known
