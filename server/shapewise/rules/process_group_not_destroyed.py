"""A process group that is never taken down."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import found

RULE = "process-group-not-destroyed"
_ASKS = re.compile("is_initialized|is_torchelastic_launched")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every init_process_group in a file without destroy_process_group."""
    course = tree.course
    if course.calls("torch.distributed.destroy_process_group"):
        return
    for event in course.calls("torch.distributed.init_process_group"):
        if any(
            one.test is not None and _ASKS.search(ast.unparse(one.test)) for one in event.branches_in(None)
        ):
            continue  # a helper, that joins where nobody has: who calls it takes the group down
        yield found(
            RULE,
            tree,
            event.node,
            "without destroy_process_group() at the end torch warns, and a process that is left can hang the others.",
        )
        return
