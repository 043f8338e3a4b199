"""A process group that is never taken down."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.statements import insert_after
from ..program.events import Entered, Event
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix
from .asking.tree import Tree
from .telling.found import fix, found, name_for

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
            *_at_the_end(tree, event),
        )
        return


def _at_the_end(tree: Tree, event: Event) -> Iterator[Fix]:
    """The call behind the last statement of the function in which a process does all of its work."""
    entered = [one.function for one in event.where if isinstance(one, Entered)]
    function = entered[0] if entered else event.function
    name = name_for(tree, "torch.distributed.destroy_process_group")
    if name is None or function is None or isinstance(function.node, ast.Lambda):
        return
    last = function.node.body[-1]
    if _WORKS.search(function.name) and not isinstance(last, (ast.Return, ast.Raise)):
        yield fix("take it down at the end", insert_after(tree.text, last, f"{name}()"))


_WORKS = re.compile(r"main|train|run|work|fit|launch", re.IGNORECASE)
