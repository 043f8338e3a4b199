"""A condition on the numbers of a tensor, in a model that is compiled."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .compiled import compiled
from .found import found
from .tree import Tree

RULE = "graph-break-data-dependent-if"
_NUMBERS = frozenset("sum mean max min any all norm item".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every `if` and `while` in what is compiled that asks a reduction of a tensor for its value."""
    for function in compiled(tree.course):
        for node in ast.walk(function.node):
            if isinstance(node, (ast.If, ast.While)) and _asks_numbers(node.test):
                yield found(
                    RULE,
                    tree,
                    node,
                    "which way this goes only the numbers decide: the compiled graph ends here. torch.where computes both "
                    "ways and takes the right one.",
                )


def _asks_numbers(test: ast.expr) -> bool:
    """Whether a test is, or compares, `x.sum()` and the like."""
    parts = [test.left, *test.comparators] if isinstance(test, ast.Compare) else [test]
    return any(
        isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr in _NUMBERS
        for part in parts
    )
