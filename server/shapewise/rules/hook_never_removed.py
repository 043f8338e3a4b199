"""A hook whose handle is dropped: nothing can take it off again."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.statements import insert_after, replace, source
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix
from .asking.statements import is_dropped
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "hook-never-removed"
_REGISTER = (
    ".register_forward_hook",
    ".register_forward_pre_hook",
    ".register_full_backward_hook",
    ".register_backward_hook",
)
_ONCE = re.compile(r"^_*(init|set_?up|build|install|wrap|attach|enable)|register")
"""Functions that prepare a model once: what they put there is meant to stay."""


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every registration as a statement of its own, in a function that can run again or at the top level."""
    places = tree.course.places
    told = set()
    for event in tree.course.calls(*_REGISTER):
        if event.node in told or not is_dropped(tree, event):
            continue
        function = places.function(event.node)
        if function is not None and _ONCE.search(function.name):
            continue
        told.add(event.node)
        yield found(
            RULE,
            tree,
            event.node,
            "the handle of this hook is dropped, so that it stays for good and runs in every forward from now on. "
            "Keep the handle and call remove() when done.",
            *_fixes(tree, event.node),
        )


def _fixes(tree: Tree, node: ast.AST) -> list[Fix]:
    """The handle under a name, and its end where that of the block is, if the hook is put on once there and nothing is returned."""
    places = tree.course.places
    statement = places.statement(node)
    if (
        not isinstance(statement, ast.Expr)
        or statement.value is not node
        or re.search(r"\bhandle\b", tree.text)
    ):
        return []
    block = places.block(statement)
    if not isinstance(places.parent(statement), ast.Module | ast.FunctionDef) or block[-1] is statement:
        return []
    if isinstance(block[-1], ast.Return | ast.Raise | ast.If):
        return []
    edits = (
        replace(tree.text, node, f"handle = {source(tree.text, node)}"),
        insert_after(tree.text, block[-1], "handle.remove()"),
    )
    return [fix("take it off at the end", *edits)]
