"""Where the name of a dim is bound: `B, T, C = x.shape`, a parameter, a constructor's argument, a config's field."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from ..parsing import parse

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Birth:
    """`node`: the place where the name stands. `tensor` and `dim`: the size that it takes, if it is one."""

    node: ast.expr | ast.arg
    tensor: ast.expr | None = None
    dim: int | None = None


class Births:
    """The bindings of one text, asked for by name and scope."""

    def __init__(self, text: str) -> None:
        try:
            self._tree: ast.Module | None = parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            self._tree = None
        self._found: dict[tuple[str, str], Birth | None] = {}

    def of(self, name: str, scope: str) -> Birth | None:
        """The nearest binding of a name, seen from a function (its dotted path); None if it is not in the text."""
        if self._tree is None or not name.isidentifier():
            return None
        if (name, scope) not in self._found:
            self._found[name, scope] = next(self._births(name, scope), None)
        return self._found[name, scope]

    def scope(self, line: int) -> str:
        """The dotted path of the innermost function around a line."""
        path: list[str] = []
        found = 0
        body: list[ast.stmt] = self._tree.body if self._tree is not None else []
        while True:
            inner = next(
                (one for one in _definitions(body) if one.lineno <= line <= (one.end_lineno or 0)), None
            )
            if inner is None:
                return ".".join(path[:found]) or "<module>"
            path.append(inner.name)
            if isinstance(inner, _FUNCTIONS):
                found = len(path)
            body = inner.body

    def function(self, scope: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """The definition that a dotted path names, if it is a function's."""
        body: list[ast.stmt] = self._tree.body if self._tree is not None else []
        found: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | None = None
        for part in scope.split("."):
            found = next((one for one in _definitions(body) if one.name == part), None)
            if found is None:
                return None
            body = found.body
        return found if isinstance(found, _FUNCTIONS) else None

    def _births(self, name: str, scope: str) -> Iterator[Birth]:
        assert self._tree is not None
        around: list[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef] = []
        body = self._tree.body
        for part in scope.split(".") if scope != "<module>" else ():
            inner = next((one for one in _definitions(body) if one.name == part), None)
            if inner is None:
                break
            around.append(inner)
            body = inner.body
        for one in reversed(around):
            if isinstance(one, _FUNCTIONS):
                yield from _in_function(one, name)
            else:
                yield from _in_class(one, name)
        yield from _assigned(self._tree.body, name)
        for other in ast.walk(self._tree):
            if isinstance(other, ast.ClassDef):
                yield from _fields(other, name)


def _definitions(body: list[ast.stmt]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    for node in body:
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            yield node
        elif isinstance(node, (ast.If, ast.With, ast.Try, ast.For, ast.While)):
            yield from _definitions(node.body)
            yield from _definitions(getattr(node, "orelse", []))


def _in_function(function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> Iterator[Birth]:
    yield from _assigned(function.body, name)
    given = function.args
    for arg in (*given.posonlyargs, *given.args, *given.kwonlyargs):
        if arg.arg == name:
            yield Birth(arg)


def _in_class(node: ast.ClassDef, name: str) -> Iterator[Birth]:
    """The constructor's argument, `self.name = ...`, a field."""
    for function in node.body:
        if isinstance(function, _FUNCTIONS) and function.name == "__init__":
            yield from _in_function(function, name)
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store) and inner.attr == name:
            yield Birth(inner)
    yield from _fields(node, name)


def _fields(node: ast.ClassDef, name: str) -> Iterator[Birth]:
    for inner in node.body:
        if (
            isinstance(inner, ast.AnnAssign)
            and isinstance(inner.target, ast.Name)
            and inner.target.id == name
        ):
            yield Birth(inner.target)


def _assigned(body: list[ast.stmt], name: str) -> Iterator[Birth]:
    """Assignments in these statements, those in inner functions and classes left out."""
    for node in body:
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            continue
        if isinstance(node, ast.Assign):
            for target in node.targets:
                yield from _targets(target, node.value, name)
        elif isinstance(node, (ast.AnnAssign, ast.AugAssign)) and isinstance(node.target, ast.Name):
            if node.target.id == name and node.value is not None:
                yield Birth(node.target)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            yield from _targets(node.target, None, name)
        for inner in ("body", "orelse", "finalbody"):
            block = getattr(node, inner, None)
            if isinstance(block, list):
                yield from _assigned(block, name)
        for handler in getattr(node, "handlers", ()):
            yield from _assigned(handler.body, name)


def _targets(target: ast.expr, value: ast.expr | None, name: str) -> Iterator[Birth]:
    if isinstance(target, ast.Name) and target.id == name:
        shape = _size(value)
        yield Birth(target, *shape) if shape is not None else Birth(target)
    elif isinstance(target, (ast.Tuple, ast.List)):
        starred = any(isinstance(item, ast.Starred) for item in target.elts)
        tensor = _shape(value)
        for at, item in enumerate(target.elts):
            inner = (
                value.elts[at]
                if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts)
                else None
            )
            if isinstance(item, ast.Name) and item.id == name and tensor is not None and not starred:
                yield Birth(item, tensor, at)
            else:
                yield from _targets(item.value if isinstance(item, ast.Starred) else item, inner, name)


def _shape(value: ast.expr | None) -> ast.expr | None:
    """The tensor of `x.shape` and `x.size()`."""
    if isinstance(value, ast.Attribute) and value.attr == "shape":
        return value.value
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "size":
        return value.func.value if not value.args and not value.keywords else None
    return None


def _size(value: ast.expr | None) -> tuple[ast.expr, int] | None:
    """The tensor and the dim of `x.shape[0]`, `x.size(0)` and `len(x)`."""
    index: ast.expr | None = None
    tensor: ast.expr | None = None
    if isinstance(value, ast.Subscript):
        tensor, index = _shape(value.value), value.slice
    elif isinstance(value, ast.Call) and len(value.args) == 1 and not value.keywords:
        if isinstance(value.func, ast.Attribute) and value.func.attr == "size":
            tensor, index = value.func.value, value.args[0]
        elif isinstance(value.func, ast.Name) and value.func.id == "len":
            return (value.args[0], 0) if isinstance(value.args[0], ast.Name) else None
    try:
        number = ast.literal_eval(index) if index is not None else None
    except ValueError:
        return None
    return (tensor, number) if tensor is not None and type(number) is int else None


@lru_cache(maxsize=4)
def births(text: str) -> Births:
    """The bindings of a text; the latest few are kept."""
    return Births(text)
