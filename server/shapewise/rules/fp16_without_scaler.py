"""Training in float16 without scaling the loss: small gradients become 0."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.calls import add_keyword, replace_attribute
from ..program.modes import computed_in
from ..program.training import is_module, owned
from ..program.values import same
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import argument_node, fix, found, name_for

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
    yield from _halved(tree)


def _halved(tree: Tree) -> Iterator[Finding]:
    """Every model whose own weights were made float16 before an optimizer got them, and that is trained so."""
    training, course = tree.training, tree.course
    if any(back.scaler or back.manager for back in training.backwards) or _scaled_otherwise(tree):
        return
    if any(step.scaler for step in training.steps) or _ELSEWHERE.search(tree.text):
        return
    told: set[ast.AST] = set()
    for event in course.calls(".half", ".to"):
        if event.name == ".to" and not any(one.path in _HALF for one in event.inputs()):
            continue
        if event.on is None or not is_module(event.on) or event.node in told or event.value is None:
            continue
        for step in training.steps:
            given = any(same(event.value, one) for one in owned(step.optimizer) or ())
            back = next((one for one in training.backwards if one.event.root == step.event.root), None)
            if (
                not given
                or back is None
                or not (event.root == step.event.root and event.index < step.event.index)
            ):
                continue
            told.add(event.node)
            yield found(
                RULE,
                tree,
                event.node,
                "the weights themselves are float16: gradients below 6e-8 become 0, and so does each step smaller than "
                "a thousandth of its weight. Keep them in float32 and compute in autocast, or use bfloat16.",
                related=[Related(tree.span(back.event.node), "differentiated here")],
            )
            break


_HALF = ("torch.float16", "torch.half")
_ELSEWHERE = re.compile(r"apex|deepspeed|fp16_optimizer|master|loss_scale|bnb|8bit", re.IGNORECASE)
"""Words of files that keep the numbers somewhere else."""


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
