"""A checkpointed dropout that drops other values the second time."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..fixes.statements import remove_keyword
from ..program.ops import has_layer, minds_mode
from ..program.values import constant
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .found import fix, found
from .tree import Tree

RULE = "checkpoint-rng-unpreserved"
_ONE = "torch.utils.checkpoint.checkpoint"
_SEVERAL = "torch.utils.checkpoint.checkpoint_sequential"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every checkpoint with preserve_rng_state=False of what surely has dropout."""
    for event in tree.course.calls(_ONE, _SEVERAL):
        node, inner = event.node, event.argument("function" if event.name == _ONE else "functions", 0)
        if inner is None or not isinstance(node, ast.Call):
            continue
        if (
            constant(event.kwargs.get("preserve_rng_state")) is not False
            or has_layer(inner, _drops) is not True
        ):
            continue
        yield found(
            RULE,
            tree,
            node,
            "forward is run a second time in backward, and without the state of the random numbers dropout then drops other "
            "values: the gradients are of another function.",
            fix(
                "keep the state, as is the default",
                remove_keyword(tree.text, node, "preserve_rng_state"),
                safe=True,
            ),
        )


def _drops(layer: object) -> bool | None:
    from ..program.values import Value

    assert isinstance(layer, Value)
    return minds_mode(layer) if "Norm" not in layer.short() else False
