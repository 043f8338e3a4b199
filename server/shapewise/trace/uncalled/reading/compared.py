"""What a function's own text compares a parameter with: numbers, and words; and how many dims it gives it."""

from __future__ import annotations

import ast
import operator
from collections.abc import Iterator
from typing import Any

from .reads import Around, is_name, kept_as, walked

ANOTHER = "another"
"""A word that the text compares with none: where it knows but one, there is another way behind it."""


def numbers_for(node: ast.AST, name: str) -> list[int]:
    """The integers with which a comparison with a parameter (or `self.NAME`) comes out as it does not with most, which are larger."""
    found: dict[int, None] = {}
    for use in walked(node):
        if (
            not isinstance(use, ast.Compare)
            or len(use.ops) != 1
            or isinstance(use.ops[0], (ast.Is, ast.IsNot))
        ):
            continue
        if not is_name(use.left, name) and ast.unparse(use.left) != f"self.{name}":
            continue
        other = use.comparators[0]
        parts = other.elts if isinstance(other, (ast.Set, ast.Tuple, ast.List)) else [other]
        below = isinstance(use.ops[0], (ast.Lt, ast.GtE))
        found.update(
            (one.value - below, None)
            for one in parts
            if isinstance(one, ast.Constant) and type(one.value) is int
        )
    return [one for one in found if one > 0]


def is_only_held_against(node: ast.AST, name: str) -> bool:
    """Whether a function asks of a parameter (or `self.NAME`) nothing but whether it is one of some numbers of the text."""
    return all(
        _is_of_numbers(use)
        for use in walked(node)
        if isinstance(use, ast.Compare)
        and any(is_name(one, name) or ast.unparse(one) == f"self.{name}" for one in ast.walk(use))
    )


def _is_of_numbers(use: ast.Compare) -> bool:
    other = use.comparators[0]
    parts = other.elts if isinstance(other, (ast.Set, ast.Tuple, ast.List)) else [other]
    is_plain = isinstance(use.left, (ast.Name, ast.Attribute)) and len(use.ops) == 1
    is_asked = isinstance(use.ops[0], (ast.Eq, ast.NotEq, ast.In, ast.NotIn))
    return is_plain and is_asked and all(isinstance(one, ast.Constant) for one in parts)


def floats_for(node: ast.AST, name: str, usual: float) -> list[float]:
    """Numbers with which comparisons with a parameter come out as they do not with the usual one: `if scale > 1`, `if scale < 1`."""
    found: list[float] = []
    for use in walked(node):
        if not isinstance(use, ast.Compare) or len(use.ops) != 1 or not is_name(use.left, name):
            continue
        other, compare = use.comparators[0], _ORDERS.get(type(use.ops[0]))
        told = other.value if isinstance(other, ast.Constant) else None
        if compare is None or isinstance(told, bool) or not isinstance(told, (int, float)):
            continue
        number = float(told)
        ways = (number, number / 2 if number else -0.5, 2 * number if number else 0.5)
        found += [one for one in ways if compare(one, number) != compare(usual, number) and one not in found][
            -1:
        ]
    return found


_ORDERS: dict[type[ast.cmpop], Any] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


def words_anywhere(node: Any, name: str, around: Around, depth: int = 3) -> list[str]:
    """The same, in all methods that may read what a constructor keeps, and in the functions and layers that it is handed on to."""
    found = dict.fromkeys(
        word for one, called in _readers(node, name, around) for word in words_for(one, called)
    )
    for init, parameter, beside in around.layers(node, name) if depth else ():
        found.update(dict.fromkeys(words_anywhere(init, parameter, beside, depth - 1)))
    return list(found)


def none_anywhere(node: Any, name: str, around: Around) -> bool:
    """Whether it is asked anywhere there if it is None."""
    return any(may_be_none(one, called) for one, called in _readers(node, name, around))


def _readers(node: Any, name: str, around: Around) -> Iterator[tuple[Any, str]]:
    """The functions that read a parameter, and those that may read what a constructor keeps of it; what each calls it."""
    yield from around.uses(node, name)
    for kept in sorted(kept_as(node, name)):
        for method in around.nodes:
            yield from around.uses(method, kept, kept=True)


