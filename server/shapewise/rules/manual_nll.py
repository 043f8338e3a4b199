"""The negative log likelihood by hand."""

from __future__ import annotations

from collections.abc import Iterator

from ..program.ops import op_of
from ..program.values import Value
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .found import found
from .tree import Tree

RULE = "manual-nll"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every mean of the log of probabilities picked by label."""
    for event in tree.course.calls(".mean", "torch.mean"):
        op = op_of(event.value) if event.value is not None else None
        if op is None or op.operand is None:
            continue
        logged = op_of(_unsigned(op.operand))
        if logged is None or logged.name != "log" or logged.operand is None:
            continue
        picked = logged.operand
        if picked.by == "[]" and picked.args and _by_label(picked.args[0]):
            yield found(
                RULE,
                tree,
                event.node,
                "this is F.cross_entropy(logits, labels), which takes logits, needs no probabilities in memory and "
                "does not run into log(0).",
            )


def _unsigned(value: Value) -> Value:
    return value.args[0] if value.by == "-" and len(value.args) == 1 else value


def _by_label(index: Value) -> bool:
    if index.by != "tuple" or len(index.args) != 2:
        return False
    rows = index.args[0]
    return rows.by in ("torch.arange", "builtins.range")
