"""Calls as if nobody had written `input=` and `target=`: what an op is about stands in its arguments."""

from __future__ import annotations

from dataclasses import replace

from ..vocabulary.events import Event, Log, Op, Tensor
from .lineage import short

_ORDER = (
    "input",
    "input1",
    "x1",
    "tensors",
    "query",
    "other",
    "mat2",
    "vec2",
    "target",
    "input2",
    "x2",
    "key",
    "value",
)
"""The names of what torch's functions and layers take first, in the order in which any of them takes it."""


def positional(log: Log) -> Log:
    """The log with such keywords in their places."""
    if not any(isinstance(event, Op) and event.kwargs for event in log.events):
        return log
    there = log.on_a_card
    return replace(
        log,
        events=tuple(_placed(event) for event in log.events),
        on_a_card=None if there is None else positional(there),
    )


def _placed(event: Event) -> Event:
    if not isinstance(event, Op) or not event.kwargs or not _is_torchs(event):
        return event
    if short(event.name) == "gather" and len(event.args) == 1 and {"dim", "index"} <= {*dict(event.kwargs)}:
        named = dict(event.kwargs)
        rest = tuple(one for one in event.kwargs if one[0] not in ("dim", "index"))
        return replace(event, args=(*event.args, named["dim"], named["index"]), kwargs=rest)
    moved = sorted((one for one in event.kwargs if one[0] in _ORDER), key=lambda one: _ORDER.index(one[0]))
    if not moved:
        return event
    return replace(
        event,
        args=(*event.args, *(value for _, value in moved)),
        kwargs=tuple(one for one in event.kwargs if one[0] not in _ORDER),
    )


def _is_torchs(op: Op) -> bool:
    if op.name.startswith("torch.") or op.name.endswith("()"):
        return True
    return bool(op.args) and isinstance(op.args[0], Tensor) and "." not in op.name
