"""A softmax by hand: exp overflows at 89."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.arithmetic import computed
from ..program.ops import numbers_of, op_of
from ..program.values import GIVEN, NOTHING, Value, number, options_of, within
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix
from .asking.tree import Tree
from .telling.found import argument_node, fix, found, name_for

RULE = "naive-softmax"
_BOUNDED = frozenset("max amax logsumexp values tanh sigmoid clamp clip log log_softmax neg".split())
_PRODUCTS = ("matmul", "mm", "bmm", "linear")
_LOGARITHM = re.compile(r"log(?!it)", re.IGNORECASE)
_NORMS = re.compile(r"norm|cosine", re.IGNORECASE)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every `e / e.sum(...)` of an exponential whose argument is not shifted or bounded, and the logarithm of such a sum."""
    yield from _log_sum_exp(tree)
    for event, exps, divisor in computed(tree.course, "/"):
        above, below = options_of(exps), options_of(divisor)
        if len(above) != len(below) or not all(map(_is_softmax, above, below)):
            continue
        made = next((one for one in tree.course.of_kind("call") if one.value is above[0]), None)
        if made is not None and any(not made.inside(loop) for loop in event.loops):
            continue  # from the second round on it is something else that is divided, as in Sinkhorn's
        yield found(
            RULE,
            tree,
            event.node,
            "exp of float32 is inf from 89 on, and inf / inf is nan. torch.softmax takes the maximum off first.",
            *_fixes(tree, event.node, above[0], _with_dim(below[0])),
        )


def _log_sum_exp(tree: Tree) -> Iterator[Finding]:
    """Every `exp(x).sum(dim).log()` of what nothing keeps small."""
    for event in tree.course.calls("torch.log", ".log"):
        log = op_of(event.value) if event.value is not None else None
        summed = op_of(log.operand) if log is not None and log.operand is not None else None
        if summed is None or summed.name != "sum" or summed.operand is None:
            continue
        exp = op_of(summed.operand)
        if exp is None or exp.name != "exp" or exp.operand is None or not _unbounded(exp.operand):
            continue
        if any(_LOGARITHM.match(one.name) for one in within(exp.operand, 3)):
            continue  # of a share it is never above 0
        yield found(
            RULE,
            tree,
            event.node,
            "exp of float32 is inf from 89 on, and so is the logarithm of its sum. torch.logsumexp takes the maximum off first.",
        )


def _is_softmax(exps: Value, divisor: Value) -> bool:
    """Whether an exponential that nothing keeps small is divided by its own sum."""
    exp, summed = op_of(exps), op_of(_with_dim(divisor))
    if exp is None or exp.name != "exp" or exp.operand is None or summed is None or summed.name != "sum":
        return False
    again = None if summed.operand is None or summed.operand is exps else op_of(summed.operand)
    if summed.operand is not exps and (
        again is None or again.name != "exp" or not _alike(exp.operand, again.operand)
    ):
        return False
    return _unbounded(exp.operand)


def _with_dim(divisor: Value) -> Value:
    """The sum, without an epsilon, whose dim was put back with `unsqueeze` or `[:, None]`."""
    if divisor.by == "+" and any(number(one) is not None for one in divisor.args):
        return _with_dim(next(one for one in divisor.args if number(one) is None))
    if divisor.by == "[]" and divisor.on is not None:
        return divisor.on
    op = op_of(divisor)
    return op.operand if op is not None and op.name == "unsqueeze" and op.operand is not None else divisor


def _alike(one: Value, other: Value | None, depth: int = 0) -> bool:
    """Whether two values are one, or written alike of the same parts by operators alone."""
    if one is other or (other is not None and one.const is not NOTHING and one.const == other.const):
        return True
    if other is None or one.by != other.by or not one.by or one.by[0].isalnum() or depth > 3:
        return False
    parts, others = one.made_of(), other.made_of()
    return (
        bool(parts)
        and len(parts) == len(others)
        and all(_alike(mine, its, depth + 1) for mine, its in zip(parts, others))
    )


def _unbounded(value: Value) -> bool:
    """Whether nothing is known that keeps it small. A product with weights is not kept small by what went into
    it, unless that was normalised."""
    seen: set[int] = set()
    level = [value]
    for _ in range(6):
        following: list[Value] = []
        for one in level:
            if id(one) in seen or number(one) is not None:
                continue
            seen.add(id(one))
            if (
                one.by == "-"
                and len(one.args) == 1
                or one.by in ("*", "/")
                and any(map(_is_negative, one.args))
            ):
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


def _is_negative(value: Value) -> bool:
    const = number(value)
    return const is not None and const < 0


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
    if not isinstance(node, ast.BinOp) or tree.course.places.function(exp) is not tree.course.places.function(
        node
    ):
        return ()
    text = f"{torch}({source(tree.text, logits)}, dim={source(tree.text, dim)})"
    return (fix("use softmax", replace(tree.text, node, text)),)
