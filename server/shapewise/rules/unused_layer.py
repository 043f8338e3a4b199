"""A layer that is made, moved, saved, given to the optimizer, and never used."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..program.training import is_module
from ..program.values import INSTANCE
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .found import found
from .tree import Tree

RULE = "unused-layer"
_BY_NAME = (
    "getattr",
    "children",
    "named_children",
    "modules",
    "named_modules",
    "_modules",
    "get_submodule",
    "__dict__",
    "vars",
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every layer set in `__init__` of a module with a forward of its own, whose name nothing reads."""
    course = tree.course
    read = {
        node.attr
        for node in course.nodes(ast.Attribute)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    }
    words = {
        str(node.value)
        for node in course.nodes(ast.Constant)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    names = {node.id for node in course.nodes(ast.Name) if isinstance(node, ast.Name)}
    if (read | names) & set(_BY_NAME):
        return
    for event in course.of_kind("set"):
        owner, function = event.on, event.function
        if owner is None or owner.by != INSTANCE or owner.cls is None or function is None:
            continue
        cls = owner.cls
        if function.name != "__init__" or function.cls is not cls or not cls.is_only_module:
            continue
        if "forward" not in cls.methods or event.name in read or any(event.name in word for word in words):
            continue
        if is_module(event.args[0], surely=True):
            yield found(
                RULE,
                tree,
                event.node,
                f"{event.name} is never used: its parameters get no gradient, and DDP complains of that.",
            )
