"""Weight decay on what should not shrink: norms, biases, embeddings."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.folding import usual_number
from ..program.given import trainable
from ..program.layers import has_layer
from ..program.values import Value
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix
from .asking.tree import Tree
from .telling.found import argument_node, fix, found

RULE = "decay-on-norm-bias-embed"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every AdamW over all parameters of a model with layer norms or embeddings, with a weight decay."""
    for event in tree.course.calls("torch.optim.AdamW"):
        given, written = event.argument("params", 0), event.kwargs.get("weight_decay")
        decay = usual_number(written)
        if given is None or not decay or decay < 0.05:
            continue
        given = trainable(given)
        if given.by != ".parameters" or given.on is None:
            continue
        if has_layer(given.on, _is_meant) is not True:
            continue
        yield found(
            RULE,
            tree,
            event.node,
            f"a weight decay of {decay:g} also pulls norms, biases and embeddings to 0. Usual are two groups of "
            "parameters: matrices with decay, all else without.",
            *_fixes(tree, event.node),
        )


def _fixes(tree: Tree, made: ast.AST) -> tuple[Fix, ...]:
    """Two groups, by how many dims a parameter has, where the model's parameters are given as they are."""
    given = argument_node(made, "params", 0) if isinstance(made, ast.Call) else None
    if (
        not isinstance(given, ast.Call)
        or given.args
        or given.keywords
        or not isinstance(given.func, ast.Attribute)
    ):
        return ()
    if given.func.attr != "parameters":
        return ()
    every = source(tree.text, given)
    groups = (
        f'[{{"params": [p for p in {every} if p.ndim > 1]}}, '
        f'{{"params": [p for p in {every} if p.ndim <= 1], "weight_decay": 0.0}}]'
    )
    return (fix("two groups of parameters", replace(tree.text, given, groups)),)


def _is_meant(layer: Value) -> bool | None:
    return layer.short() in (
        "LayerNorm",
        "RMSNorm",
        "Embedding",
        "TransformerEncoderLayer",
        "TransformerDecoderLayer",
    )
