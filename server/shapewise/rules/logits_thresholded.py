"""Logits that are held against a probability: the loss takes their sigmoid, and the prediction does not."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.names import last_name
from ..queries.lineage import Lineage, lineage_of, short
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Other, Scalar, Tensor, Value
from ..vocabulary.findings import Finding, Fix, Related
from .asking.along import dim_of
from .asking.tree import Tree
from .telling.found import found_at

RULE = "logits-thresholded"
UNCALLED = True
_LOSSES = frozenset("binary_cross_entropy_with_logits BCEWithLogitsLoss()".split())
_COMPARED = frozenset("> >= < <= gt ge lt le".split())
_SAME = frozenset("squeeze view reshape flatten [] detach cpu cuda to float unsqueeze".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each `logits > 0.5`, `logits.round()` and `logits.softmax(1) > 0.5` of what a loss elsewhere takes the sigmoid of."""
    lineage = lineage_of(log)
    losses: dict[int, Op] = {}
    for op in ops_of(log, _LOSSES):
        given = next((arg for arg in op.args if isinstance(arg, Tensor)), None)
        layer = None if given is None else _layer(lineage, given)
        if layer is not None:
            losses.setdefault(layer, op)
    for op in ops_of(log) if losses else ():
        if not op.args:
            continue
        logits = op.args[0]
        is_half = short(op.name) in _COMPARED and op.args[1:] == (Scalar(0.5),)
        if not isinstance(logits, Tensor) or not (is_half or short(op.name) == "round" and len(op.args) == 1):
            continue
        shares = lineage.maker(logits) if is_half else None
        if shares is not None and short(shares.name) == "softmax" and _among_several(lineage, shares):
            loss = losses.get(_layer(lineage, shares.args[0]) or -1)
            if loss is not None:
                yield _shared_out(op, shares, loss, tree)
            continue
        layer = _layer(lineage, logits)
        loss = None if layer is None else losses.get(layer)
        if loss is None:
            continue
        if is_half and _is_of_logits(op, tree):
            continue
        what = "held against 0.5" if is_half else "rounded"
        yield found_at(
            RULE,
            op.span,
            f"these are logits, of which the loss takes the sigmoid, and they are {what} as if they were probabilities. A "
            f"probability of 0.5 is a logit of 0.",
            *(_fixes(op, tree) if is_half else ()),
            related=[Related(loss.span, "the loss takes the sigmoid of what the layer gives")],
        )


def _among_several(lineage: Lineage, softmax: Op) -> bool:
    """Whether shares are made of three things or more: of two, one of them has more than half."""
    whole = softmax.args[0]
    dim = dim_of(lineage, softmax, len(whole.shape)) if isinstance(whole, Tensor) else None
    size = whole.shape[dim] if isinstance(whole, Tensor) and dim is not None else None
    return type(size) is int and size > 2


def _shared_out(op: Op, softmax: Op, loss: Op, tree: Tree) -> Finding:
    call = tree.at(softmax.span, ast.Call)
    fixes: tuple[Fix, ...] = ()
    func = call.func if call is not None else None
    if call is not None and isinstance(func, ast.Attribute):
        base = source(tree.text, func.value)
        is_function = base in ("torch", "F")
        text = (
            f"torch.sigmoid({source(tree.text, call.args[0])})"
            if is_function and call.args
            else f"{base}.sigmoid()"
        )
        fixes = (Fix("a probability for each: sigmoid", "unsafe", (replace(tree.text, call, text),)),)
    return found_at(
        RULE,
        op.span,
        "the loss takes a sigmoid of each of these, for labels of which several may hold at once; a softmax shares out one among all, so that no "
        "two can be above 0.5.",
        *fixes,
        related=[
            Related(softmax.span, "the softmax"),
            Related(loss.span, "the loss takes the sigmoid of what the layer gives"),
        ],
    )


def _layer(lineage: Lineage, tensor: Value) -> int | None:
    """The id of the layer whose output a tensor is, in some shape."""
    for _ in range(6):
        op = lineage.maker(tensor)
        if op is None or op.failure is not None or not op.args:
            return None
        first = op.args[0]
        if op.name.endswith("()") and isinstance(first, Other):
            return first.id
        if short(op.name) not in _SAME or not isinstance(first, Tensor):
            return None
        tensor = first
    return None


def _is_of_logits(op: Op, tree: Tree) -> bool:
    """Whether the number has a name that says that it is of logits: `LOGIT_THRESHOLD`."""
    node = tree.at(op.span, ast.Compare)
    return node is not None and any("logit" in last_name(one).lower() for one in node.comparators)


def _fixes(op: Op, tree: Tree) -> tuple[Fix, ...]:
    node = tree.at(op.span, ast.Compare)
    half = node.comparators[0] if node is not None and len(node.comparators) == 1 else None
    if not isinstance(half, ast.Constant):
        return ()
    return (Fix("compare with 0", "unsafe", (replace(tree.text, half, "0"),)),)
