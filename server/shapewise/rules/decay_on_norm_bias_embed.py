"""Weight decay on what should not shrink: norms, biases, embeddings."""

from __future__ import annotations

from collections.abc import Iterator

from ..program.folding import usual_number
from ..program.given import trainable
from ..program.layers import has_layer
from ..program.values import Value
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import found

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
        )


def _is_meant(layer: Value) -> bool | None:
    return layer.short() in (
        "LayerNorm",
        "RMSNorm",
        "Embedding",
        "TransformerEncoderLayer",
        "TransformerDecoderLayer",
    )
