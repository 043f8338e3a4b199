"""What several worlds measured, made one: where they differ, the data decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...vocabulary.events import Unknown
from ...vocabulary.layers import LayerCall, Measured, Step
from .merging import joined_value

_WHY = "sizes in it depend on the data"


def together(first: Measured | None, others: Sequence[Measured | None]) -> Measured | None:
    """The first world's measures, without the sizes of which another world has others."""
    if first is None:
        return None
    for other in others:
        if other is not None:
            first = _both(first, other)
    return first


def _both(mine: Measured, other: Measured) -> Measured:
    calls = tuple(
        replace(call, output=joined_value(call.output, another.output))
        if _key(call) == _key(another)
        else replace(call, output=Unknown(_WHY, True))
        for call, another in zip(mine.calls, (*other.calls, *mine.calls[len(other.calls) :]))
    )
    same = [_key(call) for call in mine.calls] == [_key(call) for call in other.calls]
    steps = tuple(map(_step, mine.steps, other.steps)) if same and len(mine.steps) == len(other.steps) else ()
    sizes = steps and [step.makes for step in mine.steps] == [step.makes for step in other.steps]
    flops = tuple(steps) or tuple(replace(step, flops=None) for step in mine.steps)
    return replace(mine, calls=calls, steps=flops, doubtful=None if sizes and mine.doubtful is None else _WHY)


def _key(call: LayerCall) -> object:
    return call.parent, call.name, call.type, call.span


def _step(mine: Step, other: Step) -> Step:
    return mine if (mine.op, mine.flops) == (other.op, other.flops) else replace(mine, flops=None)
