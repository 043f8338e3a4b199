"""Live memory along one call of a layer: what it makes, and how long each memory is held.

A memory is held from the step that makes it until the last that reads it; longer where a name is
bound to it, where a layer was handed it, where autograd saves it, where the call gives it back, where
autocast keeps a weight that it has cast. The
memory of parameters and buffers is not in it.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from ..vocabulary.events import Bound, Log
from ..vocabulary.layers import LayerCall, Measured, Step
from .lineage import tensors


@dataclass(frozen=True, slots=True)
class Held:
    """One memory: its bytes, the steps from and to which it is held (both included), and whether
    autograd saves it. `begin` is None for what the call was given."""

    memory: int
    size: int
    begin: int | None
    end: int
    saved: bool


@dataclass(frozen=True, slots=True)
class Course:
    """Bytes held at each step of a call; `first` is the number of the first step. `after`: those still held
    when the call is over."""

    first: int
    live: tuple[int, ...]
    held: tuple[Held, ...]
    after: int

    @property
    def peak(self) -> int:
        """The step at which most is held."""
        return self.first + max(range(len(self.live)), key=self.live.__getitem__)

    def at(self, step: int) -> tuple[Held, ...]:
        """What is held at a step, the largest first."""
        return tuple(
            sorted(
                (one for one in self.held if (one.begin is None or one.begin <= step) and step <= one.end),
                key=lambda one: -one.size,
            )
        )


def course(log: Log, measured: Measured, call: LayerCall) -> Course | None:
    """The memory along a call of a layer; None if nothing happened in it."""
    first, end = call.first, call.end
    if first >= end:
        return None
    steps = measured.steps
    ends = _released(log, measured, call)
    for number in range(first, end):
        for memory in steps[number].reads:
            ends[memory] = max(ends.get(memory, 0), number)
    for inner in measured.calls:
        if first <= inner.first and inner.end <= end and inner is not call:
            for memory, _ in inner.given:
                ends[memory] = max(ends.get(memory, 0), inner.end - 1)
    saved = frozenset(measured.saved)
    kept = saved | {tensor.storage for tensor in tensors(call.output)}
    kept |= {memory for step in steps[first:end] if _casts_a_weight(log, step) for memory, _ in step.makes}
    held = [Held(memory, size, None, end - 1, memory in saved) for memory, size in call.given]
    for number in range(first, end):
        for memory, size in steps[number].makes:
            last = end - 1 if memory in kept else max(number, min(ends.get(memory, number), end - 1))
            held.append(Held(memory, size, number, last, memory in saved))
    changes = [0] * (end - first + 1)
    for one in held:
        changes[0 if one.begin is None else one.begin - first] += one.size
        changes[one.end - first + 1] -= one.size
    live, now = [], 0
    for change in changes[:-1]:
        now += change
        live.append(now)
    after = sum(one.size for one in held if one.begin is None or one.memory in kept)
    return Course(first, tuple(live), tuple(held), after)


def _casts_a_weight(log: Log, step: Step) -> bool:
    """Whether autocast makes what it keeps until its region ends. Weights are no memories that a step reads."""
    if step.op != "_to_copy" or step.reads or step.events >= len(log.events):
        return False
    return log.events[step.events].modes.autocast is not None


def _released(log: Log, measured: Measured, call: LayerCall) -> dict[int, int]:
    """For each memory that a name is bound to during a call, the last step at which it still is."""
    times = [step.events for step in measured.steps]
    begin = times[call.first]
    until = times[call.end - 1]
    last_of: dict[int, int] = {}
    bound: dict[tuple[int, str], int] = {}
    ends: dict[int, int] = {}

    def let_go(number: int, event: int) -> None:
        value = log.events[number]
        assert isinstance(value, Bound)
        for tensor in tensors(value.value):
            ends[tensor.storage] = max(ends.get(tensor.storage, 0), bisect_right(times, event) - 1)

    for number in range(begin, len(log.events)):
        event = log.events[number]
        if number > until and event.frame not in last_of:
            continue
        last_of[event.frame] = number
        if not isinstance(event, Bound) or event.kind not in ("binding", "parameter"):
            continue
        key = event.frame, event.name
        if key in bound:
            let_go(bound[key], number)
        bound[key] = number
    for (frame, name), number in bound.items():
        let_go(number, len(log.events) if "." in name else last_of[frame])
    return ends
