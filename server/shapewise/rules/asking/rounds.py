"""Rounds of a loop: what is done in every few of them alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .tree import Tree


def every_few(tree: Tree, test: ast.expr | None, depth: int = 2) -> bool:
    """Whether a condition asks for a remainder: itself, a variable in it, or a function of the file's that it calls."""
    for node in ast.walk(test) if test is not None else ():
        if isinstance(node, ast.Mod):
            return True
        if depth and any(every_few(tree, one, depth - 1) for one in _behind(tree, node)):
            return True
    return False


def _behind(tree: Tree, node: ast.AST) -> Iterator[ast.expr]:
    """What a name was last set to in its function, and what a function or property of that name gives back."""
    if isinstance(node, ast.Name):
        function = tree.course.places.function(node)
        for event in tree.course.of_kind("bind"):
            if event.name == node.id and tree.course.places.function(event.node) is function:
                parent = tree.course.places.parent(event.node)
                if isinstance(parent, ast.Assign) and parent.lineno < node.lineno:
                    yield parent.value
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None
    for definition in tree.course.nodes(ast.FunctionDef) if name is not None else ():
        if isinstance(definition, ast.FunctionDef) and definition.name == name:
            yield from (
                one.value for one in definition.body if isinstance(one, ast.Return) and one.value is not None
            )
