"""DataParallel."""

from __future__ import annotations

from collections.abc import Iterator

from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import found

RULE = "dataparallel-discouraged"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every one."""
    for event in tree.course.calls("torch.nn.DataParallel"):
        yield found(
            RULE,
            tree,
            event.node,
            "DataParallel copies the model in every step and is slow for that. DistributedDataParallel is faster on one "
            "machine too.",
        )
