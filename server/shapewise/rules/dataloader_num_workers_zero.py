"""A loader for training on a GPU that loads in the training process itself."""

from __future__ import annotations

from collections.abc import Iterator

from ..edits.calls import add_keyword
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.loaders import dataset_kind, to_cuda, training_loaders
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "dataloader-num-workers-zero"
_IN_MEMORY = ("torch.utils.data.TensorDataset",)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every loader trained on whose batches go to a GPU and whose number of workers nobody has chosen."""
    for loader, node in training_loaders(tree):
        if loader.given("num_workers", 5) is not None or not to_cuda(loader, tree.course):
            continue
        if dataset_kind(loader) & set(_IN_MEMORY):
            continue
        yield found(
            RULE,
            tree,
            node,
            "without workers the GPU waits while the next batch is loaded. num_workers=0, written down, says that it "
            "is meant.",
            fix("num_workers=4", add_keyword(tree.text, node, "num_workers=4")),
        )
