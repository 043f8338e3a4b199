"""The definitions of a text, and all in it that decides about each. A statement at the top is read once, wherever it stands."""

from __future__ import annotations

import ast
import builtins
import symtable
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from ...vocabulary.blocks import Lines, first_line, pieces
from ...vocabulary.span import Span


@dataclass(frozen=True)
class Extent:
    """Where a definition stands, and its text."""

    first: int
    last: int
    text: str


class _Definition(NamedTuple):
    """A function or a class. `lines`: its own among those of its block, from 0, the end exclusive; `text`: these.

    `uses`: the names of the module that it reads; `switches`: as of a statement. `handed`: what its constructor is
    handed, without case and underscores: a layer that is called like a class of the file is one. `calls`: of a function,
    what it calls, with the names that it gives that as they are: classes may be among them.
    """

    name: str
    lines: Lines
    text: str
    uses: frozenset[str]
    switches: bool
    handed: frozenset[str] = frozenset()
    calls: tuple[tuple[str, frozenset[str]], ...] = ()


class _Statement:
    """A statement between the definitions.

    `imports`: the names of libraries that it brings. `switches`: it may change more than the names that it writes.
    """

    def __init__(self, node: ast.stmt) -> None:
        self.dump = ast.dump(node)
        self.names: set[str] = set()
        self.writes: set[str] = set()
        self.imports: set[str] = set()
        self.switches = False
        for one in ast.walk(node):
            if isinstance(one, ast.Name):
                self.names.add(one.id)
                if not isinstance(one.ctx, ast.Load):
                    self.writes.add(one.id)
            elif isinstance(one, (ast.Import, ast.ImportFrom)):
                self._import(one)
            elif isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler)):
                self.writes.add(one.name or "")
            elif isinstance(one, (ast.Global, ast.Match)):
                self.switches = True
            elif isinstance(one, ast.Attribute):
                written = not isinstance(one.ctx, ast.Load) and not _is_self(one.value)
                self.switches |= written or one.attr.startswith(_SWITCHES)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            name = (alias.asname or alias.name).split(".")[0]
            source = node.module or "" if isinstance(node, ast.ImportFrom) else alias.name
            self.writes.add(name)
            self.switches |= name == "*"
            if source.split(".")[0] in _STEADY and not getattr(node, "level", 0):
                self.imports.add(name)


_STEADY = sys.stdlib_module_names | set("torch numpy einops torchvision torchaudio timm transformers".split())
"""What nothing in a file changes, but by what `_SWITCHES` names."""


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """The statements at the top, those that run only as a script among them."""
    for node in tree.body:
        if isinstance(node, ast.If) and ast.unparse(node.test) in _AS_SCRIPT and not node.orelse:
            yield from (one for one in node.body if not isinstance(one, (ast.FunctionDef, ast.ClassDef)))
            yield from (
                ast.copy_location(ast.If(node.test, [one], []), one)
                for one in node.body
                if isinstance(one, (ast.FunctionDef, ast.ClassDef))
            )
        else:
            yield node


_AS_SCRIPT = ("__name__ == '__main__'", "'__main__' == __name__")


def _uses(node: ast.FunctionDef | ast.ClassDef, table: symtable.SymbolTable | None) -> Iterator[str]:
    """The names of the module that a definition reads."""
    if table is None:
        yield from (one.id for one in ast.walk(node) if isinstance(one, ast.Name))
        return
    around: list[ast.AST] = [*node.decorator_list]
    around += [*node.bases, *node.keywords] if isinstance(node, ast.ClassDef) else [node.args]
    if isinstance(node, ast.FunctionDef) and node.returns is not None:
        around.append(node.returns)
    yield from (one.id for part in around for one in ast.walk(part) if isinstance(one, ast.Name))
    waiting = [table]
    while waiting:
        one = waiting.pop()
        yield from (symbol.get_name() for symbol in one.get_symbols() if symbol.is_global())
        waiting += one.get_children()


