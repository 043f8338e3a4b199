"""What was found out of a definition, for the next time that the file is traced: a keystroke changes few of them.

It holds as long as the text of the definition, of all that it uses, and of what stands between the
definitions is the same; where lines above have come or gone, the places move along.
"""

from __future__ import annotations

import ast
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ...vocabulary.events import Event, Frame
from ...vocabulary.span import Span

_FILES = 20
_KEPT: OrderedDict[str, dict[str, Entry]] = OrderedDict()


@dataclass(frozen=True)
class Extent:
    """Where a definition stands, and its text."""

    first: int
    last: int
    text: str


class Worked(NamedTuple):
    """A method that could be run, and the inputs whose rank is settled; `method` is None for a function."""

    method: str | None
    settled: dict[str, int]


@dataclass(frozen=True)
class Entry:
    """What a target wrote down. `base`: the number of its first frame; `extents`: of the definitions then."""

    key: Any
    base: int
    extents: dict[str, Extent]
    frames: tuple[Frame, ...]
    events: tuple[Event, ...]
    methods: tuple[Worked, ...]


class Found(NamedTuple):
    """What a target wrote down, where it stands now; `methods`: those that could be run."""

    frames: list[Frame]
    events: list[Event]
    methods: tuple[Worked, ...]


class Text:
    """The definitions of one text. `outside`: all that may change what they do and is not in them."""

    def __init__(self, text: str, broken: dict[int, tuple[str, ...]], outside: Any) -> None:
        tree = ast.parse(text)
        lines = text.split("\n")
        self.extents: dict[str, Extent] = {}
        self._uses: dict[str, set[str]] = {}
        rest: list[str] = []
        for node in tree.body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                first = min([node.lineno, *[one.lineno for one in node.decorator_list]])
                last = node.end_lineno or first
                self.extents[node.name] = Extent(first, last, "\n".join(lines[first - 1 : last]))
                self._uses[node.name] = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
            else:
                rest.append(ast.dump(node))
        self._broken = broken
        self._outside = (outside, tuple(rest))

    def key(self, name: str) -> Any:
        """What decides about a definition; equal keys, equal outcomes."""
        needed, waiting = set(), [name]
        while waiting:
            one = waiting.pop()
            if one in self.extents and one not in needed:
                needed.add(one)
                waiting.extend(self._uses[one])
        texts = tuple(
            (one, self.extents[one].text, self._poison(self.extents[one])) for one in sorted(needed)
        )
        inside = [(e.first, e.last) for e in self.extents.values()]
        between = [
            names
            for line, names in sorted(self._broken.items())
            if not any(a <= line <= b for a, b in inside)
        ]
        return texts, tuple(between), self._outside

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


def get(file: str, name: str, key: Any, text: Text, base: int) -> Found | None:
    """What a target wrote down when all that it depends on was the same, where it stands now. None if it never did."""
    entry = _KEPT.get(file, {}).get(name)
    if entry is None or entry.key != key:
        return None
    shift = base - entry.base
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
            if frame.parent is not None and frame.parent >= entry.base
            else frame.parent,
            site=None if frame.site is None else moved(frame.site),
        )
        for frame in entry.frames
    ]
    own = {frame.id for frame in entry.frames if frame.file == file}
    events = [
        replace(
            event, frame=event.frame + shift, span=moved(event.span) if event.frame in own else event.span
        )
        for event in entry.events
    ]
    return Found(frames, events, entry.methods)
