"""A last batch of one or two items, and batch norm in the model."""

from __future__ import annotations

from collections.abc import Iterator

from ..edits.calls import add_keyword
from ..program.layers import has_layer, is_batch_norm
from ..program.values import number
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.loaders import dataset_kind, training_loaders
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "drop-last-with-batchnorm"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every loader trained on without drop_last, where the model that is called surely has batch norm."""
    for loader, node in training_loaders(tree):
        size = number(loader.given("batch_size", 1))
        if (
            loader.given("drop_last", 8) is not None
            or loader.given("batch_sampler", 4) is not None
            or size == 1
        ):
            continue
        if any("Iterable" in kind for kind in dataset_kind(loader)):
            continue
        models = [
            event.on
            for event in tree.course.calls("()")
            if event.on is not None and any(event.inside(loop) for loop in loader.loops)
        ]
        if not any(has_layer(model, is_batch_norm) for model in models):
            continue
        yield found(
            RULE,
            tree,
            node,
            "the last batch may be small: batch norm's statistics of it are poor, and of one item torch raises.",
            fix("leave the last, smaller batch out", add_keyword(tree.text, node, "drop_last=True")),
        )