def _handed(node: ast.FunctionDef | ast.ClassDef) -> Iterator[str]:
    """The parameters of a class's constructor, without case and underscores."""
    for one in node.body if isinstance(node, ast.ClassDef) else ():
        if isinstance(one, ast.FunctionDef) and one.name == "__init__":
            yield from (arg.arg.replace("_", "").lower() for arg in (*one.args.args, *one.args.kwonlyargs))


def _calls(node: ast.FunctionDef | ast.ClassDef) -> Iterator[tuple[str, frozenset[str]]]:
    """What a function calls by its name, with the names that it gives it as they are."""
    for one in ast.walk(node) if isinstance(node, ast.FunctionDef) else ():
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Name):
            given = (*one.args, *(each.value for each in one.keywords))
            names = frozenset(each.id for each in given if isinstance(each, ast.Name))
            if names:
                yield one.func.id, names


_SWITCHES = ("set", "use_", "enable", "disable", "register", "reset", "compile")
_BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__"}
_BY_TEXT = frozenset(("eval", "globals"))
"""What uses others by names that stand in texts."""


@lru_cache(maxsize=2048)
def _read(block: str) -> tuple[_Definition | _Statement, ...]:
    """What stands in some lines of the top. Raises SyntaxError."""
    tables = {
        (one.get_name(), one.get_lineno()): one for one in symtable.symtable(block, "", "exec").get_children()
    }
    found: list[_Definition | _Statement] = []
    rows = block.split("\n")
    for node in _statements(ast.parse(block)):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            lines = first_line(node) - 1, node.end_lineno or node.lineno
            uses = frozenset(_uses(node, tables.get((node.name, node.lineno))))
            text = "\n".join(rows[slice(*lines)])
            switches, handed = _Statement(node).switches, frozenset(_handed(node))
            found.append(_Definition(node.name, lines, text, uses, switches, handed, tuple(_calls(node))))
        else:
            found.append(_Statement(node))
            found += _within(node, rows)
    return tuple(found)


def _within(node: ast.stmt, rows: list[str]) -> Iterator[_Definition]:
    """The functions and classes that an `if` or a `try` at the top holds: all of it decides about each."""
    waiting: list[ast.AST] = [node]
    names: list[str] = []
    while waiting:
        for one in ast.iter_child_nodes(waiting.pop()):
            if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                names.append(one.name)
            elif isinstance(one, (ast.stmt, ast.ExceptHandler, ast.match_case)):
                waiting.append(one)
    if names:
        lines = first_line(node) - 1, node.end_lineno or node.lineno
        uses = frozenset(one.id for one in ast.walk(node) if isinstance(one, ast.Name))
        switches = _Statement(node).switches
        text = "\n".join(rows[slice(*lines)])
        yield from (_Definition(name, lines, text, uses, switches) for name in dict.fromkeys(names))


def speaks_of_autocast(text: str) -> bool:
    """Whether what a file defines may be called under autocast."""
    return "autocast" in text


def _handing(calls: dict[str, tuple[tuple[str, frozenset[str]], ...]]) -> set[tuple[str, str]]:
    """The definitions that a function hands one of the file's own, or what it was handed itself, each with that function."""
    pairs = {(called, by) for by, given in calls.items() for called, names in given if names & calls.keys()}
    waiting = pairs = {one for one in pairs if one[0] in calls}
    while waiting:
        waiting = {(called, by) for by, _ in waiting for called, _ in calls[by] if called in calls} - pairs
        pairs |= waiting
    return pairs


