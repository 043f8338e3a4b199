"""Backward from more than one number."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..fixes.edits import add_keyword
from ..fixes.statements import insert_before_dot
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .found import fix, found, refused_calls
from .tree import Tree

RULE = "backward-non-scalar"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """What torch refuses."""
    for node, failure in refused_calls(log, tree, "grad can be implicitly created only for scalar outputs"):
        fixes = []
        if isinstance(node.func, ast.Attribute) and node.func.attr == "grad" and node.args:
            ones = f"grad_outputs=torch.ones_like({ast.unparse(node.args[0])})"
            fixes = [fix(f"the sum over all: {ones}", add_keyword(tree.text, node, ones))]
        elif isinstance(node.func, ast.Attribute):
            fixes = [
                fix("differentiate the mean: .mean()", insert_before_dot(tree.text, node.func, ".mean()"))
            ]
        yield found(
            RULE,
            tree,
            node,
            f"{failure.message}\nReduce it to one number (.mean(), .sum()), or say with which weights: "
            "backward(gradient=...).",
            *fixes,
            torch_error=failure.message,
        )
