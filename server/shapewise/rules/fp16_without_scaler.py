"""Training in float16 without scaling the loss: small gradients become 0."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..program.modes import autocast_dtype, autocasts_around
from ..program.values import within
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .found import found
from .tree import Tree

RULE = "fp16-without-scaler"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every unscaled backward of a loss that surely was computed in float16, with an optimizer's step."""
    made = {id(event.value): event for event in tree.course.of_kind("call")}
    told: set[ast.AST] = set()
    steps = tree.training.steps
    for back in tree.training.backwards:
        if back.scaler is not None or back.manager is not None or back.event.node in told or not steps:
            continue
        if any(step.scaler is not None for step in steps) or _scaled_otherwise(tree):
            continue
        for one in within(back.loss, 4):
            event = made.get(id(one))
            around = next(iter(autocasts_around(event)), None) if event is not None else None
            if around is not None and autocast_dtype(around[1]) == "float16":
                told.add(back.event.node)
                yield found(
                    RULE,
                    tree,
                    back.event.node,
                    "in float16 gradients below 6e-8 become 0. Scale the loss with a GradScaler, or compute in "
                    "bfloat16, which has the range of float32.",
                    related=[Related(tree.span(around[0].node), "computed in float16")],
                )
                break


def _scaled_otherwise(tree: Tree) -> bool:
    return bool(tree.course.calls(".scale", ".scale_loss", ".unscale_"))
