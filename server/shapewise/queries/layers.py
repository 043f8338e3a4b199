"""The layers within one call of a layer, as a tree of rows: shapes, parameters, FLOPs, bytes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

from ..vocabulary.events import Frame, Log, Op, Tensor, Unknown, Value
from ..vocabulary.layers import LayerCall, Measured
from ..vocabulary.span import Span
from .lineage import tensors


@dataclass(frozen=True, slots=True)
class Row:
    """A layer that is called, or an operation between the layers of the user's own code.

    `layer` is None for an operation, and `name` then what torch calls it. `flops` is a lower bound
    unless `exact`. `kept` are the bytes made in it that autograd saves for the backward pass. `again`:
    the same layer was called before, so that its parameters are counted already.
    """

    depth: int
    name: str
    layer: LayerCall | None
    file: str
    span: Span | None
    output: Value
    flops: int
    exact: bool
    kept: int
    steps: tuple[int, int]
    again: bool = False
    failed: bool = False
    perhaps: bool = False


def roots(measured: Measured) -> tuple[int, ...]:
    """The calls of layers that no layer made."""
    return tuple(number for number, call in enumerate(measured.calls) if call.parent is None)


def within(measured: Measured, root: int) -> tuple[int, ...]:
    """A call and all calls below it, in the order in which they began."""
    inside = {root}
    for number in range(root + 1, len(measured.calls)):
        if measured.calls[number].parent in inside:
            inside.add(number)
    return tuple(sorted(inside))


def rows(log: Log, measured: Measured, root: int) -> tuple[Row, ...]:
    """The rows of a call and of what is in it, from top to bottom."""
    inside = within(measured, root)
    children: dict[int, list[int]] = {number: [] for number in inside}
    for number in inside[1:]:
        parent = measured.calls[number].parent
        assert parent is not None
        children[parent].append(number)
    saved = frozenset(measured.saved)
    results = _results(log)
    seen: set[int] = set()
    found: list[Row] = []

    def visit(number: int, depth: int) -> None:
        call = measured.calls[number]
        found.append(_layer_row(log, measured, call, depth, saved, call.module in seen))
        seen.add(call.module)
        at = call.first
        for child in (*children[number], None):
            until = call.end if child is None else measured.calls[child].first
            found.extend(_operations(log, measured, number, range(at, until), depth + 1, saved, results))
            if child is not None:
                visit(child, depth + 1)
                at = measured.calls[child].end

    visit(root, 0)
    return tuple(found)


def _layer_row(
    log: Log, measured: Measured, call: LayerCall, depth: int, saved: frozenset[int], again: bool
) -> Row:
    flops, exact = flops_of(measured, range(call.first, call.end))
    place = own_place(log.frames, call.frame, call.span)
    return Row(
        depth,
        call.name or call.type,
        call,
        *place,
        call.output,
        flops,
        exact,
        _kept(measured, range(call.first, call.end), saved),
        (call.first, call.end),
        again,
        call.failed,
        call.perhaps,
    )


def _operations(
    log: Log,
    measured: Measured,
    layer: int,
    numbers: Iterable[int],
    depth: int,
    saved: frozenset[int],
    results: dict[tuple[int, Span], Op],
) -> Iterable[Row]:
    """What the user's own code of a layer does between the layers in it, an expression a row."""
    call = measured.calls[layer]
    groups: list[list[int]] = []
    for number in numbers:
        step = measured.steps[number]
        if (step.frame, step.span) == (call.frame, call.span) or step.span is None:
            continue  # torch's own layer: all of it is the layer
        last = measured.steps[groups[-1][-1]] if groups else None
        if last is not None and (last.frame, last.span) == (step.frame, step.span):
            groups[-1].append(number)
        else:
            groups.append([number])
    for group in groups:
        first = measured.steps[group[0]]
        flops, exact = flops_of(measured, group)
        if (
            not flops
            and exact
            and not any(size for number in group for _, size in measured.steps[number].makes)
        ):
            continue  # a view of what is there
        assert first.span is not None
        op = results.get((first.frame, first.span))
        name = op.name if op is not None else first.op
        file, span = own_place(log.frames, first.frame, first.span)
        result = op.result if op is not None else Unknown("not written down")
        kept = _kept(measured, group, saved)
        perhaps = any(measured.steps[number].perhaps for number in group)
        yield Row(
            depth,
            name,
            None,
            file,
            span,
            result,
            flops,
            exact,
            kept,
            (group[0], group[-1] + 1),
            failed=op is not None and op.failure is not None and not op.failure.caught,
            perhaps=perhaps,
        )


def _results(log: Log) -> dict[tuple[int, Span], Op]:
    return {(event.frame, event.span): event for event in log.events if isinstance(event, Op)}


def flops_of(measured: Measured, numbers: Iterable[int]) -> tuple[int, bool]:
    """The FLOPs of some steps, and whether these are all of them for certain."""
    steps = [measured.steps[number] for number in numbers]
    return (
        sum(step.flops or 0 for step in steps),
        not any(step.flops is None or (step.flops and step.perhaps) for step in steps),
    )


def _kept(measured: Measured, numbers: Iterable[int], saved: frozenset[int]) -> int:
    return sum(size for number in numbers for memory, size in measured.steps[number].makes if memory in saved)


def bytes_of(value: Value) -> int | None:
    """What the elements of the tensors in a value take; None if that is not known."""
    sizes = [_bytes(tensor) for tensor in tensors(value)]
    known = [size for size in sizes if size is not None]
    return sum(known) if sizes and len(known) == len(sizes) else None


def _bytes(tensor: Tensor) -> int | None:
    numbers = [dim for dim in tensor.shape if isinstance(dim, int)]
    if tensor.itemsize is None or len(numbers) != len(tensor.shape):
        return None
    return prod(numbers) * tensor.itemsize


def own_place(frames: Sequence[Frame], number: int, span: Span | None) -> tuple[str, Span | None]:
    """A place in the user's own files: the innermost call there that led to this one."""
    frame = frames[number]
    while frame.installed and frame.parent is not None:
        frame, span = frames[frame.parent], frame.site
    return frame.file, span
