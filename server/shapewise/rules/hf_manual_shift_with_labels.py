"""Labels given to the model, and the loss computed once more by hand."""

from __future__ import annotations

from collections.abc import Iterator

from ..program.ops import losses
from ..program.values import Value, within
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .found import found
from .tree import Tree

RULE = "hf-manual-shift-with-labels"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every cross entropy of logits that come from a call with labels."""
    for loss in losses(tree.course):
        if loss.name != "cross_entropy":
            continue
        call = _call_with_labels(loss.input)
        if call is None or call.node is None:
            continue
        yield found(
            RULE,
            tree,
            loss.event.node,
            "the model was given labels, and has shifted them and computed this loss already: it is in .loss.",
            related=[Related(tree.span(call.node), "labels are given here")],
        )


def _call_with_labels(value: Value) -> Value | None:
    for one in within(value, 8):
        if one.by == "." and one.name == "logits" and one.on is not None:
            return one.on if one.on.by == "()" and "labels" in one.on.kwargs else None
    return None
