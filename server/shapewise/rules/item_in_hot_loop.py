"""A number read from the GPU in every step: each time the host waits for all that is queued."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..program.events import common_loop
from ..program.values import within
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import found

RULE = "item-in-hot-loop"
_READS = (".item", ".tolist", "builtins.float")
_GPU = re.compile(r"cuda")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every `.item()` of a loss in each round of a training loop, in a file that speaks of CUDA; of a statement the first."""
    if _GPU.search(tree.text) is None:
        return
    told: set[tuple[ast.AST, ast.AST | None]] = set()
    for back in tree.training.backwards:
        for event in tree.course.calls(*_READS):
            loop = common_loop(back.event, event)
            read = event.on if event.on is not None else event.argument("", 0)
            if loop is None or back.event.loops[-1:] != [loop] or read is None:
                continue
            if event.branches_in(loop) or event.root != back.event.root:
                continue
            where = loop.node, tree.course.places.statement(event.node)
            if where not in told and any(one is back.loss for one in within(read, 3)):
                told.add(where)
                yield found(
                    RULE,
                    tree,
                    event.node,
                    f"{event.name.removeprefix('builtins.')}() waits for the GPU in every step. Sum up loss.detach() and read it every so many steps.",
                )
