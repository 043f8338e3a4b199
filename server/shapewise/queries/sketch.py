"""The layers of a class that nothing calls, in the order of its `forward`, with names for their dims.

A log has what was tried on made-up inputs once for each place: of the parts of an `nn.Sequential` that are
alike, one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from ..vocabulary.events import Bound, Frame, Log, Op, Other, Value
from ..vocabulary.span import Span
from .lineage import tensors


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
    below: dict[Span | None, list[Frame]] = {}
    for one in log.frames:
        if one.parent == frame.id:
            below.setdefault(one.site, []).append(one)
    ops = [event for event in log.events if event.frame == frame.id and isinstance(event, Op)]
    left = Counter(op.span for op in ops if _is_layer(op))
    for op in ops:
        failed = op.failure is not None and not op.failure.caught
        if _is_layer(op):
            layer = op.args[0]
            assert isinstance(layer, Other)
            yield Sketched(depth, "", layer.type, frame.file, op.span, op.result, failed)
            waiting = below.get(op.span, [])
            share = (
                len(waiting) // left[op.span]
            )  # a call in a loop has its part of what was called from there
            left[op.span] -= 1
            called, below[op.span] = waiting[:share], waiting[share:]
            for one in called:
                yield from _called(log, one, layer.type, depth + 1)
        elif _makes(op):
            yield Sketched(depth, op.name, None, frame.file, op.span, op.result, failed)


def _called(log: Log, frame: Frame, layer: str, depth: int) -> Iterator[Sketched]:
    """What a call of a layer did: its own `forward`, or a part that a container of torch's called."""
    owner = frame.scope.split(".")[-2] if "." in frame.scope else ""
    returned = _returned(log, frame)
    if owner != layer and returned is not None:
        yield Sketched(depth, owner, owner, frame.file, returned.span, returned.value, False)
        depth += 1
    yield from _inside(log, frame, depth)


def _is_layer(op: Op) -> bool:
    return op.name.endswith("()") and bool(op.args) and isinstance(op.args[0], Other)


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
