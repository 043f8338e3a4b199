"""The nodes of a function that are its own, and not those of functions within it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any


def own_nodes(body: list[Any]) -> Iterator[ast.AST]:
    """Every node of a body but those inside nested functions and classes."""
    stack: list[ast.AST] = list(body)
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            stack.extend(ast.iter_child_nodes(node))


def yields(nodes: Iterable[ast.AST]) -> bool:
    """Whether a function whose body has these nodes of its own is a generator function."""
    return any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in nodes)
