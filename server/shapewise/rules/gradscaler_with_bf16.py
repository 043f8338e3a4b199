"""A loss scaled for float16 where bfloat16 is computed in."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..program.modes import autocast_dtype, autocasts_around
from ..program.values import constant, within
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .found import found
from .tree import Tree

RULE = "gradscaler-with-bf16"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every scaled backward of a loss that surely was computed in bfloat16."""
    made = {id(event.value): event for event in tree.course.of_kind("call")}
    told: set[ast.AST] = set()
    for back in tree.training.backwards:
        scaler = back.scaler
        if scaler is None or back.event.node in told:
            continue
        enabled = scaler.argument("enabled")
        if enabled is not None and constant(enabled) is not True:
            continue
        for one in within(back.loss, 4):
            event = made.get(id(one))
            around = next(iter(autocasts_around(event)), None) if event is not None else None
            if around is not None and autocast_dtype(around[1]) == "bfloat16":
                told.add(back.event.node)
                yield found(
                    RULE,
                    tree,
                    back.event.node,
                    "bfloat16 has the range of float32: its gradients do not underflow, and there is nothing to "
                    "scale. Leave the GradScaler out.",
                    related=[Related(tree.span(around[0].node), "computed in bfloat16")],
                )
                break
