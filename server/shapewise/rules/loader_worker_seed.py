"""Workers of a loader in a seeded program, without seeds of their own."""

from __future__ import annotations

from collections.abc import Iterator

from ..program.values import number
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.loaders import loaders
from .asking.tree import Tree
from .telling.found import found

RULE = "loader-worker-seed"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every loader with workers, and with neither generator nor worker_init_fn, in a file that sets a seed."""
    if not tree.course.calls("torch.manual_seed"):
        return
    for loader in loaders(tree.course):
        node = loader.event.node
        if loader.is_open or not number(loader.given("num_workers", 5)):
            continue
        if loader.given("worker_init_fn") is None or loader.given("generator") is None:
            yield found(
                RULE,
                tree,
                node,
                "the order and the workers' random numbers depend on how much was drawn before. generator= and "
                "worker_init_fn= fix both.",
            )
