"""The layers of a class that nothing calls, in the order of its `forward`, with names for their dims."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..vocabulary.events import Bound, Frame, Log, Op, Other, Value
from ..vocabulary.span import Span
from .memory import tensors


@dataclass(frozen=True, slots=True)
class Sketched:
    """A call of a layer, with its `type`, or an operation between layers, which is called `name`."""

    depth: int
    name: str
    type: str | None
    file: str
    span: Span
    output: Value
    failed: bool


def sketch(log: Log, name: str) -> tuple[Sketched, ...]:
    """What a class does on inputs that were made up, from top to bottom; nothing if it was not tried."""
    runs = [frame for frame in log.frames if frame.assumed and f".{frame.scope}".endswith(f".{name}.forward")]
    if not runs:
        return ()
    count = {frame.id: 0 for frame in runs}
    for event in log.events:
        if event.frame in count:
            count[event.frame] += 1
    best = max(runs, key=lambda frame: count[frame.id])
    returned = _returned(log, best)
    if returned is None or not any(tensors(returned.value)):
        return ()
    top = Sketched(0, name, name, best.file, returned.span, returned.value, False)
    return (top, *_inside(log, best, 1))


def _inside(log: Log, frame: Frame, depth: int) -> Iterator[Sketched]:
    below = [one for one in log.frames if one.parent == frame.id]
    for event in log.events:
        if event.frame != frame.id or not isinstance(event, Op):
            continue
        first = event.args[0] if event.args else None
        failed = event.failure is not None and not event.failure.caught
        if event.name.endswith("()") and isinstance(first, Other):
            yield Sketched(depth, "", first.type, frame.file, event.span, event.result, failed)
            called = next((one for one in below if one.site == event.span), None)
            if called is not None:
                below.remove(called)
                yield from _inside(log, called, depth + 1)
        elif _makes(event):
            yield Sketched(depth, event.name, None, frame.file, event.span, event.result, failed)


def _makes(op: Op) -> bool:
    """Whether an operation makes a tensor of its own, and no view of what it is given."""
    given = {tensor.storage for arg in op.args for tensor in tensors(arg)}
    made = {tensor.storage for tensor in tensors(op.result)}
    return bool(made) and not made & given


def _returned(log: Log, frame: Frame) -> Bound | None:
    return next(
        (
            event
            for event in reversed(log.events)
            if event.frame == frame.id and isinstance(event, Bound) and event.kind == "return"
        ),
        None,
    )
