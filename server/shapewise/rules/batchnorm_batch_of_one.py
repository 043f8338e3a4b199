"""Batch norm over one value: there is no variance."""

from __future__ import annotations

from collections.abc import Iterator

from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .found import found, refused_calls
from .tree import Tree

RULE = "batchnorm-batch-of-one"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """What torch refuses."""
    for node, failure in refused_calls(log, tree, "Expected more than 1 value per channel when training"):
        yield found(
            RULE,
            tree,
            node,
            f"{failure.message}\nA batch of one has no variance to normalise with: leave a last, smaller batch "
            "out (drop_last=True), or evaluate in eval mode.",
            torch_error=failure.message,
        )
