"""Conditions that the text itself decides: `if self.reduction == "mean"` of a layer that is made with that word."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from .values import CLASS, CONST, DISPLAYS, FUNCTION, INSTANCE, NOTHING, Value

_COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_OBJECTS = (INSTANCE, CLASS, FUNCTION, *DISPLAYS)


def unsettled_names(tree: ast.AST) -> frozenset[str]:
    """The names and attributes that may be another value later than where they are first set."""
    found: set[str] = set()
    waiting: list[tuple[ast.AST, bool]] = [(tree, False)]
    while waiting:
        node, in_init = waiting.pop()
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            found.update(node.names)
        elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load) and not in_init:
            found.add(node.attr)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "setattr":
            found.add("*")
        elif isinstance(node, ast.FunctionDef):
            in_init = node.name in ("__init__", "__post_init__")
        waiting += [(child, in_init) for child in ast.iter_child_nodes(node)]
    return frozenset(found)


def decided(test: ast.expr, value: Value, unsettled: frozenset[str]) -> bool | None:
    """What a condition is by what is written; None where only the run says. `value`: what it was walked to."""
    for node in ast.walk(test):
        if isinstance(node, ast.Name) and node.id in unsettled:
            return None
        if isinstance(node, ast.Attribute) and (node.attr in unsettled or "*" in unsettled):
            return None
    return _truth(value)


def held_to_be_none(test: ast.expr | None, arm: int) -> str:
    """The name that is None on one way of an `if`: of `x is None` the first, of `x is not None` the second."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.left, ast.Name):
        return ""
    right = test.comparators[0]
    if not isinstance(right, ast.Constant) or right.value is not None:
        return ""
    return test.left.id if isinstance(test.ops[0], (ast.Is, ast.IsNot)[arm : arm + 1]) else ""


def _truth(value: Value) -> bool | None:
    if value.by == CONST and value.const is not NOTHING:
        return bool(value.const)
    if value.by == "compare" and isinstance(value.node, ast.Compare) and len(value.args) == 2:
        return _compared(value.node.ops[0], *value.args)
    if value.by == "not" and len(value.args) == 1:
        inner = _truth(value.args[0])
        return None if inner is None else not inner
    if value.by == "bool" and isinstance(value.node, ast.BoolOp):
        answers = [_truth(one) for one in value.options]
        strong = isinstance(value.node.op, ast.Or)
        if strong in answers:
            return strong
        return None if None in answers else not strong
    return None


def _compared(op: ast.cmpop, left: Value, right: Value) -> bool | None:
    if isinstance(op, (ast.Is, ast.IsNot)):
        if right.const is not None or (left.by not in _OBJECTS and left.const is NOTHING):
            return None
        return (left.const is None) == isinstance(op, ast.Is)
    compare = _COMPARED.get(type(op))
    if compare is None or left.const is NOTHING or right.const is NOTHING:
        return None
    try:
        return bool(compare(left.const, right.const))
    except TypeError:
        return None
