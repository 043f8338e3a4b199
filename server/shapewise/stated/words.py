"""What words stand for in a function because its code says so: `B, T, C = x.shape`, `heads = 8`."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from ..vocabulary.span import Span
from .places import Function, Places, parameters, shaped

Sizes = tuple[object, ...]
Size = int | str | None
_OPS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
}


def assigned(body: list[ast.stmt]) -> dict[str, list[tuple[ast.expr, int | None] | None]]:
    """What each name of a function is given: an expression, and its number if it is one of several; None if else.

    Functions and classes within are not looked into.
    """
    found: dict[str, list[tuple[ast.expr, int | None] | None]] = {}
    for node in _own(body):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            if isinstance(target, ast.Name):
                found.setdefault(target.id, []).append((node.value, None))
                continue
            if isinstance(target, (ast.Tuple, ast.List)) and all(
                isinstance(one, ast.Name) for one in target.elts
            ):
                for at, one in enumerate(target.elts):
                    found.setdefault(one.id, []).append((node.value, at))  # type: ignore[attr-defined]
                continue
        for name in _stored(node):
            found.setdefault(name, []).append(None)
    return found


def _own(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        yield node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        for name in ("body", "orelse", "finalbody"):
            yield from _own(getattr(node, name, []))
        for one in [*getattr(node, "handlers", []), *getattr(node, "cases", [])]:
            yield from _own(one.body)


def _stored(node: ast.stmt) -> Iterator[str]:
    """The names that one statement, without those inside, binds."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
        return
    parts: list[ast.AST] = []
    for name, value in ast.iter_fields(node):
        if name not in ("body", "orelse", "finalbody", "handlers", "cases"):
            parts += [
                one for one in (value if isinstance(value, list) else [value]) if isinstance(one, ast.AST)
            ]
    for part in parts:
        for one in ast.walk(part):
            if isinstance(one, ast.Name) and isinstance(one.ctx, (ast.Store, ast.Del)):
                yield one.id


class Words:
    """The names of the text whose number its code decides once."""

    def __init__(self, places: Places, tree: ast.Module) -> None:
        self.places = places
        self._tree = tree
        self._inside: dict[int, dict[str, list[tuple[ast.expr, int | None] | None]]] = {}

    @cached_property
    def _top(self) -> dict[str, list[tuple[ast.expr, int | None] | None]]:
        return assigned(self._tree.body)

    def number(
        self, name: str, within: Function | None, read: Callable[[Span], Sizes | None], depth: int = 8
    ) -> Size:
        """What a name stands for in a run. `read`: the shape that a place had in it."""
        given = self._given(name, within)
        if given is None or not depth:
            return None
        value, at = given
        if at is not None:
            if isinstance(value, (ast.Tuple, ast.List)):
                return self._evaluated(value.elts[at], within, read, depth) if at < len(value.elts) else None
            sizes = self._shape(value, read)
            return _whole(sizes[at]) if sizes is not None and at < len(sizes) else None
        return self._evaluated(value, within, read, depth)

    def of_another(self, name: str, within: Function | None, line: int) -> bool:
        """Whether a name that is stated on a line is bound below, to a dim of what was bound anew in between.

        `x` of a docstring is what the function is given; `B, H, W = x.shape` further down may be of what became of it.
        """
        given = self._given(name, within)
        if given is None or within is None:
            return False
        read = {node.id for node in ast.walk(given[0]) if isinstance(node, ast.Name)}
        return any(
            not read.isdisjoint(_stored(node))
            for node in _own(within.body)
            if line < node.lineno < given[0].lineno
        )

    def evaluated(
        self, node: ast.expr, within: Function | None, read: Callable[[Span], Sizes | None]
    ) -> Size:
        """What an expression over such names and shapes comes to in a run."""
        return self._evaluated(node, within, read, 8)

    def _given(self, name: str, within: Function | None) -> tuple[ast.expr, int | None] | None:
        """The one assignment of a name. None if there are several, or if it is something else."""
        if within is not None:
            if id(within) not in self._inside:
                self._inside[id(within)] = assigned(within.body)
            own = self._inside[id(within)].get(name)
            if own is not None:
                return own[0] if len(own) == 1 else None
            if any(arg.arg == name for arg in parameters(within)):
                return None
        outside = self._top.get(name)
        return outside[0] if outside is not None and len(outside) == 1 else None

    def _evaluated(
        self, node: ast.expr, within: Function | None, read: Callable[[Span], Sizes | None], depth: int
    ) -> Size:
        if isinstance(node, ast.Constant):
            return node.value if type(node.value) is int else None
        if isinstance(node, ast.Name):
            return self.number(node.id, within, read, depth - 1)
        if isinstance(node, ast.BinOp) and type(node.op) in _OPS:
            sides = [self._evaluated(side, within, read, depth) for side in (node.left, node.right)]
            return applied(node.op, *sides)
        if isinstance(node, ast.Subscript):
            sizes, at = self._shape(node.value, read), index_of(node.slice)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "size":
            sizes, at = (
                self._read(node.func.value, read),
                index_of(node.args[0]) if len(node.args) == 1 else None,
            )
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len":
            sizes, at = self._read(node.args[0], read) if len(node.args) == 1 else None, 0
        else:
            return None
        if sizes is None or at is None or not -len(sizes) <= at < len(sizes):
            return None
        return _whole(sizes[at])

    def _shape(self, node: ast.expr, read: Callable[[Span], Sizes | None]) -> Sizes | None:
        inner = shaped(node)
        return None if inner is None else self._read(inner, read)

    def _read(self, node: ast.expr, read: Callable[[Span], Sizes | None]) -> Sizes | None:
        return read(self.places.span(node)) if isinstance(node, (ast.Name, ast.Attribute)) else None


def applied(op: ast.operator, left: Size, right: Size) -> int | None:
    """Arithmetic on sizes; None where it has no whole number to give."""
    if not isinstance(left, int) or not isinstance(right, int) or type(op) not in _OPS:
        return None
    try:
        return _OPS[type(op)](left, right)
    except ZeroDivisionError:
        return None


def value_of(node: ast.expr, known: Mapping[str, object]) -> set[int] | None:
    """What an expression over names may come to: a division that leaves a remainder is rounded either way."""
    if isinstance(node, ast.Constant):
        return {node.value} if type(node.value) is int else None
    if isinstance(node, (ast.Name, ast.Attribute)):
        value = known.get(ast.unparse(node))
        return {value} if type(value) is int else None
    if not isinstance(node, ast.BinOp):
        return None
    lefts, rights = value_of(node.left, known), value_of(node.right, known)
    if lefts is None or rights is None:
        return None
    found: set[int] = set()
    for left in lefts:
        for right in rights:
            if isinstance(node.op, (ast.Div, ast.FloorDiv)):
                if right:
                    found |= {left // right, -(-left // right)}
            elif type(node.op) in _OPS:
                found.add(_OPS[type(node.op)](left, right))
    return found or None


def _whole(value: object) -> Size:
    """A size: of inputs that were made up it is a word."""
    return value if type(value) in (int, str) else None  # type: ignore[return-value]


def index_of(node: ast.expr) -> int | None:
    """A whole number as it is written, maybe below 0."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = index_of(node.operand)
        return None if inner is None else -inner
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None
