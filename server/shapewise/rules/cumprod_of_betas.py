"""The running product of what noise is added with, where that of what is kept is meant."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.names import last_name
from ..program.values import Value, number, options_of
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "cumprod-of-betas"
_PRODUCTS = ("torch.cumprod", "numpy.cumprod", ".cumprod")
_SPACED = ("torch.linspace", "numpy.linspace")
_BETAS = re.compile(r"^_?betas?(_t)?$", re.IGNORECASE)
_LARGE = 0.5
"""Variances of the noise of one step are below it."""


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each `cumprod` of small numbers in even steps, or of betas that is called alphas."""
    for event in tree.course.calls(*_PRODUCTS):
        call = event.node
        if not isinstance(call, ast.Call):
            continue
        of = event.on if event.name == ".cumprod" else event.args[0] if event.args else None
        is_method = event.name == ".cumprod" and isinstance(call.func, ast.Attribute)
        given = call.func.value if is_method and isinstance(call.func, ast.Attribute) else None
        given = call.args[0] if given is None and call.args else given
        if of is None or given is None:
            continue
        kept = "alpha" in _target(tree, call).lower() and _BETAS.match(last_name(given))
        if not kept and not all(_is_small(one) for one in options_of(of)):
            continue
        name = source(tree.text, given)
        yield found(
            RULE,
            tree,
            call,
            f"{name} is how much noise each step adds, and its running product is nothing after a few steps. What is kept of the data is the "
            f"product of 1 - {name}.",
            *_fixes(tree, given, name, is_method),
        )


def _fixes(tree: Tree, given: ast.expr, name: str, is_method: bool) -> tuple[Fix, ...]:
    rest = f"1.0 - {name}" if isinstance(given, (ast.Name, ast.Attribute)) else f"1.0 - ({name})"
    return (
        fix("the product of what is kept", replace(tree.text, given, f"({rest})" if is_method else rest)),
    )


def _is_small(value: Value) -> bool:
    """Whether it is a row of numbers in even steps, all small; squared, as where their roots are in even steps."""
    if value.by == "**":
        value = value.args[0]
    if value.by not in _SPACED:
        return False
    ends = [number(value.argument("start", 0)), number(value.argument("end", 1) or value.argument("stop", 1))]
    return all(end is not None and 0 <= end < _LARGE for end in ends)


def _target(tree: Tree, call: ast.Call) -> str:
    """What the product is called."""
    statement = tree.course.places.statement(call)
    if not isinstance(statement, ast.Assign) or statement.value is not call:
        return ""
    return last_name(statement.targets[0])
