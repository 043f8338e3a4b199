"""cross_entropy of probabilities: it takes the softmax itself."""

from __future__ import annotations

from collections.abc import Iterator

from ..program.ops import also_used, given_to
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .asking.activated import after_a_sequence, without
from .asking.tree import Tree
from .telling.found import found

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
            fixes = without(tree, op)
        told.add(tree.span(loss.event.node))
        yield found(RULE, tree, place, _SAID, *fixes, related=[related])
    for call, sequence, _ in after_a_sequence(log, tree, "Softmax"):
        if tree.span(call) not in told:
            told.add(tree.span(call))
            yield found(
                RULE, tree, call, _SAID, related=[Related(sequence.span, "its last layer is a softmax")]
            )
