"""Labels given to the model, and the loss computed once more by hand."""

from __future__ import annotations

from collections.abc import Iterator

from ..program.ops import Loss, losses
from ..program.values import Value, constant, same, within
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
        call = _call_with_labels(loss)
        if call is None or call.node is None:
            continue
        yield found(
            RULE,
            tree,
            loss.event.node,
            "the model was given labels, and has shifted them and computed this loss already: it is in .loss.",
            related=[Related(tree.span(call.node), "labels are given here")],
        )


def _call_with_labels(loss: Loss) -> Value | None:
    """The call of a model with labels that gave the logits of a loss."""
    for one in within(loss.input, 8):
        if one.by == "." and one.name == "logits" and one.on is not None:
            call = one.on
            if call.by != "()":
                return None
            return call if "labels" in call.kwargs or _in_the_batch(call, loss.target) else None
    return None


def _in_the_batch(call: Value, target: Value | None) -> bool:
    """Whether the model is given the whole batch, `**batch`, and the loss is of `batch["labels"]`."""
    batch = call.kwargs.get("**")
    return (
        batch is not None
        and target is not None
        and any(
            one.by == "[]" and constant(one.args[0]) == "labels" and same(one.on, batch)
            for one in within(target, 6)
            if one.args
        )
    )
