"""Noise that is scaled by a variance, where a deviation is meant."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.names import word_of
from ..program.ops import op_of
from ..program.values import Value, options_of, within
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "variance-as-deviation"
_LOGARITHM = re.compile(
    r"(^|_)(log|ln)_?(var|variance|sigma_?(2|sq|squared))s?(_|\d|$)|logvar", re.IGNORECASE
)
"""Names for the logarithm of a variance."""
_LOG_SCALE = re.compile(
    r"(^|_)log_?(std|stddev|sigma|scale|var|variance)s?(_|\d|$)|^log(std|var)", re.IGNORECASE
)
"""Names for the logarithm of a deviation, or of a variance."""
_NOISE = frozenset("randn randn_like normal_ randn_as".split())
_SCALED = ("torch.distributions.Normal", "torch.distributions.normal.Normal", "torch.normal")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each product of noise and `logvar.exp()`, each normal distribution with that for its scale, and noise beside a root."""
    course = tree.course
    for event in course.of_kind("op"):
        if event.name == "*" and len(event.args) == 2:
            for noise, scale in (event.args, event.args[::-1]):
                if _is_noise(noise):
                    yield from _found(tree, scale, event.node)
                    if isinstance(event.node, ast.BinOp):
                        written = event.node.right if noise is event.args[0] else event.node.left
                        yield from _logarithm(tree, scale, written)
        if event.name == "+" and len(event.args) == 2:
            yield from _diffused(tree, *event.args)
    for event in course.calls(*_SCALED):
        given = event.argument("std" if event.name == "torch.normal" else "scale", 1)
        if given is not None:
            yield from _found(tree, given, event.node)
            if isinstance(event.node, ast.Call):
                named = [one.value for one in event.node.keywords if one.arg in ("scale", "std")]
                for given_as in [*named, *event.node.args[1:2]][:1]:
                    yield from _logarithm(tree, given, given_as)


def _logarithm(tree: Tree, scale: Value, given: ast.expr) -> Iterator[Finding]:
    """`Normal(mean, log_std)` and `noise * log_std`: the logarithm itself for the deviation, which may be negative."""
    name = word_of(given)
    if not _LOG_SCALE.search(name) or name.endswith("exp"):
        return
    if any(_is_made_positive(one) for one in options_of(scale)):
        return
    written = source(tree.text, given)
    deviation = f"(0.5 * {written}).exp()" if _LOGARITHM.search(name) else f"{written}.exp()"
    yield found(
        RULE,
        tree,
        given,
        f"by its name {written} is a logarithm, and it stands for the deviation itself here: that is {deviation}.",
        fix("the exponential of it", replace(tree.text, given, deviation)),
    )


def _is_made_positive(value: Value) -> bool:
    """Whether an op that has no negative result gave it, whatever its name says, or an exponential is in what it was made of."""
    op = op_of(value)
    made = (op_of(one) for one in within(value, 4))
    return (op is not None and op.name in _POSITIVE) or any(
        one is not None and one.name in _EXPONENTIAL for one in made
    )


_EXPONENTIAL = frozenset("exp exp_ softplus exp2".split())
_POSITIVE = frozenset(
    "exp exp_ softplus sigmoid abs sqrt square relu elu pow exp2 expm1 ones full ones_like".split()
)


def _diffused(tree: Tree, left: Value, right: Value) -> Iterator[Finding]:
    """`a.sqrt() * x + (1 - a) * noise`: the shares of the variances add up to one, and only the first was taken the root of."""
    for one, other in ((left, right), (right, left)):
        kept = [root for root in map(_rooted, _factors(one)) if root is not None]
        parts, shares = _factors(other), [share for share in _factors(one) if _is_a_product(share)]
        if len(parts) != 2 or not (kept or shares) or not any(_is_noise(part) for part in parts):
            continue
        for scale in parts:
            given = scale.node
            is_rest = scale.by == "-" and len(scale.args) == 2 and scale.args[0].const in (1, 1.0)
            if not is_rest or not isinstance(given, ast.expr):
                continue
            if any(_same(scale.args[1], root) for root in kept):
                text = f"({source(tree.text, given)}) ** 0.5"
                yield found(
                    RULE,
                    tree,
                    given,
                    f"the variances of the two parts add up to one: {ast.unparse(given)} is the variance of the noise, and noise is scaled by "
                    "its root, as the other part is.",
                    fix("the root of it", replace(tree.text, given, text)),
                )
            elif any(scale.args[1] is share for share in shares):
                yield found(
                    RULE,
                    tree,
                    given,
                    f"a product of what each step keeps, and {ast.unparse(given)}, are the variances of the two parts: what is noised is scaled by "
                    "the root of the one, and the noise by that of the other.",
                )


def _is_a_product(share: Value) -> bool:
    """Whether it is taken out of a `cumprod`, as what all steps so far have kept is."""
    return any((op := op_of(one)) is not None and op.name == "cumprod" for one in within(share, 6))


def _factors(value: Value) -> list[Value]:
    return list(value.args) if value.by == "*" and len(value.args) == 2 else []


def _rooted(value: Value) -> Value | None:
    op = op_of(value)
    if op is not None and op.name == "sqrt":
        return op.operand
    return value.args[0] if value.by == "**" and len(value.args) == 2 and value.args[1].const == 0.5 else None


def _same(one: Value, other: Value) -> bool:
    return one is other or (
        isinstance(one.node, ast.expr)
        and isinstance(other.node, ast.expr)
        and ast.dump(one.node) == ast.dump(other.node)
    )


def _is_noise(value: Value) -> bool:
    made = [op_of(one) for one in options_of(value)]
    return all(op is not None and op.name in _NOISE for op in made)


def _found(tree: Tree, scale: Value, use: ast.AST) -> Iterator[Finding]:
    op = op_of(scale)
    node = None if op is None or op.name != "exp" else op.value.node
    given = _operand(node)
    if op is None or node is None or given is None or op.operand is None:
        return
    if any(one.by in ("*", "/", ".mul", ".div") for one in options_of(op.operand)):
        return  # halved before
    name = source(tree.text, given)
    yield found(
        RULE,
        tree,
        node,
        f"{name} is the logarithm of a variance, so that this is the variance; noise is scaled by the deviation, which is "
        f"exp(0.5 * {name}).",
        *_fixes(tree, given, name, node),
        related=[Related(tree.span(use), "noise is scaled here")],
    )


def _operand(node: ast.AST | None) -> ast.expr | None:
    """What the exponential is taken of, if it is something that is named as the logarithm of a variance."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    given = node.args[0] if len(node.args) == 1 else node.func.value if not node.args else None
    name = word_of(given)
    return given if _LOGARITHM.search(name) else None


def _fixes(tree: Tree, given: ast.expr, name: str, node: ast.AST) -> tuple[Fix, ...]:
    is_method = isinstance(node, ast.Call) and not node.args
    half = f"(0.5 * {name})" if is_method else f"0.5 * {name}"
    return (fix("the deviation: half of the logarithm", replace(tree.text, given, half)),)
