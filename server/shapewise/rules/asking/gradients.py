"""Gradients that a file changes by hand, or steps along without an optimizer."""

from __future__ import annotations

import ast

from .tree import Tree

CLIPS = ("torch.nn.utils.clip_grad_norm_", "torch.nn.utils.clip_grad_value_")
_LOOKS = frozenset("norm abs mean max min item isnan isfinite square pow std sum numel".split())


def gradients_are_changed(tree: Tree) -> bool:
    """Whether `.grad` is read or written for more than to clear it, to compare it and to measure it."""
    return any(
        isinstance(node, ast.Attribute) and node.attr == "grad" and not _is_only_looked_at(node, tree)
        for node in tree.course.places.nodes
    )


def _is_only_looked_at(grad: ast.Attribute, tree: Tree) -> bool:
    node: ast.AST = grad
    parent = tree.course.places.parent(node)
    if isinstance(parent, ast.Compare):
        return True
    if isinstance(parent, ast.Assign):
        return isinstance(parent.value, ast.Constant) and parent.value.value is None
    detached = isinstance(parent, ast.Attribute) and parent.attr in ("data", "detach")
    while isinstance(parent, ast.Call | ast.Attribute) and detached:
        node, parent = parent, tree.course.places.parent(parent)
        detached = isinstance(parent, ast.Call) and parent.func is node
    return isinstance(parent, ast.Attribute) and parent.attr in _LOOKS
