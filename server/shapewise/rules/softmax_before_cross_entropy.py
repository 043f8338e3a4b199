"""cross_entropy of probabilities: it takes the softmax itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..fixes.statements import replace, source
from ..program.ops import Op, given_to
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .found import fix, found
from .tree import Tree

RULE = "softmax-before-cross-entropy"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every softmax whose result surely is the input of a cross entropy."""
    for loss, op, node in given_to(tree.course, ("cross_entropy",), "softmax"):
        yield found(
            RULE,
            tree,
            node,
            "cross_entropy takes the softmax itself. Of probabilities it takes it a second time: the loss can no "
            "longer come near 0, and gradients are small. Give it the logits.",
            *_fixes(tree, op),
            related=[Related(tree.span(loss.event.node), "the cross entropy")],
        )


def _fixes(tree: Tree, op: Op) -> tuple[Fix, ...]:
    node = op.value.node
    if not isinstance(node, ast.Call) or op.operand is None:
        return ()
    logits: ast.expr | None = None
    if isinstance(node.func, ast.Attribute) and node.func.attr == "softmax" and op.value.by == ".softmax":
        logits = node.func.value
    elif node.args and not isinstance(node.args[0], ast.Starred):
        logits = node.args[0]
    if logits is None:
        return ()
    return (fix("give it the logits", replace(tree.text, node, source(tree.text, logits))),)
