"""Arithmetic on constants that are written, and what a value is unless somebody says otherwise."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from .values import CONST, Value, number

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
}
_CALLS: dict[str, Callable[..., Any]] = {
    "builtins.float": float,
    "builtins.int": int,
    "builtins.bool": bool,
    "builtins.str": str,
    "builtins.abs": abs,
    "builtins.min": min,
    "builtins.max": max,
    "builtins.round": round,
    "builtins.len": len,
}


_LONGEST = 10_000
"""Characters of a text that is put together."""


def folded(by: str, left: Any, right: Any, node: ast.AST | None) -> Value:
    """An operator on two constants: a number, unless it is one that would be large or fails."""
    compute = _OPERATORS.get(by)
    plain = all(isinstance(one, (int, float)) and abs(one) < 1e12 for one in (left, right))
    if compute is not None and plain and not (by == "**" and abs(right) > 64):
        try:
            result = compute(left, right)
        except (ArithmeticError, ValueError):
            return Value(node=node)
        return Value(CONST, node=node, const=result) if isinstance(result, (int, float)) else Value(node=node)
    if by == "+" and isinstance(left, str) and isinstance(right, str):
        is_short = (
            len(left) + len(right) <= _LONGEST
        )  # forty lines of `a = a + a` are all the memory there is
        return Value(CONST, node=node, const=left + right) if is_short else Value(node=node)
    return Value(by, node=node, args=(Value(CONST, const=left), Value(CONST, const=right)))


def called(path: str, args: tuple[Value, ...], node: ast.AST | None) -> Value | None:
    """What a function of Python's gives for constants: `float("5")`, `max(1, 4)`; None where that is not known."""
    compute = _CALLS.get(path)
    if compute is None or not args:
        return None
    if path == "builtins.len" and len(args) == 1 and args[0].by in ("tuple", "list"):
        spread = any(one.spread for one in args[0].args)
        return None if spread else Value(CONST, node=node, const=len(args[0].args))
    known = [one.const for one in args]
    if not all(map(_is_small, known)):
        return None
    try:
        return Value(CONST, node=node, const=compute(*known))
    except (ArithmeticError, ValueError, TypeError):
        return None


def _is_small(const: Any) -> bool:
    """Whether it is a number or a text that is soon read; Python refuses to write out a very long number."""
    if isinstance(const, str):
        return len(const) <= 100
    return isinstance(const, float) or (isinstance(const, int) and abs(const) < 10**100)


def usual(value: Value | None) -> Value | None:
    """What a value is unless somebody says otherwise: the default of a parameter, of an option, of a field.

    Any other value is itself; of arithmetic on defaults it is what they give.
    """
    return None if value is None else _usual(value, 6)


def _usual(value: Value, depth: int) -> Value:
    if value.default is not None and depth:
        return _usual(value.default, depth - 1)
    if value.by in ("typer.Option", "typer.Argument") and value.argument("default", 0) is not None:
        return _usual(value.args[0] if value.args else value.kwargs["default"], depth - 1)
    if not depth or not value.args or any(one.spread for one in value.args):
        return value
    if value.by in _OPERATORS and len(value.args) == 2:
        left, right = (_usual(one, depth - 1) for one in value.args)
        return (
            folded(value.by, left.const, right.const, value.node) if left.by == right.by == CONST else value
        )
    if value.by in _CALLS:
        return called(value.by, tuple(_usual(one, depth - 1) for one in value.args), value.node) or value
    return value


def usual_number(value: Value | None) -> float | None:
    """The one number that a value is unless somebody says otherwise, no bool."""
    return number(usual(value))
