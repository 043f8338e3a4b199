"""What a compiled model has to leave the graph for."""

from __future__ import annotations

from collections.abc import Iterator

from ..program.events import Entered
from ..program.values import INSTANCE, roots
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .found import found
from .tree import Tree

RULE = "graph-break-sync"
_BREAKS = (".item", ".tolist", ".numpy", ".cpu", "builtins.print")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every read of a number and every print in the forward of a model that the file compiles."""
    course = tree.course
    compiled = {
        id(root.cls)
        for event in course.calls("torch.compile")
        for root in roots(event.argument("model", 0))
        if root.by == INSTANCE
    }
    for event in course.calls(*_BREAKS) if compiled else ():
        function = event.function
        if function is None or event.branches_in(None):
            continue
        if not any(
            isinstance(one, Entered) and one.function.name == "forward" and id(one.function.cls) in compiled
            for one in event.where
        ):
            continue
        yield found(
            RULE,
            tree,
            event.node,
            "here the compiled graph ends: the value has to be fetched, and what follows is another graph.",
        )
