"""The negative log likelihood by hand."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.ops import op_of
from ..program.values import Value
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix
from .asking.tree import Tree
from .telling.found import fix, found, name_for

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
                *_fixes(
                    tree,
                    event.node,
                    logs
                    if logged is None or logged.operand is None or logged.name != "log"
                    else logged.operand,
                ),
            )


def _fixes(tree: Tree, mean: ast.AST, picked: Value) -> tuple[Fix, ...]:
    """`F.cross_entropy(logits, labels)` for `-p[torch.arange(n), labels].log().mean()`, where p is a softmax of what has a name."""
    whole = tree.course.places.parent(mean)
    indexed = picked.node if picked.by == "[]" else None
    function = name_for(tree, "torch.nn.functional.cross_entropy")
    shares = op_of(picked.on) if picked.on is not None else None
    if shares is not None and shares.name == "log" and shares.operand is not None:
        shares = op_of(shares.operand)
    logits = shares.operand.node if shares is not None and shares.operand is not None else None
    is_negated = isinstance(whole, ast.UnaryOp) and isinstance(whole.op, ast.USub)
    if not isinstance(indexed, ast.Subscript) or not isinstance(indexed.slice, ast.Tuple) or function is None:
        return ()
    if shares is None or shares.name not in ("softmax", "log_softmax") or not is_negated:
        return ()
    labels, given = indexed.slice.elts[1], _name_of(tree, shares.value.node, logits)
    if given is None or not isinstance(whole, ast.UnaryOp):
        return ()
    text = f"{function}({given}, {source(tree.text, labels)})"
    return (fix("F.cross_entropy", replace(tree.text, whole, text)),)


def _name_of(tree: Tree, softmax: ast.AST | None, logits: ast.AST | None) -> str | None:
    """How the logits are written where the softmax is made, if that is a name."""
    if not isinstance(softmax, ast.Call):
        return None
    given = softmax.args[0] if softmax.args else None
    if isinstance(softmax.func, ast.Attribute) and isinstance(softmax.func.value, ast.Name | ast.Attribute):
        owner = ast.unparse(softmax.func.value)
        if owner not in ("F", "torch", "nn.functional", "torch.nn.functional"):
            given = softmax.func.value
    return source(tree.text, given) if isinstance(given, ast.Name | ast.Attribute) else None


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
