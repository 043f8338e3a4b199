"""cross_entropy of probabilities: it takes the softmax itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.ops import Op as Made
from ..program.ops import also_used, given_to
from ..queries.lineage import lineage_of, short
from ..vocabulary.events import Log, Op, Other, Tensor
from ..vocabulary.findings import Finding, Fix, Related
from ..vocabulary.span import Span
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "softmax-before-cross-entropy"
_SAID = (
    "cross_entropy takes the softmax itself. Of probabilities it takes it a second time: the loss can no "
    "longer come near 0, and gradients are small. Give it the logits."
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every softmax whose result surely is the input of a cross entropy."""
    told = set()
    for loss, op, node in given_to(tree.course, ("cross_entropy",), "softmax"):
        if op.operand is None or also_used(tree.course, op, loss):  # inside a Sequential, or needed elsewhere
            place, related = loss.event.node, Related(tree.span(node), "the softmax")
            fixes: tuple[Fix, ...] = ()
        else:
            place, related = node, Related(tree.span(loss.event.node), "the cross entropy")
            fixes = _fixes(tree, op)
        told.add(tree.span(loss.event.node))
        yield found(RULE, tree, place, _SAID, *fixes, related=[related])
    yield from _last_layers(log, tree, told)


def _last_layers(log: Log, tree: Tree, told: set[Span]) -> Iterator[Finding]:
    """Every cross entropy of what a Sequential gave whose last layer is a softmax, however its layers were listed."""
    lineage = lineage_of(log)
    for op in log.events:
        if not isinstance(op, Op) or short(op.name) not in ("cross_entropy", "CrossEntropyLoss()"):
            continue
        given = next((arg for arg in op.args if isinstance(arg, Tensor)), None)
        maker = lineage.maker(given) if given is not None else None
        node = tree.at(op.span, ast.Call)
        if node is None or op.span in told or maker is None or maker.name != "nn.Sequential()":
            continue
        built = lineage.builder(maker.args[0])
        last = built.args[-1] if built is not None and built.args else None
        if isinstance(last, Other) and last.type == "Softmax":
            told.add(op.span)
            yield found(RULE, tree, node, _SAID, related=[Related(maker.span, "its last layer is a softmax")])


def _fixes(tree: Tree, op: Made) -> tuple[Fix, ...]:
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
