"""The nodes of a function that are its own, and not those of functions within it; the names that these bind."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
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


def local_names(args: ast.arguments, nodes: Sequence[ast.AST]) -> frozenset[str]:
    """The names that Python makes local to a function. `nodes`: of its body, see `own_nodes`."""
    names = {
        a.arg
        for a in [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
        if a is not None
    }
    moved: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            names.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update((alias.asname or alias.name).split(".")[0] for alias in node.names)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            moved.update(node.names)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
    comprehension_targets = {
        n.id
        for node in nodes
        if isinstance(node, ast.comprehension)
        for n in ast.walk(node.target)
        if isinstance(n, ast.Name)
    }
    stored_elsewhere = {
        n.id
        for node in nodes
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For, ast.With, ast.NamedExpr))
        for n in _targets(node)
    }
    return frozenset(names - moved - (comprehension_targets - stored_elsewhere))


def _targets(node: Any) -> Any:
    roots = (
        node.targets
        if isinstance(node, ast.Assign)
        else [item.optional_vars for item in node.items if item.optional_vars is not None]
        if isinstance(node, ast.With)
        else [node.target]
    )
    for root in roots:
        for inner in ast.walk(root):
            if isinstance(inner, ast.Name):
                yield inner
