"""What is switched on at an event: gradients, autocast, evaluation."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .course import Course
from .events import Event, Within
from .folding import usual
from .values import PATH, Value, options_of, within

_OFF = ("torch.no_grad", "torch.inference_mode")
_ON = ("torch.enable_grad",)
_AUTOCAST = ("torch.autocast", "torch.cuda.amp.autocast", "torch.cpu.amp.autocast")


def no_grad_around(event: Event) -> ast.AST | None:
    """The block or decorated function that surely switches gradients off at an event."""
    for context in reversed(event.where):
        if not isinstance(context, Within):
            continue
        answers = [_grad(option) for option in options_of(context.value)]
        if all(answer is False for answer in answers):
            return context.node
        if any(answer is not None for answer in answers):
            return None
    return None


def may_have_grad_off(event: Event) -> bool:
    """Whether gradients may be off at an event: some block around it decides that, or a call before it."""
    for context in reversed(event.where):
        if isinstance(context, Within):
            for option in options_of(context.value):
                answer = _grad(option)
                if answer is not None:
                    return answer is not True
                if not _name(option).startswith(
                    ("torch.", "builtins.", "contextlib.")
                ) or "set_grad" in _name(option):
                    return True
    return False


def _name(value: Value) -> str:
    return value.path if value.by == PATH else value.by


def _grad(value: Value) -> bool | None:
    """What a context manager does to gradients; None if nothing that is known."""
    name = _name(value)
    if name in _OFF:
        mode = value.argument("mode", 0)
        return (
            None if name == "torch.inference_mode" and mode is not None and mode.const is not True else False
        )
    if name in _ON:
        return True
    if name == "torch.set_grad_enabled":
        mode = value.argument("mode", 0)
        return mode.const if mode is not None and isinstance(mode.const, bool) else None
    return None


def autocasts_around(event: Event) -> Iterator[tuple[Within, Value]]:
    """The autocast blocks around an event, innermost first."""
    for context in reversed(event.where):
        if isinstance(context, Within):
            for option in options_of(context.value):
                if _name(option) in _AUTOCAST:
                    yield context, option


def computed_in(course: Course, value: Value, dtype: str) -> Within | None:
    """The autocast block of this dtype that surely stood around what a value was lately computed of."""
    made = {id(event.value): event for event in course.of_kind("call")}
    for one in within(value, 4):
        event = made.get(id(one))
        around = next(iter(autocasts_around(event)), None) if event is not None else None
        if around is not None and autocast_dtype(around[1]) == dtype:
            return around[0]
    return None


def autocast_dtype(value: Value) -> str | None:
    """The dtype that an autocast computes in, unless somebody says otherwise: `float16`, `bfloat16`; None where it is not known or disabled."""
    enabled = value.argument("enabled", 2 if _name(value) == "torch.autocast" else 0)
    if enabled is not None and enabled.const is not True:
        return None
    dtype = usual(value.argument("dtype", 1))
    if dtype is not None:
        path = dtype.path
        return {"torch.float16": "float16", "torch.half": "float16", "torch.bfloat16": "bfloat16"}.get(path)
    device = usual(value.argument("device_type", 0)) if _name(value) == "torch.autocast" else None
    if _name(value) == "torch.cuda.amp.autocast" or (device is not None and device.const == "cuda"):
        return "float16"
    if _name(value) == "torch.cpu.amp.autocast" or (device is not None and device.const == "cpu"):
        return "bfloat16"
    return None


def mode_calls(course: Course) -> list[tuple[Event, bool | None]]:
    """The calls of `train` and `eval`, in order; True for train, None where only the run decides."""
    found: list[tuple[Event, bool | None]] = []
    for event in course.calls(".train", ".eval"):
        if event.followed:
            continue
        if event.name == ".eval":
            if not event.args:
                found.append((event, False))
        else:
            mode = event.argument("mode", 0)
            if mode is None:
                found.append((event, True))
            else:
                found.append((event, mode.const if isinstance(mode.const, bool) else None))
    return found
