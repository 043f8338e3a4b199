"""A dropout that leaves hardly anything."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..program.folding import usual_number
from ..program.ops import LOSSES, Op, given_to, surely
from ..program.values import GIVEN, roots
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import found

RULE = "suspicious-dropout"
_MUCH = 0.8

_KEEP = re.compile(r"keep_?(p|prob|rate|probability)", re.IGNORECASE)
_WITH_DROPOUT = tuple(
    f"torch.nn.{name}"
    for name in (
        "LSTM",
        "GRU",
        "RNN",
        "MultiheadAttention",
        "Transformer",
        "TransformerEncoderLayer",
        "TransformerDecoderLayer",
    )
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every dropout with a probability written as a number from 0.8 on, of 1 nothing is left; and of what a loss is given."""
    for loss, op, node in given_to(tree.course, tuple(LOSSES), "dropout"):
        if _is_of_last_layer(op):
            yield found(
                RULE,
                tree,
                node,
                "what the last layer gives is dropped: the loss compares zeros with the target. Dropout belongs before "
                "the last layer.",
                related=[Related(tree.span(loss.event.node), "the loss that is given it")],
            )
    for event in tree.course.of_kind("call"):
        is_layer = event.name.startswith("torch.nn.Dropout")
        if event.name in _WITH_DROPOUT:
            given = event.argument("dropout")
        elif is_layer or event.name.startswith("torch.nn.functional.dropout"):
            given = event.argument("p", 0 if is_layer else 1)
        else:
            continue
        if given is not None and given.by == GIVEN and _KEEP.fullmatch(given.name):
            yield found(
                RULE,
                tree,
                event.node,
                f"the argument is the share that is dropped, and {given.name} says what is kept.",
            )
            continue
        p = usual_number(given)
        if p is None or not _MUCH <= p <= 1:
            continue
        yield found(
            RULE,
            tree,
            event.node,
            "everything is dropped: the output is 0 throughout training."
            if p == 1
            else f"{p:g} is the share that is dropped, not the one that is kept: {1 - p:.0%} of the values are left.",
            severity="warning" if p == 1 else None,
        )


def _is_of_last_layer(op: Op) -> bool:
    """Whether it is a linear layer whose features are dropped."""
    if op.operand is not None:
        return bool(surely(op.operand, "linear"))
    layers = roots(op.value.on)
    before = roots(layers[0].args[-2]) if len(layers) == 1 and len(layers[0].args) > 1 else ()
    return len(before) == 1 and before[0].by == "torch.nn.Linear"
