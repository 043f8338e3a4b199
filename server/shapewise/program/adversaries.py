"""Where a loss pushes the scores that a network gives: up, or down, when an optimizer makes it small."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .course import Course
from .events import Event
from .ops import PLACING, Loss, losses
from .training import is_module
from .values import Value, number, roots

_RISING = frozenset(
    "mean sum relu relu_ softplus sigmoid log logsigmoid tanh exp clamp clamp_min clamp_max squeeze leaky_relu elu".split()
)
"""Ops that are larger where their operand is."""
_TO_TARGET = (
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "mse_loss",
    "l1_loss",
    "smooth_l1_loss",
)
_FILLED = {"ones": 1.0, "ones_like": 1.0, "new_ones": 1.0, "zeros": 0.0, "zeros_like": 0.0, "new_zeros": 0.0}
_FAR = 12


@dataclass(frozen=True, slots=True)
class Push:
    """A call of a network within a loss, and where the loss pushes what it gives: 1 up, -1 down."""

    network: Value
    call: Value
    way: int


class Pushes:
    """The pushes of the losses of one course."""

    def __init__(self, course: Course) -> None:
        self._course = course
        self._losses: dict[int, Loss] = {
            id(loss.event.value): loss for loss in losses(course) if loss.event.value is not None
        }

    def of(self, loss: Value, way: int = -1, depth: int = _FAR) -> Iterator[Push]:
        """Those of a loss that is made small. Terms of unknown sign are left out."""
        if depth == 0:
            return
        if (inner := self._losses.get(id(loss))) is not None:
            target = self._target(inner) if inner.name in _TO_TARGET else None
            if target is not None and target != 0.5:
                yield from self.of(inner.input, (1 if target > 0.5 else -1) * (-way), depth - 1)
            return
        if loss.by in ("+", "+="):
            for one in loss.args:
                yield from self.of(one, way, depth - 1)
        elif loss.by == "-":
            first, *rest = loss.args
            yield from self.of(first, way if rest else -way, depth - 1)
            for one in rest:
                yield from self.of(one, -way, depth - 1)
        elif loss.by in ("*", "/") and len(loss.args) == 2:
            factors = [one for one in (number(arg) for arg in loss.args) if one is not None]
            others = [one for one in loss.args if number(one) is None]
            if len(factors) == len(others) == 1 and factors[0] != 0:
                over = loss.by == "/" and number(loss.args[0]) is not None
                if not over:
                    yield from self.of(others[0], way if factors[0] > 0 else -way, depth - 1)
        elif loss.by == "()" and loss.on is not None:
            networks = roots(loss.on)
            if len(networks) == 1 and is_module(networks[0]):
                yield Push(networks[0], loss, way)
        elif (operand := _operand(loss)) is not None:
            yield from self.of(operand, -way if loss.short() == "neg" else way, depth - 1)

    def _target(self, loss: Loss) -> float | None:
        """The number that all of a target is."""
        return None if loss.target is None else self._filled(loss.target, loss.event, 6)

    def _filled(self, value: Value, when: Event, depth: int) -> float | None:
        for root in roots(value)[:1] if depth and len(roots(value)) == 1 else ():
            fills = [use for use in self._course.uses(root) if use.name in (".fill_", ".zero_", ".copy_")]
            before = [use for use in fills if use.root == when.root and use.index < when.index]
            if before:
                return number(before[-1].args[0]) if before[-1].name == ".fill_" and before[-1].args else None
            if fills and not self._is_new(root, when):
                return None  # what the round before has filled in
            word = root.short()
            if word in _FILLED:
                return _FILLED[word]
            if word in ("full", "full_like", "new_full"):
                return number(root.argument("fill_value", 0 if word == "new_full" else 1))
            if word == "fill_" and root.args:
                return number(root.args[0])
            if word == "Variable" and root.args:
                return self._filled(root.args[0], when, depth - 1)
            if root.by in ("*", "-", "+") and len(root.args) == 2:
                return self._reckoned(root, when, depth)
            inner = root.on if root.by.startswith(".") and word in PLACING | {"expand_as", "detach"} else None
            return None if inner is None else self._filled(inner, when, depth - 1)
        return None

    def _is_new(self, value: Value, when: Event) -> bool:
        """Whether a value is made in each round of the loops around an event."""
        made = next((one for one in self._course.of_kind("call") if one.value is value), None)
        return made is not None and made.loops == when.loops

    def _reckoned(self, value: Value, when: Event, depth: int) -> float | None:
        pair = [
            found if (found := number(arg)) is not None else self._filled(arg, when, depth - 1)
            for arg in value.args
        ]
        left, right = pair
        if left is None or right is None:
            return None
        return left * right if value.by == "*" else left + right if value.by == "+" else left - right


def _operand(value: Value) -> Value | None:
    """What an op that only rises, or only turns the sign, was done to."""
    word = value.short()
    if word not in _RISING | PLACING | {"neg"}:
        return None
    if value.by.startswith(".") and len(value.by) > 1:
        return value.on
    return value.argument("input", 0) if value.by.startswith("torch.") else None
