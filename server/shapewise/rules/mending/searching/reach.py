"""The expressions that a refused call hangs on: what it is given, what made that, how its layers are built, who calls."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....program.definitions import Places
from ...telling.found import argument_node

if TYPE_CHECKING:
    from ...asking.refusals import Refusal

_MOST = 28
"""Expressions that are looked at."""
_DEEPEST = 5
_NEAREST = 2
"""Assignments of one name, the last ones before it is read."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Reached:
    """An expression, and how many names lie between it and the refused call."""

    node: ast.expr
    depth: int


def reached(refusal: Refusal) -> list[Reached]:
    """What a refused call hangs on, nearest first, each once."""
    first = refusal.tree.at(refusal.op.span, ast.AST)
    whole = first if isinstance(first, ast.expr) else getattr(first, "value", None)
    if not isinstance(whole, ast.expr):
        return []
    paths = _Paths(refusal)
    waiting = [Reached(whole, 0)]
    if isinstance(first, ast.AugAssign):
        waiting.append(Reached(first.target, 0))
    waiting += [Reached(node, 1) for node in _layers(refusal)]
    seen = {one.node for one in waiting}
    for one in waiting:
        if one.depth == _DEEPEST:
            continue
        for node in paths.behind(one.node):
            if node not in seen and len(waiting) < _MOST:
                seen.add(node)
                waiting.append(Reached(node, one.depth + 1))
    return waiting


def _layers(refusal: Refusal) -> Iterator[ast.expr]:
    """Where the refused layer was built, and those whose outputs it is given."""
    made = [refusal.lineage.maker(one) for one in refusal.operands]
    layers = [refusal.failure.layer, *(op.args[0] for op in made if op is not None and op.args)]
    for layer in layers:
        built = refusal.lineage.builder(layer)
        node = refusal.tree.at(built.span, ast.expr) if built is not None and refusal.here(built) else None
        if node is not None:
            yield node


class _Paths:
    """From names to what is written for them."""

    def __init__(self, refusal: Refusal) -> None:
        self._refusal = refusal
        self._places: Places = refusal.tree.course.places
        self._named: dict[tuple[ast.AST | None, str], list[ast.expr]] = defaultdict(list)
        self._attributes: dict[str, list[ast.expr]] = defaultdict(list)
        self._functions: dict[str, list[Function]] = defaultdict(list)
        for node in self._places.nodes:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self._functions[node.name].append(node)
            for target, value in _assigned(node):
                if isinstance(target, ast.Name):
                    self._named[self._places.function(target), target.id].append(value)
                elif isinstance(target, ast.Attribute):
                    self._attributes[target.attr].append(value)

    def behind(self, node: ast.expr) -> Iterator[ast.expr]:
        """What is written for each name in an expression, and what the functions give that it calls."""
        for one in sorted(_names(node), key=lambda one: (one.lineno, one.col_offset)):
            if isinstance(one, ast.Name):
                yield from self._of_name(one)
            elif isinstance(one.value, ast.Name) and one.value.id == "self":
                yield from self._attributes.get(one.attr, ())
            parent = self._places.parent(one)
            if isinstance(parent, ast.Call) and parent.func is one:
                name = one.id if isinstance(one, ast.Name) else one.attr
                for function in self._functions.get(name, ()):
                    yield from _returned(function)

    def _of_name(self, name: ast.Name) -> Iterator[ast.expr]:
        function: Function | None = self._places.function(name)
        while True:
            values = self._named.get((function, name.id), [])
            before = [one for one in values if one.lineno <= name.lineno and one is not name] or values
            yield from sorted(before, key=lambda one: -one.lineno)[:_NEAREST]
            if function is None:
                return
            if name.id in _parameters(function):
                yield from self._given(function, name.id)
                return
            if values:
                return
            function = self._places.function(function)

    def _given(self, function: Function, name: str) -> Iterator[ast.expr]:
        """What the calls of a function give for a parameter, and what it is if they give nothing."""
        refusal, scope = self._refusal, self._scope(function)
        names = _parameters(function)
        at = names.index(name) - (names[0] in ("self", "cls"))
        if at < 0:
            return
        told = set[object]()
        for frame in refusal.log.frames:
            if frame.scope != scope or frame.site is None or frame.parent is None or frame.site in told:
                continue
            told.add(frame.site)
            if refusal.log.frames[frame.parent].file == refusal.log.file:
                call = refusal.tree.at(frame.site, ast.Call)
                given = None if call is None else argument_node(call, name, at)
                if given is not None:
                    yield given
        args = function.args
        defaults = dict(zip([one.arg for one in (*args.posonlyargs, *args.args)][::-1], args.defaults[::-1]))
        defaults.update({one.arg: value for one, value in zip(args.kwonlyargs, args.kw_defaults) if value})
        if name in defaults:
            yield defaults[name]

    def _scope(self, function: Function) -> str:
        holders = [
            one.name for one in self._places.above(function) if isinstance(one, (ast.ClassDef, Function))
        ]
        return ".".join([*holders[::-1], function.name])


def _parameters(function: Function) -> list[str]:
    args = function.args
    return [one.arg for one in (*args.posonlyargs, *args.args, *args.kwonlyargs)]


def _returned(function: Function) -> Iterator[ast.expr]:
    for one in ast.walk(function):
        if isinstance(one, ast.Return) and one.value is not None:
            yield one.value


def _names(node: ast.expr) -> Iterator[ast.Name | ast.Attribute]:
    for one in ast.walk(node):
        if isinstance(one, (ast.Name, ast.Attribute)) and isinstance(one.ctx, ast.Load):
            yield one


def _assigned(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Each target of a statement, and what it gets: of a tuple the item, where that is written."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _taken_apart(target, node.value)
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr)) and node.value is not None:
        yield node.target, node.value
    elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        yield from _taken_apart(node.target, node.iter)
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield node.optional_vars, node.context_expr


def _taken_apart(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    if not isinstance(target, (ast.Tuple, ast.List)):
        yield target, value
        return
    items = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
    for at, one in enumerate(target.elts):
        yield from _taken_apart(one, items[at] if len(items) == len(target.elts) else value)
