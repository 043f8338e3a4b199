"""`log(1 + x)` and `exp(x) - 1`, which lose what is small."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.values import number
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import fix, found, name_for

RULE = "log1p-expm1"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Both, written with torch's functions."""
    for event in tree.course.calls("torch.log"):
        inner = event.args[0] if event.args else None
        if inner is None or inner.by != "+" or not isinstance(inner.node, ast.BinOp):
            continue
        for one, other in ((inner.args[0], inner.node.right), (inner.args[1], inner.node.left)):
            if number(one) == 1 and isinstance(event.node, ast.Call):
                text = f"{name_for(tree, 'torch.log1p')}({source(tree.text, other)})"
                yield found(
                    RULE,
                    tree,
                    event.node,
                    "1 + x rounds a small x away before the log sees it. log1p(x) is exact.",
                    fix("use log1p", replace(tree.text, event.node, text), safe=True),
                )
    for event in tree.course.of_kind("op"):
        node = event.node
        if event.name != "-" or len(event.args) != 2 or not isinstance(node, ast.BinOp):
            continue
        left = node.left
        if (
            event.args[0].by == "torch.exp"
            and number(event.args[1]) == 1
            and isinstance(left, ast.Call)
            and left.args
        ):
            text = f"{name_for(tree, 'torch.expm1')}({source(tree.text, left.args[0])})"
            yield found(
                RULE,
                tree,
                node,
                "exp of a small x is near 1, and taking 1 off leaves little of it. expm1(x) is exact.",
                fix("use expm1", replace(tree.text, node, text), safe=True),
            )
