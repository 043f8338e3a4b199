"""Which parameters are frozen, and which are thawed again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .course import Course
from .events import Branch, Event
from .given import is_in
from .training import is_module
from .values import Value, constant


@dataclass(frozen=True, slots=True)
class Freeze:
    """Gradients switched off for all parameters of a module (`on` False), or on."""

    event: Event
    module: Value
    on: bool | None
    sure: bool


def freezes(course: Course) -> Iterator[Freeze]:
    """Every switch of `requires_grad` on the parameters of a module, in no order."""
    for event in course.of_kind("set"):
        if event.name != "requires_grad" or event.on is None or event.passed_over:
            continue
        source = event.on.on
        if source is not None and event.on.by == "item":
            source = source.on  # for name, p in model.named_parameters()
        if source is not None and source.by in (".parameters", ".named_parameters") and source.on is not None:
            yield Freeze(event, source.on, _bool(event.args[0]), not _chosen(event))
    for event in course.calls(".requires_grad_"):
        if event.on is None or event.passed_over:
            continue
        given = event.argument("requires_grad", 0)
        on = True if given is None else _bool(given)
        source = event.on.on if event.on.by == "for" else None
        if source is not None and source.by == ".parameters" and source.on is not None:
            yield Freeze(event, source.on, on, not _chosen(event))
        else:
            yield Freeze(event, event.on, on, not _chosen(event))


def made_to_learn(course: Course) -> frozenset[int]:
    """The ids of the values on which `requires_grad` was switched on in place, as a statement of its own."""
    return frozenset(
        id(event.on)
        for event in (*course.of_kind("set"), *course.calls(".requires_grad_"))
        if (event.kind == "call" and event.argument("requires_grad", 0) is None)
        or (event.name == "requires_grad" and constant(event.args[0]) is True)
    )


def parts_added(course: Course, since: Event) -> Iterator[Event]:
    """Where a module is put into another after an event, by attribute, by name or by index."""
    for event in (
        *course.of_kind("set"),
        *course.of_kind("store"),
        *course.calls(".add_module", ".set_submodule", "builtins.setattr"),
    ):
        if event.index > since.index and event.args and is_module(event.args[-1]):
            yield event


_GOES_OVER = frozenset("builtins.list builtins.tuple builtins.enumerate builtins.reversed".split())


def is_added_to(event: Event, whole: Value) -> bool:
    """Whether a module was put into this one, at whatever depth: `net.fc = ...`, `net.head[1] = ...`.

    What a loop goes over, and what a method gives, is a part of what it comes from: `for block in net.blocks`.
    """
    owner = event.args[0] if event.name == "builtins.setattr" else event.on
    for _ in range(8):
        if owner is None or is_in(owner, whole):
            break
        owner = owner.args[0] if owner.on is None and owner.by in _GOES_OVER and owner.args else owner.on
    return owner is not None


def _bool(value: Value) -> bool | None:
    const = constant(value)
    return const if isinstance(const, bool) else None


def _chosen(event: Event) -> bool:
    return any(isinstance(one, Branch) and not one.taken for one in event.where)
