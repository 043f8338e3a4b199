"""What may be otherwise where an optional parameter is given that was not tried: all that its value flows into, by the text."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ....vocabulary.events import Bound, Event, Frame, Unknown, Value
from ...gate.own import NODES
from ..case import Option
from ..targets import Target, as_written, functions_of
from .edited import Before
from .followed import ByLine, doubts_by_line
from .in_doubt import ALL, NONE, Doubts, in_doubt

_UNSURE = Unknown("not all that may be given was tried", True)


def without_untried(
    events: Sequence[Event],
    frames: Sequence[Frame],
    target: Target,
    options: dict[str | None, list[Option]],
    by_themselves: Collection[str],
    before: Before | None = None,
) -> list[Event]:
    """Events of a definition, without what hangs on options that were not tried.

    `options`: by the method that they are given to, those of its constructor among them. `by_themselves`: the
    definitions that were tried; what another does was seen only where this one calls it. `before`: what was
    told when they had been tried, if the definition has been edited since.
    """
    flow = _Flow(target, options)
    if before is not None:
        flow.see(before, events, frames)
    found = []
    for event in events:
        frame = frames[event.frame]
        known = frame.scope.partition(".")[0] in by_themselves
        doubts = flow.doubts(frame.scope, event)
        if not known and flow.calls(frame, frames):
            doubts = ALL
        found.append(_doubted(event, doubts) if doubts else event)
    return found


def _doubted(event: Event, doubts: Doubts) -> Event:
    def left(value: Value) -> Value:
        return _UNSURE if doubts >= ALL else in_doubt(value, doubts)

    if isinstance(event, Bound):
        return replace(event, value=left(event.value), others=())
    return replace(event, result=left(event.result))


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
        self._seen: dict[Any, ByLine] = {}
        """By function that was edited: what is in doubt."""
        self._attributes: set[str] = set()
        self._given_back: set[Any] = set()
        """The methods of which what they return hangs on them."""
        self._given: dict[Any, set[str]] = defaultdict(set)
        """By function: its parameters."""
        for method, given in options.items():
            for where, name, _ in given:
                self._give("__init__" if where == "constructor" else method, {name})
        before = -1
        while before != (before := self._size()):
            for name, node in self._nodes.items():
                self._block(name, node.body, False)

    def see(self, before: Before, events: Sequence[Event], frames: Sequence[Frame]) -> None:
        """In the function that was edited, follow what was told before, too."""
        for scope, name in self._scopes.items():
            node = self._nodes[name]
            if before.is_within(node):
                doubts = before.doubts(scope, events, frames)
                given = {one: doubts.of_parameter(one, node) for one in self._given[name]}
                self._seen[name] = doubts_by_line(node, given, self._reads, before, doubts.of_statement)

    def doubts(self, scope: str, event: Event) -> Doubts:
        """What of an event hangs on them."""
        if scope not in self._scopes:
            return NONE
        name = self._scopes[scope]
        if isinstance(event, Bound) and event.kind == "parameter":
            return ALL if event.name in self._given_or_bound(name) else NONE
        if name in self._seen:
            return self._seen[name].of(event)
        return ALL if event.span.line in self._lines[name] else NONE

    def _given_or_bound(self, name: Any) -> set[str]:
        return self._given[name] if name in self._seen else self._names[name]

    def calls(self, frame: Frame, frames: Sequence[Frame]) -> bool:
        """Whether the call that leads to another function hangs on them."""
        while frame.parent is not None and frame.scope not in self._scopes:
            above = frames[frame.parent]
            if above.scope in self._scopes and frame.site is not None:
                name, line = self._scopes[above.scope], frame.site.line
                return line in (self._seen[name].rest if name in self._seen else self._lines[name])
            frame = above
        return False

    def _size(self) -> int:
        counted = [*map(len, self._names.values()), *map(len, self._lines.values())]
        return sum(counted) + len(self._attributes) + len(self._given_back)

    def _hangs(self, name: Any, *nodes: ast.AST) -> bool:
        names = dict.fromkeys(self._names[name], ALL)
        return any(self._reads(node, names) for node in nodes)

    def _reads(self, node: ast.AST, names: Mapping[str, Doubts]) -> Doubts:
        """What of something hangs on them, if that of these names does."""
        found = self._reads_a_field(node, names)
        for one in ast.walk(node):
            if isinstance(one, ast.Name):
                found |= names.get(one.id, NONE)
            elif isinstance(one, ast.Attribute):
                attribute = _attribute(one)
                if attribute in self._attributes or (attribute and attribute[5:] in self._given_back):
                    return ALL
        return found

    @staticmethod
    def _reads_a_field(node: ast.AST, names: Mapping[str, Doubts]) -> Doubts:
        """What hangs on fields (`config.depth`): where they are read, and where the whole is handed on."""
        found, fields = NONE, {name: name.partition(".")[0] for name in names if "." in name}
        parts = {id(one.value) for one in ast.walk(node) if isinstance(one, ast.Attribute)} if fields else ()
        for one in ast.walk(node) if fields else ():
            if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name):
                found |= names.get(f"{one.value.id}.{one.attr}", NONE)
            elif isinstance(one, ast.Name) and id(one) not in parts:
                for name, whole in fields.items():
                    found |= names[name] if whole == one.id else NONE
        return found

    def _give(self, name: Any, parameters: set[str]) -> None:
        self._names[name] |= parameters
        self._given[name] |= parameters

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
            self._give(called, {one.arg for one in [*node.args.args[1:], *node.args.kwonlyargs]})

    def _assign(self, name: Any, target: ast.AST) -> None:
        for one in ast.walk(target):
            if isinstance(one, ast.Attribute) and (attribute := _attribute(one)):
                self._attributes.add(attribute)
            elif isinstance(one, ast.Name) and one.id != "self":
                self._names[name].add(one.id)


def _attribute(node: ast.Attribute) -> str | None:
    own = isinstance(node.value, ast.Name) and node.value.id == "self"
    return f"self.{node.attr}" if own else None
