"""A condition on the numbers of a tensor, in a model that is compiled."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.compiled import compiled
from .asking.tree import Tree
from .telling.found import found

RULE = "graph-break-data-dependent-if"
_NUMBERS = frozenset("sum mean max min any all norm item".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every `if` and `while` in what is compiled that asks a reduction of a tensor for its value."""
    for function in compiled(tree.course):
        reduced = _reduced(function.node)
        for node in ast.walk(function.node):
            if isinstance(node, (ast.If, ast.While)) and _asks_numbers(node.test, reduced):
                yield found(
                    RULE,
                    tree,
                    node,
                    "which way this goes only the numbers decide: the compiled graph ends here. torch.where computes both "
                    "ways and takes the right one.",
                )


def _reduced(function: ast.AST) -> frozenset[str]:
    """The names that are only ever bound to a reduction there: `level = wave.abs().mean()`."""
    bound = [
        node for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    once = {node.id for node in bound if sum(one.id == node.id for one in bound) == 1}
    return frozenset(
        node.targets[0].id
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        and len(node.targets) == 1
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id in once
        and _is_reduction(node.value)
    )


def _asks_numbers(test: ast.expr, reduced: frozenset[str]) -> bool:
    """Whether a test is, or compares, `x.sum()` and the like, or a name for one."""
    parts = [test.left, *test.comparators] if isinstance(test, ast.Compare) else [test]
    if isinstance(test, ast.Compare) and any(isinstance(op, (ast.Is, ast.IsNot)) for op in test.ops):
        return False
    return any(_is_reduction(part) or (isinstance(part, ast.Name) and part.id in reduced) for part in parts)


def _is_reduction(part: ast.expr) -> bool:
    return isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr in _NUMBERS
