"""What a compiled model has to leave the graph for."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..program.events import Entered
from ..program.tensors import is_tensor
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.compiled import compiled
from .asking.tree import Tree
from .telling.found import found

RULE = "graph-break-sync"
_BREAKS = (".item", ".tolist", "builtins.print", "builtins.float", "builtins.int", "builtins.bool")
"""`cpu` and `numpy` stay in the graph: `torch.compile(fullgraph=True)` takes them."""
_REDUCED = (".sum", ".mean", ".max", ".min", ".norm", ".any", ".all", ".argmax", ".abs")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every read of a number and every print in what the file compiles."""
    course = tree.course
    whole = {function.node for function in compiled(course)}
    told: set[ast.AST] = set()
    for event in course.calls(*_BREAKS) if whole else ():
        inside = [one for one in event.where if isinstance(one, Entered) and one.function.node in whole]
        if not inside or event.branches_in(inside[0]) or event.node in told:
            continue
        if event.name.startswith("builtins.") and event.name != "builtins.print":
            given = event.args[0] if len(event.args) == 1 else None
            if given is None or not (is_tensor(given) or given.by in _REDUCED):
                continue
        told.add(event.node)
        yield found(
            RULE,
            tree,
            event.node,
            "here the compiled graph ends: the value has to be fetched, and what follows is another graph.",
        )
