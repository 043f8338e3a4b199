"""Which attributes a file may set."""

from __future__ import annotations

import ast

from .tree import Tree


def written(tree: Tree) -> set[str]:
    """The attributes that the file may set, whoever's they are, outside of constructors; `*` where it may be any."""
    found: set[str] = set()
    places = tree.course.places
    for node in places.nodes:
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("setattr", "getattr", "vars")
        ):
            found.add("*")
        if not isinstance(node, ast.Attribute):
            continue
        if node.attr in ("__dict__", "_buffers", "named_buffers", "buffers"):
            found.add("*")
        around = places.function(node)
        is_init = isinstance(around, ast.FunctionDef) and around.name == "__init__"
        if not isinstance(node.ctx, ast.Load):
            if not is_init:
                found.add(node.attr)
        elif _may_be_set(tree, node):
            found.add(node.attr)
    return found


def _may_be_set(tree: Tree, node: ast.Attribute) -> bool:
    """Whether what is done with it may set it: a method in place, an item, a function that is given it, another name for it."""
    parent = tree.course.places.parent(node)
    if isinstance(parent, ast.Attribute):
        return parent.attr.endswith("_") or parent.attr in ("data", "copy_")
    if isinstance(parent, ast.Subscript):
        return parent.value is node and not isinstance(parent.ctx, ast.Load)
    if isinstance(parent, ast.Call):
        return parent.func is not node and ast.unparse(parent.func).split(".")[0] not in (
            "torch",
            "math",
            "print",
            "float",
            "int",
        )
    return isinstance(
        parent,
        ast.Assign | ast.AnnAssign | ast.Return | ast.Tuple | ast.List | ast.Dict | ast.keyword | ast.Yield,
    )
