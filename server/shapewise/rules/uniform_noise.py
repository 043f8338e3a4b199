"""Noise that is drawn evenly from 0 to 1 where that of a normal distribution is scaled by a deviation."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.statements import replace
from ..program.names import word_of
from ..program.ops import Op, op_of
from ..program.values import Value, number, options_of
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "uniform-noise"
_EVEN = {"rand": "randn", "rand_like": "randn_like"}
_DEVIATION = re.compile(r"(^|_)(std|stddev|sigma|sd)s?(_|\d|$)", re.IGNORECASE)
_MEAN = re.compile(r"(^|_)(mu|mean|means|loc)(_|\d|$)", re.IGNORECASE)
_NOISE = re.compile(r"noise|(^|_)(eps|epsilon|z|xi)(_|\d|$)", re.IGNORECASE)
_EXPONENTIAL = frozenset("exp softplus".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every `mean + std * torch.rand_like(std)`, and every `a.sqrt() * x + (1 - a).sqrt() * noise` with such noise."""
    told: set[ast.AST] = set()
    yield from _decoded(tree)
    for event in tree.course.of_kind("op"):
        node = event.node
        if event.name != "+" or len(event.args) != 2 or not isinstance(node, ast.BinOp):
            continue
        sides = list(zip(event.args, (node.left, node.right)))
        for other, product in (sides, sides[::-1]):
            drawn = _scaled(other, product)
            if drawn is not None and drawn.value.node is not None and drawn.value.node not in told:
                told.add(drawn.value.node)
                yield _finding(tree, drawn, node)


def _decoded(tree: Tree) -> Iterator[Finding]:
    """`decoder(torch.rand(n, d))` of a file that samples around a mean with `randn_like`: codes are normal there."""
    if "randn_like" not in tree.text or not re.search(r"log_?var|log_?std|log_?sigma", tree.text):
        return
    for event in tree.course.of_kind("call"):
        call = event.node
        if not isinstance(call, ast.Call) or len(call.args) != 1 or len(event.args) != 1:
            continue
        if word_of(call.func) not in ("decoder", "decode"):
            continue
        ops = [op_of(one) for one in options_of(event.args[0])]
        op = ops[0] if len(ops) == 1 else None
        if op is None or op.name != "rand" or op.value.by != "torch.rand" or op.value.node is None:
            continue
        yield found(
            RULE,
            tree,
            op.value.node,
            "rand draws evenly from 0 to 1, and what is decoded has been trained on codes around 0, as randn draws them: most of what it can "
            "make is never seen.",
            *_fixes(tree, op.value.node, "randn"),
            related=[Related(tree.span(call), "decoded here")],
        )


_Written = tuple[Value, ast.expr]
"""A value, and how it is written where it is used."""


def _scaled(other: _Written, product: _Written) -> Op | None:
    """The evenly drawn numbers that a deviation scales, beside a mean or what is kept of a signal."""
    whole, written = product
    if whole.by != "*" or len(whole.args) != 2:
        return None
    nodes = (written.left, written.right) if isinstance(written, ast.BinOp) else (written, written)
    factors = list(zip(whole.args, nodes))
    for (noise, name), scale in (factors, factors[::-1]):
        if not isinstance(name, ast.Call) and not any(map(_NOISE.search, _names(noise, name))):
            continue  # pictures that are drawn to try something out are scaled, too
        ops = [op_of(one) for one in options_of(noise)]
        op = ops[0] if len(ops) == 1 else None
        if op is None or op.name not in _EVEN or not op.value.by.startswith("torch."):
            continue
        if [number(one) for one in op.value.args] == [1]:
            continue  # one number of a search, evenly from a range
        is_mean = any(map(_MEAN.search, _names(*other))) and _is_deviation(*scale)
        if is_mean or _is_rest(scale[0], other[0]):
            return op
    return None


def _names(value: Value, written: ast.expr) -> tuple[str, str]:
    """What it is called here, and what it was called first."""
    return word_of(written), value.name


def _is_deviation(scale: Value, written: ast.expr) -> bool:
    ops = [op_of(one) for one in options_of(scale)]
    return any(map(_DEVIATION.search, _names(scale, written))) or all(
        op is not None and op.name in _EXPONENTIAL for op in ops
    )


def _is_rest(scale: Value, kept: Value) -> bool:
    """Whether it is `(1 - a).sqrt()` beside `a.sqrt() * x`."""
    rest = _rooted(scale)
    if rest is None or rest.by != "-" or len(rest.args) != 2 or rest.args[0].const not in (1, 1.0):
        return False
    roots = [_rooted(one) for one in kept.args] if kept.by == "*" else []
    return any(one is not None and one is rest.args[1] for one in roots)


def _rooted(value: Value) -> Value | None:
    op = op_of(value)
    if op is not None and op.name == "sqrt":
        return op.operand
    return value.args[0] if value.by == "**" and len(value.args) == 2 and value.args[1].const == 0.5 else None


def _finding(tree: Tree, drawn: Op, use: ast.AST) -> Finding:
    node = drawn.value.node
    assert node is not None
    right = _EVEN[drawn.name]
    return found(
        RULE,
        tree,
        node,
        f"{drawn.name} draws evenly from 0 to 1, with a mean of 0.5: what is sampled is shifted, and never below its mean. Noise that a "
        f"deviation scales is that of {right}.",
        *_fixes(tree, node, right),
        related=[Related(tree.span(use), "scaled and added here")],
    )


def _fixes(tree: Tree, node: ast.AST, right: str) -> tuple[Fix, ...]:
    func = node.func if isinstance(node, ast.Call) else None
    if not isinstance(func, ast.Attribute):
        return ()
    text = f"{ast.unparse(func.value)}.{right}"
    return (fix(f"normal noise: {right}", replace(tree.text, func, text)),)
