"""Binary cross entropy and sigmoid that do not fit together."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.ops import also_used, losses, numbers_of, op_of, surely
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.activated import between_0_and_1
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "sigmoid-then-bce"
_TWICE = (
    "the loss takes the sigmoid itself: here it is taken twice, so that no probability below 0.5 can ever "
    "be learned. Give it the logits."
)
_WITH_LOGITS = ("binary_cross_entropy_with_logits", "BCEWithLogitsLoss()")
_UNBOUNDED = ("linear", "conv1d", "conv2d", "conv3d", "conv_transpose2d")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """A sigmoid twice, one of a softmax, none at all, and the pair that loses precision."""
    told: set[ast.AST] = set()
    for loss in losses(tree.course):
        with_logits = loss.name == "binary_cross_entropy_with_logits"
        if not with_logits and loss.name != "binary_cross_entropy":
            continue
        for op in surely(loss.input, "softmax") if with_logits else ():
            if op.value.node is not None:
                yield found(
                    RULE,
                    tree,
                    loss.event.node,
                    "the loss takes the sigmoid of each class by itself, and here it is given the shares of a softmax, which are "
                    "never below 0: no probability below 0.5 can ever be learned. Give it the logits.",
                    related=[Related(tree.span(op.value.node), "the softmax")],
                )
        for op in surely(loss.input, "sigmoid"):
            node = op.value.node
            if node is None:
                continue
            related = [Related(tree.span(loss.event.node), "the loss")]
            told.add(loss.event.node)
            if not with_logits:
                yield found(
                    RULE,
                    tree,
                    node,
                    "sigmoid and binary cross entropy apart lose precision, and the log of a probability of 0 is cut "
                    "off at -100. BCEWithLogitsLoss takes the logits and does both in one.",
                    related=related,
                    severity="hint",
                )
                continue
            fixes = []
            if also_used(tree.course, op, loss):
                node, related = loss.event.node, [Related(tree.span(node), "the sigmoid")]
            inner = (
                _inner(node) if op.operand is not None else None
            )  # else the call does more than the sigmoid
            if inner is not None and node is op.value.node and isinstance(node, ast.expr):
                fixes = [fix("give it the logits", replace(tree.text, node, source(tree.text, inner)))]
            yield found(
                RULE,
                tree,
                node,
                _TWICE,
                *fixes,
                related=related,
            )
        ends = [op_of(one) for one in numbers_of(loss.input)]
        if not with_logits and ends and all(op is not None and _is_layer(op.name) for op in ends):
            yield found(
                RULE,
                tree,
                loss.event.node,
                "binary cross entropy wants probabilities, and this is the output of a linear layer, which may be "
                "anything. Use BCEWithLogitsLoss.",
            )
    for call, maker in between_0_and_1(log, tree, _WITH_LOGITS):
        if call not in told:
            told.add(call)
            yield found(RULE, tree, call, _TWICE, related=[Related(maker.span, "the sigmoid")])


def _is_layer(name: str) -> bool:
    return name.replace("_", "") in {one.replace("_", "") for one in _UNBOUNDED}


def _inner(node: ast.AST) -> ast.expr | None:
    if not isinstance(node, ast.Call):
        return None
    if node.args:
        return node.args[0] if len(node.args) == 1 else None
    return node.func.value if isinstance(node.func, ast.Attribute) and node.func.attr == "sigmoid" else None
