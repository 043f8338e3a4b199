"""`Variable`: since torch 0.4 it gives back the tensor."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "autograd-variable"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every call of it."""
    for event in tree.course.calls("torch.autograd.Variable"):
        node = event.node
        assert isinstance(node, ast.Call)
        fixes = []
        if len(node.args) == 1 and not node.keywords and not isinstance(node.args[0], ast.Starred):
            inner = node.args[0]
            text = source(tree.text, inner)
            if not isinstance(inner, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)):
                text = f"({text})"
            fixes = [fix("use the tensor itself", replace(tree.text, node, text), safe=True)]
        volatile = "volatile" in event.kwargs
        yield found(
            RULE,
            tree,
            node,
            "volatile has no effect: use torch.no_grad(). And Variable is deprecated, it gives back the tensor."
            if volatile
            else "Variable is deprecated: tensors record gradients themselves, and this gives back the tensor.",
            *fixes,
        )
