"""A process group that is never taken down."""

from __future__ import annotations

from collections.abc import Iterator

from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .found import found
from .tree import Tree

RULE = "process-group-not-destroyed"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every init_process_group in a file without destroy_process_group."""
    course = tree.course
    if course.calls("torch.distributed.destroy_process_group"):
        return
    for event in course.calls("torch.distributed.init_process_group"):
        yield found(
            RULE,
            tree,
            event.node,
            "without destroy_process_group() at the end torch warns, and a process that is left can hang the others.",
        )
        return
