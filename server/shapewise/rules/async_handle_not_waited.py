"""A transfer that is begun, and whose end nobody waits for."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import append
from ..program.values import constant
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix
from .asking.statements import is_dropped
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "async-handle-not-waited"
_ALWAYS = ("torch.distributed.isend", "torch.distributed.irecv", "torch.distributed.batch_isend_irecv")
_IF_ASKED = tuple(
    f"torch.distributed.{name}"
    for name in (
        "all_reduce",
        "broadcast",
        "reduce",
        "all_gather",
        "gather",
        "scatter",
        "reduce_scatter",
        "all_to_all",
        "all_gather_into_tensor",
        "reduce_scatter_tensor",
        "all_to_all_single",
    )
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every one whose handle is dropped."""
    barriers = tree.course.calls("torch.distributed.barrier", "torch.cuda.synchronize")
    for event in tree.course.calls(*_ALWAYS, *_IF_ASKED):
        if not is_dropped(tree, event):
            continue
        if event.name in _IF_ASKED and constant(event.kwargs.get("async_op")) is not True:
            continue
        if any(one.function is event.function and one.index > event.index for one in barriers):
            continue
        yield found(
            RULE,
            tree,
            event.node,
            "this only begins the transfer, and nobody asks the handle when it is done: the tensor may be read or "
            "changed too early. Keep the handle and call wait().",
            *_fixes(tree, event.node),
        )


def _fixes(tree: Tree, node: ast.AST | None) -> list[Fix]:
    if node is None or not isinstance(tree.course.places.parent(node), ast.Expr):
        return []
    return [fix("wait for it here", append(tree.text, node, ".wait()"))] if isinstance(node, ast.Call) else []
