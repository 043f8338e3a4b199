"""Training in float16 without scaling the loss: small gradients become 0."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..fixes.edits import add_keyword, replace_attribute
from ..program.modes import computed_in
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .found import argument_node, fix, found, name_for
from .tree import Tree

RULE = "fp16-without-scaler"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every unscaled backward of a loss that surely was computed in float16, with an optimizer's step."""
    steps = tree.training.steps
    for back in tree.training.backwards:
        if back.scaler is not None or back.manager is not None or not steps:
            continue
        if any(step.scaler is not None for step in steps) or _scaled_otherwise(tree):
            continue
        block = computed_in(tree.course, back.loss, "float16")
        if block is not None:
            yield found(
                RULE,
                tree,
                back.event.node,
                "in float16 gradients below 6e-8 become 0. Scale the loss with a GradScaler, or compute in "
                "bfloat16, which has the range of float32.",
                *_fixes(tree, block.value.node),
                related=[Related(tree.span(block.node), "computed in float16")],
            )


def _scaled_otherwise(tree: Tree) -> bool:
    return bool(tree.course.calls(".scale", ".scale_loss", ".unscale_"))


def _fixes(tree: Tree, node: ast.AST | None) -> list[Fix]:
    if not isinstance(node, ast.Call):
        return []
    dtype, bfloat16 = argument_node(node, "dtype", 1), name_for(tree, "torch.bfloat16")
    if isinstance(dtype, ast.Attribute) and dtype.attr in ("float16", "half"):
        edit = replace_attribute(tree.text, dtype, "bfloat16")
    elif dtype is None and bfloat16 is not None:
        edit = add_keyword(tree.text, node, f"dtype={bfloat16}")
    else:
        return []
    return [fix("compute in bfloat16", edit)]
