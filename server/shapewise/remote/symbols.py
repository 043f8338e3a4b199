"""Which number the name of a dim stands for in a call that really happened.

A name is a whole number of that call (a variable, a parameter, a field of a configuration, a dim of a
parameter), or of the object that its method was called on, or else one of that name anywhere.
"""

from __future__ import annotations

import ast
import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from types import CodeType
from typing import Any

from ..vocabulary.facts import Dim, Fact, GroupFact, TensorFact, ValueFact

_FUNCTIONS: dict[str, Any] = {
    "min": min,
    "max": max,
    "abs": abs,
    "ceil": math.ceil,
    "floor": math.floor,
}
_CHOICES = 8
_COMBINATIONS = 256

Seen = Mapping[str, Any]
"""One observation: of a tensor, a whole number, a group; `call` numbers the call of the function."""


class Symbols:
    """What one run bound to names."""

    def __init__(
        self,
        places: Sequence[Mapping[str, Any]],
        methods: Sequence[Sequence[Any]],
        facts: Iterable[tuple[Fact, Any]],
    ) -> None:
        """`places` and `methods` are the agent's; `facts` are parameters, each with its place."""
        self._anywhere: dict[str, set[int]] = defaultdict(set)
        self._own: set[tuple[str, str, str]] = set()
        """Names that calls of a function bind: in a call that was not looked at they have a number that nobody saw."""
        self._calls: dict[tuple[str, str, int], dict[str, int]] = defaultdict(dict)
        self._object_of = {(file, scope, call): number for file, scope, call, number in methods}
        self._objects: dict[int, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
        for place in places:
            for one in place["seen"]:
                if one["type"] == "int":
                    self._number(place, one)
        for fact, place in facts:
            self._dims(fact, place)

    def _number(self, place: Mapping[str, Any], one: Seen) -> None:
        name = one.get("field") or place["name"].split(".")[-1]
        self._anywhere[name].add(one["value"])
        self._calls[place["file"], place["scope"], one["call"]].setdefault(name, one["value"])
        self._own.add((place["file"], place["scope"], name))
        own = self._object_of.get((place["file"], place["scope"], one["call"]))
        if own is not None:
            self._objects[own][name].add(one["value"])

    def _dims(self, fact: Fact, place: Mapping[str, Any]) -> None:
        """A plain name in a parameter's shape stands for the size that was seen there."""
        for one in place["seen"]:
            call = self._calls[place["file"], place["scope"], one.get("call", 0)]
            for value in (fact.value, *fact.variants):
                self._bind(value, one, call)

    def _bind(self, value: ValueFact | None, one: Seen | None, call: dict[str, int]) -> None:
        if isinstance(value, GroupFact) and one is not None and one["type"] == "group":
            for item, seen in zip(value.items, one["items"]):
                self._bind(item, seen, call)
        elif isinstance(value, TensorFact) and value.shape and one is not None and one["type"] == "tensor":
            dims = value.shape
            sizes = one["shape"]
            if isinstance(dims[0], str) and dims[0].startswith("*"):
                dims, sizes = dims[1:], sizes[len(sizes) - len(dims) + 1 :]
            if len(dims) == len(sizes):
                for dim, size in zip(dims, sizes):
                    if isinstance(dim, str) and dim.isidentifier():
                        call.setdefault(dim, size)

    def holds(self, dim: Dim, size: int, place: Mapping[str, Any], call: int) -> bool | None:
        """Whether a stated dim was that size in a call; None where nothing binds one of its names."""
        if not isinstance(dim, str):
            return None if dim is None else dim == size
        code, names = _compiled(dim)
        if code is None:
            return None
        choices = [self._numbers(name, place, call) for name in names]
        if not all(choices):
            return None
        for values in itertools.islice(itertools.product(*choices), _COMBINATIONS):
            try:
                if eval(code, {"__builtins__": {}, **_FUNCTIONS}, dict(zip(names, values))) == size:
                    return True
            except ArithmeticError:
                continue
        return False

    def _numbers(self, name: str, place: Mapping[str, Any], call: int) -> list[int]:
        key = (place["file"], place["scope"], call)
        bound = self._calls.get(key, {})
        if name in bound:
            return [bound[name]]
        if (*key[:2], name) in self._own:
            return []
        own = self._objects.get(self._object_of.get(key, -1), {})
        found = own.get(name) or self._anywhere.get(name) or ()
        return sorted(found) if len(found) <= _CHOICES else []


class _Last(ast.NodeTransformer):
    """A dotted name such as `config.width` counts as its last part."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return ast.copy_location(ast.Name(node.attr, ast.Load()), node)


_ALLOWED = (
    ast.Expression,
    ast.BinOp,
    ast.UnaryOp,
    ast.Call,
    ast.Name,
    ast.Constant,
    ast.operator,
    ast.unaryop,
    ast.expr_context,
    ast.Tuple,
    ast.Starred,
)


@lru_cache(maxsize=4096)
def _compiled(dim: str) -> tuple[CodeType | None, tuple[str, ...]]:
    """A dim's expression and its names. Nothing but arithmetic is ever computed."""
    try:
        tree = ast.fix_missing_locations(_Last().visit(ast.parse(dim, mode="eval")))
    except (SyntaxError, ValueError, RecursionError):
        return None, ()
    if not all(isinstance(node, _ALLOWED) for node in ast.walk(tree)):
        return None, ()
    names = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id not in _FUNCTIONS]
    return compile(tree, "dim", "eval"), tuple(dict.fromkeys(names))
