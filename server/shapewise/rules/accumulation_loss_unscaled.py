"""Gradients of several batches added up, and the loss not divided by how many they are."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..program.events import common_loop
from ..program.ops import is_loss
from ..program.values import Value, within
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .found import found
from .tree import Tree

RULE = "accumulation-loss-unscaled"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every backward of each batch with a step every few, of a mean that is not scaled."""
    training = tree.training
    if training.managed:
        return
    for step in training.steps:
        for back in training.backwards:
            loop = common_loop(back.event, step.event)
            if loop is None or back.event.root != step.event.root or back.event.branches_in(loop):
                continue
            counted = [b for b in step.event.branches_in(loop) if b.arm == 0 and _every_few(b.test)]
            if counted and is_loss(back.loss) and not _scaled(back.loss):
                yield found(
                    RULE,
                    tree,
                    back.event.node,
                    "the gradients of several batches are added up, and each loss is a mean over one batch: "
                    "divide the loss by the number of batches, or the step is that many times as large.",
                    related=[Related(tree.span(step.event.node), "the step of several batches")],
                )
                return


def _every_few(test: ast.expr | None) -> bool:
    return test is not None and any(isinstance(node, ast.Mod) for node in ast.walk(test))


def _scaled(loss: Value) -> bool:
    for one in within(loss, 6):
        if one.by in ("/", "*", "/=", "*=", ".div", ".mul", ".div_", ".mul_", "torch.div"):
            return True
        reduction = one.argument("reduction") if one.by.startswith(("torch.nn.", "()")) else None
        if reduction is not None and reduction.const != "mean":
            return True
    return False
