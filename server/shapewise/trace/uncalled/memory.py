"""What was found out of a definition, for the next time that the file is traced: a keystroke changes few of them.

It holds as long as the text of the definition, of all that it uses, and of the statements between the
definitions that may have to do with it is the same; where lines above have come or gone, the places move along.
"""

from __future__ import annotations

import ast
import builtins
import symtable
import sys
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ...vocabulary.events import Event, Frame
from ...vocabulary.span import Span
from ..numbering import Numbering

if TYPE_CHECKING:
    from ..recorder import Recorder

_FILES = 20
_KEPT: OrderedDict[str, dict[str, Entry]] = OrderedDict()


@dataclass(frozen=True)
class Extent:
    """Where a definition stands, and its text."""

    first: int
    last: int
    text: str


class Worked(NamedTuple):
    """A method that could be run, and the inputs whose rank is settled; `method` is None for a function.

    `filled`: the parameters of the constructor that it makes a number where they are not given.
    """

    method: str | None
    settled: dict[str, int]
    filled: frozenset[str] = frozenset()


class Count(NamedTuple):
    """How many frames there are, and numbers of objects and of memories."""

    frames: int
    numbers: int
    memories: int

    @classmethod
    def of(cls, recorder: Recorder) -> Count:
        """How many there are now."""
        return cls(len(recorder.frames), recorder.numbers(), recorder.memories())


@dataclass(frozen=True)
class Entry:
    """What a target wrote down. `before`: how much there was then, and `after`; `extents`: of the definitions then."""

    key: Any
    before: Count
    after: Count
    extents: dict[str, Extent]
    frames: tuple[Frame, ...]
    events: tuple[Event, ...]
    methods: tuple[Worked, ...]


class Found(NamedTuple):
    """What a target wrote down, where it stands now; `methods`: those that could be run."""

    frames: list[Frame]
    events: list[Event]
    methods: tuple[Worked, ...]


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
                ast.If(node.test, [one], [])
                for one in node.body
                if isinstance(one, (ast.FunctionDef, ast.ClassDef))
            )
        else:
            yield node


_AS_SCRIPT = ("__name__ == '__main__'", "'__main__' == __name__")


def _read(node: ast.FunctionDef | ast.ClassDef, table: symtable.SymbolTable | None) -> Iterator[str]:
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


_SWITCHES = ("set", "use_", "enable", "disable", "register", "reset", "compile")
_BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__"}


class Text:
    """The definitions of one text. `outside`: all that may change what they do and is not in them."""

    def __init__(self, text: str, broken: dict[int, tuple[str, ...]], outside: Any) -> None:
        tree = ast.parse(text)
        lines = text.split("\n")
        self.extents: dict[str, Extent] = {}
        self._uses: dict[str, set[str]] = {}
        self._switches: dict[str, bool] = {}
        self._rest: list[_Statement] = []
        tables = {
            (one.get_name(), one.get_lineno()): one
            for one in symtable.symtable(text, "", "exec").get_children()
        }
        for node in _statements(tree):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                first = min([node.lineno, *[one.lineno for one in node.decorator_list]])
                last = node.end_lineno or first
                self.extents[node.name] = Extent(first, last, "\n".join(lines[first - 1 : last]))
                self._uses[node.name] = set(_read(node, tables.get((node.name, node.lineno))))
                self._switches[node.name] = _Statement(node).switches
            else:
                self._rest.append(_Statement(node))
        self._imported = set().union(*(one.imports for one in self._rest))
        self._broken = broken
        self._outside = outside

    def key(self, name: str) -> Any:
        """What decides about a definition; equal keys, equal outcomes."""
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


def put(file: str, name: str, entry: Entry) -> None:
    """Keep what a target wrote down."""
    kept = _KEPT.pop(file, {})
    kept[name] = entry
    _KEPT[file] = kept
    while len(_KEPT) > _FILES:
        _KEPT.popitem(last=False)


def get(file: str, name: str, key: Any, text: Text, recorder: Recorder) -> Found | None:
    """What a target wrote down when all that it depends on was the same, where it stands now. None if it never did."""
    entry = _KEPT.get(file, {}).get(name)
    if entry is None or entry.key != key:
        return None
    then, now = entry.before, Count.of(recorder)
    shift = now.frames - then.frames
    numbering = Numbering(
        lambda number: number + (now.numbers - then.numbers if number >= then.numbers else 0),
        lambda memory: memory + (now.memories - then.memories if memory >= then.memories else 0),
    )
    recorder.skip(entry.after.numbers - then.numbers, entry.after.memories - then.memories)
    moves = [
        (extent.first, extent.last, text.extents[one].first - extent.first)
        for one, extent in entry.extents.items()
        if one in text.extents
    ]

    def moved(span: Span) -> Span:
        for first, last, by in moves:
            if first <= span.line <= last:
                return replace(span, line=span.line + by, end_line=span.end_line + by) if by else span
        return span

    frames = [
        replace(
            frame,
            id=frame.id + shift,
            parent=frame.parent + shift
            if frame.parent is not None and frame.parent >= then.frames
            else frame.parent,
            site=None if frame.site is None else moved(frame.site),
        )
        for frame in entry.frames
    ]
    own = {frame.id for frame in entry.frames if frame.file == file}
    events = [
        replace(
            numbering.event(event, event.frame + shift, event.modes),
            span=moved(event.span) if event.frame in own else event.span,
        )
        for event in entry.events
    ]
    return Found(frames, events, entry.methods)
