"""What may change between two items of a generator: what it reads, and others of the file write.

A generator of which nobody knows how often it yields is run to its end before its first item is used. That holds only
if whoever uses the items leaves alone what the next ones are made of.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection
from functools import lru_cache
from typing import Any

_AT_FIRST = ("__init__", "__post_init__")
"""What they write is there before a generator begins."""
_CHANGES = frozenset(
    "append extend insert pop clear update add remove discard setdefault appendleft popleft sort reverse".split()
)


def may_change(body: list[Any], own: Collection[str], text: str, is_there: bool = True) -> bool:
    """Whether a text writes something that a generator with this body reads, outside of it. `own`: its local names.

    `is_there`: whether the generator stands in this text.
    """
    inside = range(body[0].lineno, body[-1].end_lineno + 1) if is_there else range(0)
    read: set[str] = set()
    for node in (node for one in body for node in ast.walk(one)):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            read.add(node.attr)
        elif isinstance(node, ast.Name) and node.id not in own:
            read.add(node.id)
    return any(name in read for name, line in _written(text) if line not in inside)


def reads_itself(body: list[Any]) -> bool:
    """Whether a generator reads attributes of its object."""
    return any(
        isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
        for one in body
        for node in ast.walk(one)
    )


@lru_cache(maxsize=64)
def _written(text: str) -> tuple[tuple[str, int], ...]:
    """Attributes, names of the top level and containers that a text writes more than at first, with their lines."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    found: list[tuple[str, int]] = []
    _visit(tree, found, False)
    top = [(one.id, one.lineno) for one in _of_the_top(tree)]
    often = Counter(name for name, _ in top)
    return (*found, *(one for one in top if often[one[0]] > 1))


def _visit(node: ast.AST, found: list[tuple[str, int]], at_first: bool) -> None:
    for one in ast.iter_child_nodes(node):
        if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)):
            _visit(one, found, one.name in _AT_FIRST)
            continue
        if not at_first:
            if isinstance(one, (ast.Attribute, ast.Subscript)) and not isinstance(one.ctx, ast.Load):
                found.append((_name(one.value if isinstance(one, ast.Subscript) else one), one.lineno))
            elif (
                isinstance(one, ast.Call)
                and isinstance(one.func, ast.Attribute)
                and one.func.attr in _CHANGES
            ):
                found.append((_name(one.func.value), one.lineno))
            elif isinstance(one, (ast.Global, ast.Nonlocal)):
                found += [(name, one.lineno) for name in one.names]
        _visit(one, found, at_first)


def _of_the_top(tree: ast.Module) -> list[ast.Name]:
    """The names that are bound at the top, once for each time that the text does; what is bound in a loop counts twice."""
    found: list[ast.Name] = []

    def visit(node: ast.AST, times: int) -> None:
        for one in ast.iter_child_nodes(node):
            if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
                continue
            if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load):
                found.extend([one] * times)
            visit(one, 2 if isinstance(one, (ast.For, ast.While)) else times)

    visit(tree, 1)
    return found


def _name(node: ast.AST) -> str:
    """The last name of what is read or written: `size` of `self.size`."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
