"""Losses whose input an activation gave, as the text has it and as a Sequential was made, and the text without that activation."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...edits.statements import replace, source
from ...program.ops import Op as Made
from ...queries.lineage import Lineage, lineage_of, short
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
        last = _last_layer(lineage, maker)
        if last in layers:
            yield node, maker, last


def _last_layer(lineage: Lineage, maker: Op) -> str:
    """The class of the last layer of a Sequential that was called, as it was made; "" if it is not known."""
    built = lineage.builder(maker.args[0])
    last = built.args[-1] if built is not None and built.args else None
    return last.type if isinstance(last, Other) else ""


_SAME_RANGE = frozenset(
    "mean squeeze unsqueeze view reshape flatten permute transpose [] contiguous float max amax min amin "
    "AdaptiveAvgPool2d() AvgPool2d() Flatten() adaptive_avg_pool2d avg_pool2d".split()
)
"""Ops whose result lies where what they are given lies: what is between 0 and 1 stays there."""


def between_0_and_1(log: Log, tree: Tree, losses: tuple[str, ...]) -> Iterator[tuple[ast.Call, Op]]:
    """Every call of such a loss whose input surely was a sigmoid's, however its layers were listed, and what made it so."""
    lineage = lineage_of(log)
    for op in ops_of(log, losses):
        node = tree.at(op.span, ast.Call)
        given = next((arg for arg in op.args if isinstance(arg, Tensor)), None)
        maker = None if given is None or node is None else _maker_of_numbers(lineage, given)
        if node is not None and maker is not None and _ends_in(lineage, maker, "sigmoid", "Sigmoid"):
            yield node, maker


def _maker_of_numbers(lineage: Lineage, tensor: Tensor) -> Op | None:
    *_, first = lineage.through(tensor, _SAME_RANGE, 10)
    return lineage.maker(first)


def _ends_in(lineage: Lineage, maker: Op, function: str, layer: str) -> bool:
    """Whether an op is that function, that layer, or a Sequential that ends in it."""
    if short(maker.name) == "Sequential()":
        return _last_layer(lineage, maker) == layer
    return short(maker.name) in (function, f"{layer}()")


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
