"""Reductions that lose their dim and meet what they reduced, as the text alone tells: of whatever rank that is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...program.course import Course
from ...program.events import Event
from ...program.ops import op_of
from ...program.values import Value, constant, number, open_ended

_REDUCTIONS = frozenset("mean sum std var norm amax amin logsumexp".split())
_METHODS = ("-", "/")


@dataclass(frozen=True, slots=True)
class Met:
    """`x - x.mean(dim)`: the operator, and the reduction of its left side."""

    event: Event
    reduction: Value
    name: str
    dim: int


def met_again(course: Course) -> Iterator[Met]:
    """Each difference or quotient of a value and its own reduction over a dim that is not the first, not kept.

    Over the last dim by -1 only in the forward of a module with parameters of its own: a vector may be meant elsewhere.
    """
    for event in course.of_kind("op"):
        if event.name not in _METHODS or len(event.args) != 2:
            continue
        whole, reduced = event.args
        op = op_of(reduced)
        if op is None or op.name not in _REDUCTIONS or op.operand is not whole or open_ended(reduced):
            continue
        at = 0 if reduced.by.startswith(".") else 1
        is_norm = op.name == "norm"
        dim = number(reduced.argument("dim", at + is_norm) or reduced.argument("axis"))
        dropped = {name for name in ("keepdim", "keepdims") if constant(reduced.kwargs.get(name)) is False}
        if (
            reduced.kwargs.keys() - {"dim", "axis", "p", "input"} - dropped
            or len(reduced.args) > at + 1 + is_norm
        ):
            continue
        if isinstance(dim, int) and (dim >= 1 or dim == -1 and _is_of_a_layer(event, course)):
            yield Met(event, reduced, op.name, dim)


def _is_of_a_layer(event: Event, course: Course) -> bool:
    cls = event.function.cls if event.in_forward and event.function is not None else None
    return cls is not None and any(
        owner is cls and made.by == "torch.nn.Parameter" for _, owner, made in course.attributes_made()
    )
