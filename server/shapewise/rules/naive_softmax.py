"""A softmax by hand: exp overflows at 89."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..fixes.statements import replace, source
from ..program.ops import numbers_of, op_of
from ..program.values import GIVEN, Value, within
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix
from .found import argument_node, fix, found, name_for
from .tree import Tree

RULE = "naive-softmax"
_BOUNDED = frozenset("max amax logsumexp values tanh sigmoid clamp clip log log_softmax neg".split())
_PRODUCTS = ("matmul", "mm", "bmm", "linear")
_NORMS = re.compile(r"norm|cosine", re.IGNORECASE)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every `e / e.sum(...)` of an exponential whose argument is not shifted or bounded."""
    for event in tree.course.of_kind("op"):
        if event.name != "/" or len(event.args) != 2:
            continue
        exps, total = event.args
        exp, summed = op_of(exps), op_of(total)
        if exp is None or exp.name != "exp" or exp.operand is None or summed is None or summed.name != "sum":
            continue
        if summed.operand is not exps or not _unbounded(exp.operand):
            continue
        yield found(
            RULE,
            tree,
            event.node,
            "exp of float32 is inf from 89 on, and inf / inf is nan. torch.softmax takes the maximum off first.",
            *_fixes(tree, event.node, exps, total),
        )


def _unbounded(value: Value) -> bool:
    """Whether nothing is known that keeps it small. A product with weights is not kept small by what went into
    it, unless that was normalised."""
    seen: set[int] = set()
    level = [value]
    for _ in range(6):
        following: list[Value] = []
        for one in level:
            if id(one) in seen:
                continue
            seen.add(id(one))
            if one.by == "-" and len(one.args) == 1:
                return False
            op = op_of(one)
            name = op.name if op is not None else one.name
            if name in _BOUNDED:
                return False
            if one.by != "@" and name not in _PRODUCTS:
                following += one.made_of()
            elif not _of_weights(one) or any(
                _NORMS.search(inner.short() or inner.name) for inner in within(one, 6)
            ):
                return False
        level = following
    return True


def _of_weights(product: Value) -> bool:
    """Whether one of its factors is seen to be made here, or is given as such: what other calls gave may well be
    normalised."""
    return any(
        any(inner.by.startswith("torch.") for inner in within(factor, 4))
        or any(one.by == GIVEN for one in numbers_of(factor))
        for factor in product.made_of()
    )


def _fixes(tree: Tree, node: ast.AST, exps: Value, total: Value) -> tuple[Fix, ...]:
    call, exp = total.node, exps.node
    torch = name_for(tree, "torch.softmax")
    if not isinstance(call, ast.Call) or not isinstance(exp, ast.Call) or torch is None:
        return ()
    is_function = total.by.startswith("torch.")
    dim = argument_node(call, "dim", 1 if is_function else 0) or argument_node(call, "axis")
    keep = argument_node(call, "keepdim", 2 if is_function else 1) or argument_node(call, "keepdims")
    logits = exp.args[0] if exp.args else exp.func.value if isinstance(exp.func, ast.Attribute) else None
    if dim is None or logits is None or not isinstance(keep, ast.Constant) or keep.value is not True:
        return ()
    if not isinstance(node, ast.expr):
        return ()
    text = f"{torch}({source(tree.text, logits)}, dim={source(tree.text, dim)})"
    return (fix("use softmax", replace(tree.text, node, text)),)
