"""The cache of the GPU's memory emptied in every step."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.statements import remove_statement
from ..program.events import Branch, Loop
from ..program.training import is_module
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "empty-cache-in-loop"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every unconditional empty_cache in the innermost loop of a training step."""
    for event in tree.course.calls("torch.cuda.empty_cache"):
        if not event.loops or any(not _asks_for_gpu(one) for one in event.branches_in(event.loops[-1])):
            continue
        loop = event.loops[-1]
        if not any(back.event.loops[-1:] == [loop] for back in tree.training.backwards):
            if not _is_of_batches(tree, loop):
                continue
        statement = tree.course.places.statement(event.node)
        fixes = []
        if isinstance(statement, ast.Expr):
            alone = len(tree.course.places.block(statement)) == 1
            fixes = [fix("leave it out", remove_statement(tree.text, statement, alone))]
        yield found(
            RULE,
            tree,
            event.node,
            "this gives memory back that the next step asks for again, and waits for the GPU each time. It frees nothing that is "
            "in use.",
            *fixes,
        )


def _is_of_batches(tree: Tree, loop: Loop) -> bool:
    """Whether a loop goes over the batches of a loader by its word, and each is given to a module."""
    over = ast.unparse(loop.node.iter) if isinstance(loop.node, (ast.For, ast.AsyncFor)) else ""
    return _LOADER.search(over) is not None and any(
        event.name == "()" and event.on is not None and is_module(event.on)
        for event in tree.course.in_loop(loop)
    )


def _asks_for_gpu(branch: Branch) -> bool:
    """Whether a way is taken wherever there is a GPU: `if torch.cuda.is_available()`."""
    test = branch.test
    return (
        branch.arm == 0
        and isinstance(test, ast.Call)
        and ast.unparse(test.func).endswith("cuda.is_available")
    )


_LOADER = re.compile(r"(loader|batches|_dl)\b")
