"""A checkpointed dropout that drops other values the second time."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import remove_keyword
from ..program.layers import has_layer, minds_mode
from ..program.values import Value, constant
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix
from .asking.tree import Tree
from .telling.found import fix, found, keyword_of

RULE = "checkpoint-rng-unpreserved"
_ONE = "torch.utils.checkpoint.checkpoint"
_SEVERAL = "torch.utils.checkpoint.checkpoint_sequential"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every checkpoint with preserve_rng_state=False of what surely has dropout."""
    for event in tree.course.calls(_ONE, _SEVERAL):
        node, inner = event.node, event.argument("function" if event.name == _ONE else "functions", 0)
        if inner is None or not isinstance(node, ast.Call):
            continue
        if constant(event.kwargs.get("preserve_rng_state")) is not False or not _has_dropout(tree, inner):
            continue
        yield found(
            RULE,
            tree,
            node,
            "forward is run a second time in backward, and without the state of the random numbers dropout then drops other "
            "values: the gradients are of another function.",
            *_fixes(tree, node),
        )


def _fixes(tree: Tree, node: ast.Call) -> list[Fix]:
    if keyword_of(node, "preserve_rng_state") is None:
        return []
    edit = remove_keyword(tree.text, node, "preserve_rng_state")
    return [fix("keep the state, as is the default", edit, safe=True)]


def _has_dropout(tree: Tree, inner: Value) -> bool:
    """Whether a module surely holds dropout, or a function of the file drops."""
    if has_layer(inner, _drops) is True:
        return True
    if inner.function is None:
        return False
    return any(
        event.function is inner.function
        for event in tree.course.calls("torch.nn.functional.dropout", "torch.dropout")
        if constant(event.argument("training", 2)) is not False
    ) or any(
        event.function is inner.function and event.on is not None and has_layer(event.on, _drops) is True
        for event in tree.course.calls("()")
    )


def _drops(layer: object) -> bool | None:
    assert isinstance(layer, Value)
    return minds_mode(layer) if "Norm" not in layer.short() else False
