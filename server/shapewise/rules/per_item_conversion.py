"""Each item converted when it is asked for, though all are in memory."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..program.values import INSTANCE
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .found import found
from .tree import Tree

RULE = "per-item-conversion"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every from_numpy or tensor of an item of an attribute, in __getitem__ of a data set."""
    for event in tree.course.calls("torch.from_numpy", "torch.tensor", "torch.as_tensor"):
        function = event.function
        if function is None or function.name != "__getitem__" or function.cls is None:
            continue
        if not any(base.endswith("Dataset") for base in function.cls.foreign()) or not event.args:
            continue
        item = event.args[0]
        if item.by != "[]" or item.on is None or not _is_attribute(tree, event.node, item.on.by):
            continue
        yield found(
            RULE,
            tree,
            event.node,
            "this converts item after item, each epoch anew. Convert the whole array once in __init__.",
        )


def _is_attribute(tree: Tree, node: ast.AST, by: str) -> bool:
    """Whether the argument is written `self.something[...]`."""
    if not isinstance(node, ast.Call) or not node.args or by == INSTANCE:
        return False
    item = node.args[0]
    return (
        isinstance(item, ast.Subscript)
        and isinstance(item.value, ast.Attribute)
        and isinstance(item.value.value, ast.Name)
        and item.value.value.id == "self"
    )
