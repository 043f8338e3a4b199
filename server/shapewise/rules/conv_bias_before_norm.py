"""A bias that the batch norm behind it takes off again."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from ..edits.calls import add_keyword
from ..program.ops import call_of, calls_of_several
from ..program.values import Value, open_ended, roots
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "conv-bias-before-norm"
_CONV = re.compile(r"^torch\.nn\.Conv(Transpose)?[123]d$")
_NORM = re.compile(r"^torch\.nn\.(Sync)?BatchNorm")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every convolution with a bias that feeds a batch norm directly, in a Sequential or in a forward."""
    for conv in _pairs(tree):
        node = conv.node
        bias = conv.argument("bias", 7)
        if not isinstance(node, ast.Call) or bias is not None or open_ended(conv):
            continue
        yield found(
            RULE,
            tree,
            node,
            "the batch norm behind this convolution subtracts the mean, and with it this bias: it costs memory and "
            "time and changes nothing.",
            fix("leave the bias out", add_keyword(tree.text, node, "bias=False")),
        )


def _pairs(tree: Tree) -> Iterator[Value]:
    for event in tree.course.calls("torch.nn.Sequential"):
        layers = [layer for given in event.args for layer in _layers(given)]
        for first, second in pairwise(layers):
            if _CONV.match(first.by) and _NORM.match(second.by):
                yield first
    several = calls_of_several(tree.course)
    for event in tree.course.calls("()"):
        if call_of(event) in several:
            continue  # a group norm, or none at all, with other options
        norms = roots(event.on)
        if len(norms) == 1 and _NORM.match(norms[0].by) and event.args and event.args[0].by == "()":
            convs = roots(event.args[0].on)
            if len(convs) == 1 and _CONV.match(convs[0].by):
                yield convs[0]


def _layers(given: Value) -> tuple[Value, ...]:
    """What one argument of a Sequential gives it; of `*layers`, those that the list was written with."""
    if not given.spread or given.on is None:
        return (given,)
    kept = given.on
    written = kept.node.elts if kept.by == "list" and isinstance(kept.node, ast.List) else []
    return tuple(one if any(one.node is node for node in written) else Value() for one in kept.args) or (
        Value(),
    )
