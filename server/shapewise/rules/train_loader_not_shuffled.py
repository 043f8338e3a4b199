"""A training loader that gives the items in their order, epoch after epoch."""

from __future__ import annotations

from collections.abc import Iterator

from ..edits.calls import add_keyword
from ..program.values import constant
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.loaders import dataset_kind, training_loaders
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "train-loader-not-shuffled"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every loader over a data set by index that is trained on without shuffling or sampler."""
    for loader, node in training_loaders(tree):
        shuffle = loader.given("shuffle", 2)
        if (shuffle is not None and constant(shuffle) is not False) or loader.given("sampler", 3) is not None:
            continue
        if loader.given("batch_sampler", 4) is not None or any(
            "Iterable" in kind for kind in dataset_kind(loader)
        ):
            continue
        yield found(
            RULE,
            tree,
            node,
            "the training data come in the same order each epoch. If they are sorted, each batch is of one kind, and "
            "batch norm and SGD suffer.",
            fix("shuffle them", add_keyword(tree.text, node, "shuffle=True")),
        )
