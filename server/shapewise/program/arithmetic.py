"""Operators and what stands for them: `a / b`, `a /= b`, `torch.div(a, b)`, `a.div_(b)` are one division."""

from __future__ import annotations

from collections.abc import Iterator

from .course import Course
from .events import Event
from .values import Value

_NAMED = {
    "/": ("div", "divide", "true_divide"),
    "==": ("eq",),
    "!=": ("ne", "not_equal"),
}


def computed(course: Course, operator: str) -> Iterator[tuple[Event, Value, Value]]:
    """Every event that applies the operator to two values, with both."""
    for event in course.of_kind("op"):
        if event.name == operator and len(event.args) == 2:
            yield event, event.args[0], event.args[1]
    for event in course.of_kind("augmented"):
        if event.name == f"{operator}=" and event.on is not None:
            yield event, event.on, event.args[0]
    for name in _NAMED[operator]:
        for event in course.calls(f"torch.{name}"):
            left, right = event.argument("input", 0), event.argument("other", 1)
            if left is not None and right is not None:
                yield event, left, right
        for event in course.calls(f".{name}", f".{name}_"):
            right = event.argument("other", 0)
            if event.on is not None and right is not None:
                yield event, event.on, right
