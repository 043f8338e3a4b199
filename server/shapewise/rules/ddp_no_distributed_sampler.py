"""DDP with a plain loader: every process trains on all of the data."""

from __future__ import annotations

from collections.abc import Iterator

from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.loaders import dataset_kind, loaders, trains
from .asking.tree import Tree
from .telling.found import found

RULE = "ddp-no-distributed-sampler"
_DDP = "torch.nn.parallel.DistributedDataParallel"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every loader trained on without sampler in a file that wraps a model in DDP."""
    course = tree.course
    if not course.calls(_DDP) or course.calls("torch.utils.data.DistributedSampler"):
        return
    for loader in loaders(course):
        node = loader.event.node
        if loader.is_open or not trains(loader, tree.training):
            continue
        if loader.given("sampler", 3) is not None or loader.given("batch_sampler", 4) is not None:
            continue
        kinds = dataset_kind(loader)
        if any("Iterable" in kind for kind in kinds) or "torch.utils.data.Subset" in kinds or "[]" in kinds:
            continue
        yield found(
            RULE,
            tree,
            node,
            "each process of DDP goes over all of the data: an epoch does as many times the work as there are processes. "
            "Give the loader a DistributedSampler.",
        )
