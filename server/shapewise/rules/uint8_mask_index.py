"""A mask of bytes as an index: torch still takes it for a mask, and means to take it for numbers."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import append
from ..queries.lineage import short
from ..vocabulary.events import Group, Log, Op, Tensor, Value
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import argument_node, fix, found

RULE = "uint8-mask-index"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every index of dtype uint8, and every such condition of torch.where."""
    for op in log.events:
        if not isinstance(op, Op) or (op.failure is not None and "unsigned char" not in op.failure.message):
            continue
        node = next((one for one in _masks(op, tree)), None)
        if node is None:
            continue
        refused = op.failure.message if op.failure is not None else None
        yield found(
            RULE,
            tree,
            node if refused is None else tree.at(op.span, ast.expr) or node,
            "this mask is uint8: torch takes it for a mask with a warning, numpy and other versions take it for row "
            "numbers. Masks are bool.",
            fix("make it bool", append(tree.text, node, ".bool()"), safe=True),
            severity=None if refused is None else "error",
            torch_error=refused,
        )


def _masks(op: Op, tree: Tree) -> Iterator[ast.expr]:
    if op.name in ("[]", "[]=") and len(op.args) > 1:
        subscript = tree.at(op.span, ast.Subscript)
        if subscript is None:
            return
        index, node = op.args[1], subscript.slice
        if _bytes(index):
            yield node
        elif isinstance(index, Group) and isinstance(node, ast.Tuple) and len(index.items) == len(node.elts):
            yield from (part for item, part in zip(index.items, node.elts) if _bytes(item))
    elif short(op.name) == "where" and op.args and _bytes(op.args[0]):
        call = tree.at(op.span, ast.Call)
        condition = None if call is None else argument_node(call, "condition", 0)
        if condition is not None and op.name == "torch.where":
            yield condition

    elif (
        short(op.name) in ("masked_fill", "masked_fill_", "masked_select")
        and len(op.args) > 1
        and _bytes(op.args[1])
    ):
        call = tree.at(op.span, ast.Call)
        mask = None if call is None else argument_node(call, "mask", 1 if op.name.startswith("torch.") else 0)
        if mask is not None:
            yield mask


def _bytes(value: Value) -> bool:
    return isinstance(value, Tensor) and value.dtype == "uint8"
