"""What a condition says of an object on one of its ways: behind `if image.mode != "RGB": ...` the other way has one that is RGB."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, NamedTuple

from ..run import Env
from ..unknowns.joining import NARROWED
from .expressions import load

Way = Callable[[], Any]


class Told(NamedTuple):
    """That `name.attribute` is `value` on one way of a condition: 0 where it holds, else 1."""

    name: str
    attribute: str
    value: Any
    way: int


def told(test: ast.expr) -> Told | None:
    """What a condition tells so, if anything."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return None
    left, operator, right = test.left, test.ops[0], test.comparators[0]
    if not isinstance(left, ast.Attribute) or not isinstance(left.value, ast.Name):
        return None
    if isinstance(operator, (ast.In, ast.NotIn)):
        if not isinstance(right, (ast.Tuple, ast.List, ast.Set)) or len(right.elts) != 1:
            return None
        right = right.elts[0]
    elif not isinstance(operator, (ast.Eq, ast.NotEq)):
        return None
    if not isinstance(right, ast.Constant):
        return None
    return Told(left.value.id, left.attr, right.value, int(isinstance(operator, (ast.NotEq, ast.NotIn))))


def narrowed(env: Env, told: Told, ways: list[Way], home: Env) -> list[Way]:
    """The ways of the condition, the one of them with a name that stands for what is known of its object there."""
    narrow = NARROWED.get(type(value := load(env, told.name)))
    if narrow is None:
        return ways

    def way() -> Any:
        env.run.store(home, told.name, narrow(value, told.attribute, told.value))
        return ways[told.way]()

    return [way if number == told.way else one for number, one in enumerate(ways)]