def words_for(node: ast.AST, name: str) -> list[str]:
    """The texts that a parameter may be as its annotation has it, and those that it is compared with, or looked up
    among, by itself or as `self.NAME`, in order.
    """
    found: dict[str, None] = {one: None for one in literals(node, name) if type(one) is str}
    for use in walked(node):
        parts: list[ast.expr]
        if isinstance(use, ast.Subscript):  # `{"sum": 1, "all": n}[kind]`
            table = _table(node, use.value)
            if table is None or not (is_name(use.slice, name) or ast.unparse(use.slice) == f"self.{name}"):
                continue
            parts = [one for one in table.keys if one is not None]
        elif isinstance(use, ast.Match):
            if not is_name(use.subject, name) and ast.unparse(use.subject) != f"self.{name}":
                continue
            parts = [one.value for one in ast.walk(use) if isinstance(one, ast.MatchValue)]
        elif _is_sought(use, name):  # `"batch" in norm.lower()`: it may have that in it, or not
            found.update({use.left.value: None, ANOTHER: None})  # type: ignore[attr-defined]
            continue
        elif isinstance(use, ast.Compare) and len(use.ops) == 1:
            if not is_name(use.left, name) and ast.unparse(use.left) != f"self.{name}":
                continue
            other = use.comparators[0]
            if isinstance(use.ops[0], (ast.In, ast.NotIn)) and isinstance(
                other, (ast.Set, ast.Tuple, ast.List)
            ):
                parts = other.elts
            else:
                parts = [other] if isinstance(use.ops[0], (ast.Eq, ast.NotEq)) else []
        else:
            continue
        found.update(
            (one.value, None) for one in parts if isinstance(one, ast.Constant) and type(one.value) is str
        )
    return list(found)


def _is_sought(use: ast.AST, name: str) -> bool:
    """Whether a text asks of a parameter if it has some letters in it."""
    if not (
        isinstance(use, ast.Compare) and len(use.ops) == 1 and isinstance(use.ops[0], (ast.In, ast.NotIn))
    ):
        return False
    sought = isinstance(use.left, ast.Constant) and type(use.left.value) is str
    place = use.comparators[0]
    if isinstance(place, ast.Call) and isinstance(place.func, ast.Attribute):
        place = place.func.value if place.func.attr in ("lower", "upper") else place
    return sought and (is_name(place, name) or ast.unparse(place) == f"self.{name}")


def _table(node: ast.AST, value: ast.expr) -> ast.Dict | None:
    """The table that is looked into: written there, or bound to a name once."""
    if isinstance(value, ast.Name):
        bound = [
            use.value
            for use in walked(node)
            if isinstance(use, ast.Assign) and any(is_name(one, value.id) for one in use.targets)
        ]
        value = bound[0] if len(bound) == 1 else value
    return value if isinstance(value, ast.Dict) else None


def literals(node: Any, name: str) -> list[Any]:
    """What an annotation lets a parameter be: `Literal["add", "cat"]`."""
    arguments = getattr(node, "args", None)
    if not isinstance(arguments, ast.arguments):
        return []
    return [
        one.value
        for arg in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        if arg.arg == name and arg.annotation is not None
        for part in ast.walk(arg.annotation)
        if isinstance(part, ast.Subscript) and ast.unparse(part.value).rpartition(".")[2] == "Literal"
        for one in ast.walk(part.slice)
        if isinstance(one, ast.Constant)
    ]


def ranks_asked(node: ast.AST, name: str) -> list[int] | None:
    """The numbers of dims that a function asks of a parameter whether it has them (`if points.dim() == 3`), None if it asks of none."""
    ranks = {f"{name}.dim()", f"{name}.ndim", f"len({name}.shape)", f"len({name}.size())"}
    found = [use for use in walked(node) if isinstance(use, ast.Compare) and ast.unparse(use.left) in ranks]
    others = [use.comparators[0] for use in found if isinstance(use.ops[0], (ast.Eq, ast.NotEq))]
    numbers = [one.value for one in others if isinstance(one, ast.Constant) and type(one.value) is int]
    return list(dict.fromkeys(numbers)) if found else None


def may_be_none(node: ast.AST, name: str) -> bool:
    """Whether a function asks of a parameter (or `self.NAME`) if it is None."""
    return any(
        isinstance(use, ast.Compare)
        and (is_name(use.left, name) or ast.unparse(use.left) == f"self.{name}")
        and isinstance(use.ops[0], (ast.Is, ast.IsNot))
        and isinstance(use.comparators[0], ast.Constant)
        and use.comparators[0].value is None
        for use in walked(node)
    )


def dims_spread(node: ast.AST, name: str) -> set[int]:
    """How many dims a view with an open last one (`x.view(b, t, -1)`) gives a parameter: that often, it had more."""
    found: set[int] = set()
    for use in walked(node):
        if (
            isinstance(use, ast.Call)
            and isinstance(use.func, ast.Attribute)
            and use.func.attr in ("view", "reshape")
            and is_name(use.func.value, name)
        ):
            sizes = (
                use.args[0].elts if use.args and isinstance(use.args[0], (ast.Tuple, ast.List)) else use.args
            )
            if len(sizes) > 1 and ast.unparse(sizes[-1]) == "-1":
                found.add(len(sizes))
    return found
