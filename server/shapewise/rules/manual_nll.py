"""The negative log likelihood by hand."""

from __future__ import annotations

from collections.abc import Iterator

from ..program.ops import op_of
from ..program.values import Value
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import found

RULE = "manual-nll"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every mean of logs of probabilities picked by label, be they picked first or last."""
    for event in tree.course.calls(".mean", "torch.mean"):
        op = op_of(event.value) if event.value is not None else None
        if op is None or op.operand is None:
            continue
        logs = _unsigned(op.operand)
        logged = op_of(logs)
        if logged is not None and logged.name == "log" and logged.operand is not None:
            is_nll = _is_picked(logged.operand)
        else:
            is_nll = _is_gathered(logs) or (_is_picked(logs) and _is_logs(logs.on))
        if is_nll:
            yield found(
                RULE,
                tree,
                event.node,
                "this is F.cross_entropy(logits, labels), which takes logits, needs no probabilities in memory and "
                "does not run into log(0).",
            )


def _unsigned(value: Value) -> Value:
    return value.args[0] if value.by == "-" and len(value.args) == 1 else value


def _is_picked(value: Value) -> bool:
    return (value.by == "[]" and bool(value.args) and _by_label(value.args[0])) or _is_gathered(value)


def _is_gathered(value: Value) -> bool:
    """Whether it is `p.gather(1, labels[:, None])` of what a softmax gave, squeezed or not."""
    op = op_of(value)
    if op is not None and op.name in ("squeeze", "flatten", "view", "reshape") and op.operand is not None:
        op = op_of(op.operand)
    if op is None or op.name != "gather" or op.operand is None:
        return False
    shares = op_of(op.operand)
    return shares is not None and shares.name in ("softmax", "log_softmax")


def _is_logs(value: Value | None) -> bool:
    """Whether these are logs of probabilities."""
    op = op_of(value) if value is not None else None
    if op is not None and op.name == "log" and op.operand is not None:
        inner = op_of(op.operand)
        return inner is not None and inner.name == "softmax"
    return op is not None and op.name == "log_softmax"


def _by_label(index: Value) -> bool:
    if index.by != "tuple" or len(index.args) != 2:
        return False
    rows = index.args[0]
    return rows.by in ("torch.arange", "builtins.range")
