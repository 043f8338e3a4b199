"""What may be otherwise where an optional parameter is given that was not tried: all that its value flows into, by the text."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

from ....vocabulary.events import Bound, Event, Frame, Unknown
from ...gate.own import NODES
from ..case import Option
from ..targets import Target, as_written, functions_of

_UNSURE = Unknown("not all that may be given was tried", True)


def without_untried(
    events: Iterable[Event],
    frames: list[Frame],
    target: Target,
    options: dict[str | None, list[Option]],
    by_themselves: Collection[str],
) -> list[Event]:
    """Events of a definition, without what hangs on options that were not tried.

    `options`: by the method that they are given to, those of its constructor among them. `by_themselves`: the
    definitions that were tried; what another does was seen only where this one calls it.
    """
    flow = _Flow(target, options)
    found = []
    for event in events:
        frame = frames[event.frame]
        known = frame.scope.partition(".")[0] in by_themselves
        if not (flow.reaches(frame.scope, event) or (not known and flow.calls(frame, frames))):
            found.append(event)
        elif isinstance(event, Bound):
            found.append(replace(event, value=_UNSURE, others=()))
        else:
            found.append(replace(event, result=_UNSURE))
    return found


class _Flow:
    """Where the values of some parameters go: assignments, conditions, attributes and methods of one class."""

    def __init__(self, target: Target, options: dict[str | None, list[Option]]) -> None:
        value = target.value
        functions = functions_of(value) if isinstance(value, type) else {None: as_written(value)}
        nodes = {name: NODES.get(id(function)) for name, function in functions.items()}
        self._nodes: dict[Any, Any] = {name: node for name, node in nodes.items() if node is not None}
        self._scopes = {
            target.name if name is None else f"{target.name}.{name}": name for name in self._nodes
        }
        self._names: dict[Any, set[str]] = defaultdict(set)
        """By function: names of its own, and attributes (`self.x`) that it shares with all."""
        self._lines: dict[Any, set[int]] = defaultdict(set)
        self._attributes: set[str] = set()
        self._given_back: set[Any] = set()
        """The methods of which what they return hangs on them."""
        for method, given in options.items():
            for where, name, _ in given:
                self._names["__init__" if where == "constructor" else method].add(name)
        before = -1
        while before != (before := self._size()):
            for name, node in self._nodes.items():
                self._block(name, node.body, False)

    def reaches(self, scope: str, event: Event) -> bool:
        """Whether what an event tells hangs on them."""
        if scope not in self._scopes:
            return False
        name = self._scopes[scope]
        if isinstance(event, Bound) and event.kind == "parameter":
            return event.name in self._names[name]
        return event.span.line in self._lines[name]

    def calls(self, frame: Frame, frames: list[Frame]) -> bool:
        """Whether the call that leads to another function hangs on them."""
        while frame.parent is not None and frame.scope not in self._scopes:
            above = frames[frame.parent]
            if above.scope in self._scopes and frame.site is not None:
                return frame.site.line in self._lines[self._scopes[above.scope]]
            frame = above
        return False

    def _size(self) -> int:
        counted = [*map(len, self._names.values()), *map(len, self._lines.values())]
        return sum(counted) + len(self._attributes) + len(self._given_back)

    def _hangs(self, name: Any, *nodes: ast.AST | None) -> bool:
        known = self._names[name]
        for node in nodes:
            for one in ast.walk(node) if node is not None else ():
                if isinstance(one, ast.Name) and one.id in known:
                    return True
                if isinstance(one, ast.Attribute):
                    attribute = _attribute(one)
                    if attribute in self._attributes or (attribute and attribute[5:] in self._given_back):
                        return True
        return False

    def _block(self, name: Any, body: list[ast.stmt], under: bool) -> None:
        """Follow the statements of a block; `under`: whether it is reached hangs on them."""
        for one in body:
            inner = [getattr(one, part, []) for part in ("body", "orelse", "finalbody")]
            if isinstance(one, (ast.If, ast.While)):
                hangs = under or self._hangs(name, one.test)
            elif isinstance(one, (ast.For, ast.AsyncFor)):
                hangs = under or self._hangs(name, one.iter)
                if hangs:
                    self._assign(name, one.target)
                    self._lines[name].add(one.lineno)
            elif isinstance(one, (ast.With, ast.Try)):
                hangs = under
                inner += [handler.body for handler in getattr(one, "handlers", [])]
            else:
                self._statement(name, one, under)
                continue
            for part in inner:
                self._block(name, part, hangs)

    def _statement(self, name: Any, node: ast.stmt, under: bool) -> None:
        for call in (one for one in ast.walk(node) if isinstance(one, ast.Call)):
            self._call(name, call)
        if not under and not self._hangs(name, node):
            return
        self._lines[name].update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        if isinstance(node, ast.Return):
            self._given_back.add(name)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self._assign(name, target)
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign)):
            self._assign(name, node.target)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            self._names[name].add(node.name)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            if isinstance(node.value.func, ast.Attribute):  # `layers.append(...)`
                self._assign(name, node.value.func.value)

    def _call(self, name: Any, call: ast.Call) -> None:
        """What is handed to another method is a parameter there."""
        called = (
            (_attribute(call.func) or "").removeprefix("self.")
            if isinstance(call.func, ast.Attribute)
            else ""
        )
        node = self._nodes.get(called)
        if node is not None and self._hangs(name, *call.args, *(one.value for one in call.keywords)):
            self._names[called].update(one.arg for one in [*node.args.args[1:], *node.args.kwonlyargs])

    def _assign(self, name: Any, target: ast.AST) -> None:
        for one in ast.walk(target):
            if isinstance(one, ast.Attribute) and (attribute := _attribute(one)):
                self._attributes.add(attribute)
            elif isinstance(one, ast.Name) and one.id != "self":
                self._names[name].add(one.id)


def _attribute(node: ast.Attribute) -> str | None:
    own = isinstance(node.value, ast.Name) and node.value.id == "self"
    return f"self.{node.attr}" if own else None
