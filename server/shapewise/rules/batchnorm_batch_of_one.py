"""Batch norm over one value: there is no variance."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .found import failures, found
from .tree import Tree

RULE = "batchnorm-batch-of-one"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """What torch refuses."""
    for op, failure in failures(log, "Expected more than 1 value per channel when training"):
        node = tree.at(op.span, ast.Call)
        if node is not None:
            yield found(
                RULE,
                tree,
                node,
                f"{failure.message}\nA batch of one has no variance to normalise with: leave a last, smaller batch "
                "out (drop_last=True), or evaluate in eval mode.",
                torch_error=failure.message,
            )
