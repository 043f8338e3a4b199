"""Noise that is scaled by a variance, where a deviation is meant."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.names import last_name
from ..program.ops import op_of
from ..program.values import Value, options_of
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "variance-as-deviation"
_LOGARITHM = re.compile(
    r"(^|_)(log|ln)_?(var|variance|sigma_?(2|sq|squared))s?(_|\d|$)|logvar", re.IGNORECASE
)
"""Names for the logarithm of a variance."""
_NOISE = frozenset("randn randn_like normal_ randn_as".split())
_SCALED = ("torch.distributions.Normal", "torch.distributions.normal.Normal", "torch.normal")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each product of noise and `logvar.exp()`, and each normal distribution with that for its scale."""
    course = tree.course
    for event in course.of_kind("op"):
        if event.name == "*" and len(event.args) == 2:
            for noise, scale in (event.args, event.args[::-1]):
                if _is_noise(noise):
                    yield from _found(tree, scale, event.node)
    for event in course.calls(*_SCALED):
        given = event.argument("std" if event.name == "torch.normal" else "scale", 1)
        if given is not None:
            yield from _found(tree, given, event.node)


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
    name = last_name(given)
    return given if _LOGARITHM.search(name) else None


def _fixes(tree: Tree, given: ast.expr, name: str, node: ast.AST) -> tuple[Fix, ...]:
    is_method = isinstance(node, ast.Call) and not node.args
    half = f"(0.5 * {name})" if is_method else f"0.5 * {name}"
    return (fix("the deviation: half of the logarithm", replace(tree.text, given, half)),)
