"""A checkpoint that every process writes to the same file."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.statements import put_under
from ..program.events import Entered, Event, exclusive
from ..program.values import within
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix
from .asking.temporary import is_temporary
from .asking.tree import Tree
from .telling.found import fix, found, name_for

RULE = "save-on-all-ranks"
_RANK = re.compile(r"rank|main_process|is_main|master|primary|coordinator", re.IGNORECASE)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every torch.save in a file of a process group that no condition on the rank guards."""
    course = tree.course
    begun = course.calls("torch.distributed.init_process_group")
    if not begun:
        return
    for event in course.calls("torch.save"):
        if _guarded(event) or _named_by_rank(event) or _left_early(event) or is_temporary(event):
            continue
        if all(exclusive(event, one) for one in begun):
            continue  # this is the way without a group
        if (
            not any(isinstance(one, Entered) and one.site is not None for one in event.where)
            and not event.loops
        ):
            if event.function is not None and event.function.name.startswith("save"):
                continue  # whoever calls it may ask
        yield found(
            RULE,
            tree,
            event.node,
            "every process writes this file, at the same time. Write it where the rank is 0, and let the others wait at a "
            "barrier if they read it.",
            *_fixes(tree, event.node),
        )


def _fixes(tree: Tree, node: ast.AST | None) -> list[Fix]:
    """Only where there surely is a group: without one nobody has a rank."""
    begun = tree.course.calls("torch.distributed.init_process_group")
    rank = name_for(tree, "torch.distributed.get_rank")
    statement = tree.course.places.statement(node) if node is not None else None
    if rank is None or not isinstance(statement, ast.Expr) or any(one.branches_in(None) for one in begun):
        return []
    edit = put_under(tree.text, [statement], f"if {rank}() == 0:")
    return [fix("write it where the rank is 0", edit)] if edit is not None else []


def _guarded(event: Event) -> bool:
    return any(
        one.test is not None and _RANK.search(ast.unparse(one.test)) for one in event.branches_in(None)
    )


def _named_by_rank(event: Event) -> bool:
    path = event.argument("f", 1)
    return path is not None and any(_RANK.search(one.name) for one in within(path, 5))


def _left_early(event: Event) -> bool:
    """Whether a function on the way asks for the rank and returns, before."""
    for one in event.where:
        if isinstance(one, Entered):
            for node in ast.walk(one.function.node):
                if isinstance(node, ast.If) and _RANK.search(ast.unparse(node.test)):
                    if any(isinstance(inner, (ast.Return, ast.Continue)) for inner in node.body):
                        return True
    return False
