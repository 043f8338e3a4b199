"""Softmaxes over the batch, or the steps, of what a model gives, for `softmax-over-wrong-dim`."""

from __future__ import annotations

from functools import cached_property

from ...queries.lineage import Lineage, short
from ...vocabulary.events import Frame, Log, Op, Tensor
from ..asking.along import dim_of
from ..asking.classes import are_classes, last_is_a_width
from ..asking.weights import SAME, SCORES, SOFTMAX
from ..asking.widths import width_of

_COMPARES = SOFTMAX | {"logsumexp"}


def given_out(lineage: Lineage, op: Op, result: Tensor) -> tuple[Op, int, int] | None:
    """The softmax over the batch that a model ends in."""
    if short(op.name) not in SOFTMAX or len(result.shape) != 2 or 1 in result.shape:
        return None
    return (op, 0, 1) if dim_of(lineage, op, 2) == 0 and are_classes(lineage, op) else None


def is_model(op: Op) -> bool:
    """Whether an op is the call of a model as a whole, or of a part of one that is made of several layers."""
    name = op.name.removesuffix("()")
    return op.name != name and bool(op.args) and (name == "nn.Sequential" or not name.startswith("nn."))


def within_a_model(log: Log, op: Op) -> bool:
    """Whether an op happened while a model was called: there scores are compared in many ways."""
    frame: Frame | None = log.frames[op.frame]
    while frame is not None:
        if frame.scope.endswith(".forward"):
            return True
        frame = None if frame.parent is None else log.frames[frame.parent]
    return False


def of_a_model(lineage: Lineage, op: Op, models: set[int]) -> tuple[Op, int, int] | None:
    """A softmax over the batch of what a model gave, whose classes are in the last dim."""
    if short(op.name) not in _COMPARES:
        return None
    scores = next((arg for arg in op.args if isinstance(arg, Tensor)), None)
    rank = 0 if scores is None else len(scores.shape)
    if scores is None or rank < 2 or dim_of(lineage, op, rank) != 0 or scores.shape[-1] == 1:
        return None
    given = scores
    for _ in range(6):
        if given.id in models:
            return (op, 0, rank - 1) if last_is_a_width(lineage, given) else None
        maker = lineage.maker(given)
        inner = maker.args[0] if maker is not None and maker.args else None
        if maker is None or not isinstance(inner, Tensor) or inner.shape[-1:] != given.shape[-1:]:
            return None
        if short(maker.name) not in (*SAME, *SCORES, "view", "reshape"):
            return None
        given = inner
    return None


_TEACH = frozenset("cross_entropy CrossEntropyLoss()".split())
_CHOOSE = _TEACH | {"argmax", "topk"}


class Chosen:
    """The layers of whose outputs a class is chosen, or taught, along the last dim, somewhere in the program."""

    def __init__(self, log: Log, lineage: Lineage) -> None:
        self._log, self._lineage = log, lineage

    @cached_property
    def layers(self) -> frozenset[int]:
        """Their ids."""
        found = set[int]()
        for op in self._log.events:
            if not isinstance(op, Op) or short(op.name) not in _CHOOSE:
                continue
            given = next((arg for arg in op.args if isinstance(arg, Tensor)), None)
            if given is None or len(given.shape) < 2:
                continue
            is_taught = short(op.name) in _TEACH and len(given.shape) == 2
            if is_taught or dim_of(self._lineage, op, len(given.shape)) == len(given.shape) - 1:
                found |= {width_of(self._lineage, given, -1)} - {None}  # type: ignore[arg-type]
        return frozenset(found)


def unlike_its_choice(lineage: Lineage, op: Op, chosen: Chosen) -> tuple[Op, int, int] | None:
    """A softmax along another dim of what a layer gave than the last, along which a class of that layer's is chosen elsewhere."""
    scores = next((arg for arg in op.args if isinstance(arg, Tensor)), None)
    rank = 0 if scores is None else len(scores.shape)
    over = dim_of(lineage, op, rank) if scores is not None and rank > 1 else None
    if scores is None or over is None or over == rank - 1 or 1 in (scores.shape[over], scores.shape[-1]):
        return None
    layer = width_of(lineage, scores, -1)
    return (op, over, rank - 1) if layer is not None and layer in chosen.layers else None
