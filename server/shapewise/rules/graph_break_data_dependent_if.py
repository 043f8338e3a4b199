"""A condition on the numbers of a tensor, in a model that is compiled."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..program.definitions import Class
from ..program.values import INSTANCE, roots
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .found import found
from .tree import Tree

RULE = "graph-break-data-dependent-if"
_NUMBERS = frozenset("sum mean max min any all norm item".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every `if` and `while` in the forward of a compiled model that asks a reduction of a tensor for its value."""
    compiled: dict[int, Class] = {}
    for event in tree.course.calls("torch.compile"):
        for root in roots(event.argument("model", 0)):
            if root.by == INSTANCE and root.cls is not None:
                compiled[id(root.cls)] = root.cls
    for cls in compiled.values():
        forward = cls.method("forward")
        for node in ast.walk(forward.node) if forward is not None else ():
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
