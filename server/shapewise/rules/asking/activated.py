"""Losses whose input an activation gave, as the text has it and as a Sequential was made, and the text without that activation."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...edits.statements import replace, source
from ...program.ops import Op as Made
from ...queries.lineage import lineage_of
from ...queries.ops import ops_of
from ...vocabulary.events import Log, Op, Other, Tensor
from ...vocabulary.findings import Fix
from ..telling.found import fix
from .tree import Tree

_LOSSES = ("cross_entropy", "CrossEntropyLoss()")


def after_a_sequence(log: Log, tree: Tree, *layers: str) -> Iterator[tuple[ast.Call, Op, str]]:
    """Every cross entropy of what a Sequential gave whose last layer is one of these, however its layers were listed: the call,
    that of the Sequential, and the layer.
    """
    lineage = lineage_of(log)
    for op in ops_of(log, _LOSSES):
        given = next((arg for arg in op.args if isinstance(arg, Tensor)), None)
        maker = lineage.maker(given) if given is not None else None
        node = tree.at(op.span, ast.Call)
        if node is None or maker is None or maker.name != "nn.Sequential()":
            continue
        built = lineage.builder(maker.args[0])
        last = built.args[-1] if built is not None and built.args else None
        if isinstance(last, Other) and last.type in layers:
            yield node, maker, last.type


def without(tree: Tree, op: Made) -> tuple[Fix, ...]:
    """The repair that gives the loss the logits: what an op was done to stands in its place."""
    node = op.value.node
    if not isinstance(node, ast.Call) or op.operand is None:
        return ()
    logits: ast.expr | None = None
    if isinstance(node.func, ast.Attribute) and node.func.attr == op.name and op.value.by == f".{op.name}":
        logits = node.func.value
    elif node.args and not isinstance(node.args[0], ast.Starred):
        logits = node.args[0]
    if logits is None:
        return ()
    return (fix("give it the logits", replace(tree.text, node, source(tree.text, logits))),)
