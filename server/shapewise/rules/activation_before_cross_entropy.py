"""cross_entropy of what a relu, a sigmoid or a tanh has cut off or squashed."""

from __future__ import annotations

from collections.abc import Iterator

from ..program.ops import also_used, given_to
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .asking.activated import after_a_sequence, without
from .asking.tree import Tree
from .telling.found import found

RULE = "activation-before-cross-entropy"
_LAYERS = {"ReLU": "relu", "Sigmoid": "sigmoid", "Tanh": "tanh"}
_SAID = {
    "relu": "cross_entropy takes logits, which may be negative. Behind a relu no class scores below 0, and where one is cut off it "
    "gets no gradient.",
    "sigmoid": "cross_entropy takes logits of any size. Behind a sigmoid they lie between 0 and 1: the softmax of such numbers is "
    "nearly even, and the loss cannot come near 0.",
    "tanh": "cross_entropy takes logits of any size. Behind a tanh they lie between -1 and 1: the softmax of such numbers is "
    "nearly even, and the loss cannot come near 0.",
}
_TOLD = "Give it what the last layer gave."


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every such activation whose result surely is the input of a cross entropy, with nothing in between."""
    told = set()
    for name in ("relu", "relu_", "sigmoid", "sigmoid_", "tanh", "tanh_"):
        for loss, op, node in given_to(tree.course, ("cross_entropy",), name):
            word = name.rstrip("_")
            if op.operand is None or also_used(tree.course, op, loss):
                place, related = loss.event.node, Related(tree.span(node), f"the {word}")
                fixes: tuple[Fix, ...] = ()
            else:
                place, related = node, Related(tree.span(loss.event.node), "the cross entropy")
                fixes = without(tree, op)
            told.add(tree.span(loss.event.node))
            yield found(RULE, tree, place, f"{_SAID[word]} {_TOLD}", *fixes, related=[related])
    for call, sequence, layer in after_a_sequence(log, tree, *_LAYERS):
        if tree.span(call) not in told:
            told.add(tree.span(call))
            word = _LAYERS[layer]
            related = Related(sequence.span, f"its last layer is a {word}")
            yield found(RULE, tree, call, f"{_SAID[word]} {_TOLD}", related=[related])