class Definitions:
    """The definitions of one text. `outside`: all that may change what they do and is not in them."""

    def __init__(self, text: str, broken: dict[int, tuple[str, ...]], outside: Any) -> None:
        """Raises SyntaxError for a text that does not parse."""
        self.extents: dict[str, Extent] = {}
        self._uses: dict[str, frozenset[str]] = {}
        self._switches: dict[str, bool] = {}
        self._rest: list[_Statement] = []
        handed: dict[str, frozenset[str]] = {}
        calls: dict[str, tuple[tuple[str, frozenset[str]], ...]] = {}
        for first, block in pieces(text):
            for one in _read(block):
                if isinstance(one, _Definition):
                    begin, end = one.lines
                    self.extents[one.name] = Extent(first + begin, first + end - 1, one.text)
                    self._uses[one.name], self._switches[one.name] = one.uses, one.switches
                    handed[one.name], calls[one.name] = one.handed, one.calls
                else:
                    self._rest.append(one)
        classes = {name.lower(): name for name in self.extents}
        for name, uses in self._uses.items():
            self._uses[name] = uses = uses | {classes[one] for one in handed[name] & classes.keys()}
            if not _BY_TEXT.isdisjoint(uses):
                self._uses[name] = uses | self.extents.keys()
        for called, by in _handing(calls):
            self._uses[called] |= {by}
        self._imported = set().union(*(one.imports for one in self._rest))
        self._broken = broken
        self._outside = outside, speaks_of_autocast(text)
        self._keys: dict[str, Any] = {}
        self._moved: dict[int, tuple[dict[str, Extent], Callable[[Span], Span] | None]] = {}

    def key(self, name: str) -> Any:
        """What decides about a definition; equal keys, equal outcomes."""
        if name not in self._keys:
            self._keys[name] = self._key(name)
        return self._keys[name]

    def moved_from(self, before: dict[str, Extent]) -> Callable[[Span], Span] | None:
        """Where a place in a definition is now that stood there when these were the extents; None if all stand where they stood."""
        if id(before) not in self._moved:
            self._moved[id(before)] = before, self._moves(before)
        return self._moved[id(before)][1]

    def _moves(self, before: dict[str, Extent]) -> Callable[[Span], Span] | None:
        then = sorted((old.first, old.last, name) for name, old in before.items() if name in self.extents)
        by = [self.extents[name].first - first for first, _, name in then]
        if not any(by):
            return None

        def moved(span: Span) -> Span:
            at = bisect_right(then, span.line, key=lambda one: one[0]) - 1
            if at < 0 or span.line > then[at][1] or not by[at]:
                return span
            return span.down(by[at])

        return moved

    def _key(self, name: str) -> Any:
        needed = self._needed({name})
        texts = tuple(
            (one, self.extents[one].text, self._poison(self.extents[one])) for one in sorted(needed)
        )
        inside = [(e.first, e.last) for e in self.extents.values()]
        between = [
            names
            for line, names in sorted(self._broken.items())
            if not any(a <= line <= b for a, b in inside)
        ]
        return texts, tuple(between), self._outside, tuple(self._around(needed))

    def _needed(self, names: set[str]) -> set[str]:
        """The definitions among some names, and those that they use."""
        needed: set[str] = set()
        waiting = list(names)
        while waiting:
            one = waiting.pop()
            if one in self.extents and one not in needed:
                needed.add(one)
                waiting.extend(self._uses[one])
        return needed

    def _around(self, needed: set[str]) -> Iterator[str]:
        """The statements between the definitions that may change what some of these do.

        Left out is what has no name in common with them but those of imported modules, and switches nothing.
        """
        own = needed.union(*(self._uses[one] for one in needed))
        # a variable that they read may be made of others
        grown = True
        while grown:
            made = [one for one in self._rest if one.writes & own and not one.names <= own]
            own = own.union(*(one.names for one in made))
            grown = bool(made)
        own |= self._needed(own)
        for one in self._rest:
            below = self._needed(one.names)
            names = one.names.union(*(self._uses[name] for name in below))
            switches = one.switches or any(self._switches[name] for name in below)
            if switches or one.writes & own or (names & own) - self._imported - _BUILTINS:
                yield one.dump

    def _poison(self, extent: Extent) -> Any:
        return tuple(
            (line - extent.first, names)
            for line, names in sorted(self._broken.items())
            if extent.first <= line <= extent.last
        )
