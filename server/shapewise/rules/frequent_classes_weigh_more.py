"""Weights of classes that grow with how often a class is there, in a loss that they are to balance."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..program.ops import losses, op_of
from ..program.values import Value, options_of
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import found

RULE = "frequent-classes-weigh-more"
_COUNTS = ("torch.bincount", "numpy.bincount")
_LOSSES = ("cross_entropy", "nll_loss")
_KEEPS = frozenset(
    "float double to tensor as_tensor from_numpy FloatTensor Tensor astype cuda cpu clone numpy sqrt log1p array".split()
)
"""What leaves the greater number the greater one."""
_STEPS = 12


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each cross entropy whose `weight` is how often each class is there, or its share of all."""
    told: set[ast.AST] = set()
    for loss in losses(tree.course):
        weight = (
            loss.option("weight", 2 if loss.made is loss.event.value else 0) if loss.name in _LOSSES else None
        )
        options = options_of(weight) if weight is not None else []
        counted = [_counted(one) for one in options]
        node = loss.made.node
        if not counted or any(one is None for one in counted) or node is None or node in told:
            continue
        told.add(node)
        count = counted[0]
        assert count is not None
        yield found(
            RULE,
            tree,
            node,
            "the weight of a class is the greater the more often it is there: the loss looks even more at what is frequent, and less at what "
            "is rare. Take the inverse, n / (classes * counts).",
            related=[Related(tree.span(count.node), "counted here")] if count.node is not None else [],
        )


def _counted(value: Value) -> Value | None:
    """The count of classes that weights are, times or divided by what is the same for all."""
    for _ in range(_STEPS):
        if value.by in _COUNTS:
            return value
        if value.by == "/" and len(value.args) == 2:
            value = value.args[0]
            continue
        op = op_of(value)
        inner = op.operand if op is not None and op.name in _KEEPS else None
        if inner is None and value.short() in _KEEPS:
            inner = value.on if value.by.startswith(".") else value.args[0] if value.args else None
        options = options_of(inner) if inner is not None else []
        if len(options) != 1:
            return None
        value = options[0]
    return None
