"""A log moved along where an edit changed no code: comments, blank lines, spaces, how lines are broken.

The trace sees nothing of these but the places, and the shapes that comments state of parameters; where
these are the same as well, it need not be made again. Only the statements at the top of the file around
the edit are parsed; what stands above is where it was, what stands below is some lines further down.
"""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import replace

from .parsing import parse
from .stated.places import statements_of
from .stated.shapes import Shape
from .vocabulary.events import Event, Frame, Log
from .vocabulary.span import Span

Lines = tuple[int, int]

_TEXTS = 16
_kept: dict[str, tuple[Lines, ...]] = {}
"""Of the latest texts, the lines of each statement at the top."""


def moved(log: Log, old: str, new: str) -> Log | None:
    """The log of `new`, made of that of `old`; None where the code is another or nobody can say.

    Both texts are whole: nothing in them had to be repaired. The same text is no edit: who asks for
    its trace has another reason.
    """
    read(old)
    places = _places(old, new) if old != new and _is_movable(log) and "\r" not in old + new else None
    if places is None:
        return None
    try:
        return _moved(log, log.file, places)
    except LookupError:
        return None


def still_holds(log: Log, old: str, new: str) -> bool:
    """Whether a trace of `new` would give the log of `old`, but for the places.

    Quick, and no answer but False before `read(old)`: only what stands around the edit is parsed.
    """
    if not _is_movable(log) or "\r" in old + new:
        return False
    return old == new or _places(old, new) is not None


def read(text: str) -> None:
    """Take a text apart, for questions about edits of it."""
    if text not in _kept:
        try:
            _keep(text, tuple(_extents(parse(text).body)))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            _keep(text, ())


def _keep(text: str, extents: tuple[Lines, ...]) -> None:
    _kept[text] = extents
    while len(_kept) > _TEXTS:
        _kept.pop(next(iter([*_kept])), None)  # threads may meet here


def _is_movable(log: Log) -> bool:
    return bool(log.torch) and log.cut is None and not log.notes and log.measured is None


class _Places:
    """Where each span of the old text is in the new one."""

    def __init__(self, first: int, last: int, down: int, between: dict[Span, Span]) -> None:
        """Lines up to `first` stay, those after `last` go `down`; `between` are the spans in between."""
        self._first, self._last, self._down, self._between = first, last, down, between

    def of(self, span: Span) -> Span:
        """Raises LookupError for what is no node's."""
        if span.end_line <= self._first:
            return span
        if span.line <= self._last:
            return self._between[span]
        if not self._down:
            return span
        return Span(span.line + self._down, span.column, span.end_line + self._down, span.end_column)


def _places(old: str, new: str) -> _Places | None:
    extents = _kept.get(old)
    if extents is None:
        return None
    before, after = old.split("\n"), new.split("\n")
    head, tail = _common(old, new)
    at = bisect_right([last for _, last in extents], head) - 1
    above = extents[at][1] if at >= 0 else 0
    below = next((first for first, _ in extents if first > len(before) - tail), len(before) + 1)
    down = len(after) - len(before)
    if above and before[above - 1].rstrip().endswith("\\"):
        return None
    try:
        texts = [
            "\n" * above + "\n".join(lines[above:end])
            for lines, end in ((before, below - 1), (after, below - 1 + down))
        ]
        old_part, new_part = map(ast.parse, texts)
        between = dict(_pairs(old_part, new_part, before, after))
    except (SyntaxError, ValueError, RecursionError, MemoryError, LookupError):
        return None
    if _said(texts[0], old_part) != _said(texts[1], new_part):
        return None
    inside = _extents(new_part.body)
    _keep(new, (*extents[: at + 1], *inside, *((a + down, b + down) for a, b in extents if a >= below)))
    return _Places(above, below - 1, down, between)


def _extents(body: list[ast.stmt]) -> Iterator[Lines]:
    """The lines of each statement, those that share one together."""
    first = last = 0
    for node in body:
        begins = min([node.lineno, *_decorators(node)])
        if begins > last:
            if last:
                yield first, last
            first = begins
        last = node.end_lineno or begins
    if last:
        yield first, last


def _common(old: str, new: str) -> tuple[int, int]:
    """How many whole lines are the same at the beginning, and how many at the end of what is left."""
    longest = min(len(old), len(new))
    same = range(longest + 1)
    head = bisect_left(same, True, key=lambda n: old[:n] != new[:n]) - 1
    rest = range(longest - head + 1)
    tail = bisect_left(rest, True, key=lambda n: old[len(old) - n :] != new[len(new) - n :]) - 1
    return old.count("\n", 0, head), old.count("\n", len(old) - tail)


def _said(text: str, tree: ast.Module) -> list[tuple[int, str, Shape]]:
    """The shapes that comments state of parameters: inputs that are made up begin with these."""
    functions = [
        id(node) for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    return [
        (functions.index(id(one.within)), one.name, one.shape)
        for one in statements_of(text, tree)
        if one.kind == "comment" and one.name is not None
    ]


def _decorators(node: ast.stmt) -> list[int]:
    return [one.lineno for one in getattr(node, "decorator_list", ())]


def _pairs(old: ast.AST, new: ast.AST, before: list[str], after: list[str]) -> Iterator[tuple[Span, Span]]:
    """The spans of equal trees, node by node. Raises LookupError where they are not equal."""
    if type(old) is not type(new):
        raise LookupError
    if hasattr(old, "lineno"):
        yield _span(old, before), _span(new, after)
    for name in old._fields:
        mine, theirs = getattr(old, name, None), getattr(new, name, None)
        if isinstance(mine, ast.AST) and isinstance(theirs, ast.AST):
            yield from _pairs(mine, theirs, before, after)
        elif isinstance(mine, list) and isinstance(theirs, list) and len(mine) == len(theirs):
            for one, other in zip(mine, theirs):
                if isinstance(one, ast.AST) and isinstance(other, ast.AST):
                    yield from _pairs(one, other, before, after)
                elif one != other:
                    raise LookupError
        elif type(mine) is not type(theirs) or repr(mine) != repr(theirs):
            raise LookupError


def _span(node: ast.AST, lines: list[str]) -> Span:
    """A node's span in characters; `ast` counts bytes of UTF-8."""
    line, end_line = node.lineno, node.end_lineno  # type: ignore[attr-defined]
    start, end = node.col_offset, node.end_col_offset  # type: ignore[attr-defined]
    return Span(line, _column(lines[line - 1], start), end_line, _column(lines[end_line - 1], end))


def _column(line: str, offset: int) -> int:
    return offset if line.isascii() else len(line.encode()[:offset].decode(errors="replace"))


def _moved(log: Log, file: str, places: _Places) -> Log:
    here = [frame.file == file for frame in log.frames]

    def frame_moved(frame: Frame) -> Frame:
        in_file = frame.parent is not None and here[frame.parent]
        site = frame.site if frame.site is None or not in_file else places.of(frame.site)
        return frame if site is frame.site else replace(frame, site=site)

    def event_moved(event: Event) -> Event:
        if not here[event.frame]:
            return event
        span = places.of(event.span)
        return event if span is event.span else replace(event, span=span)

    return replace(
        log,
        seconds=0.0,
        frames=tuple(map(frame_moved, log.frames)),
        events=tuple(map(event_moved, log.events)),
        on_a_card=None if log.on_a_card is None else _moved(log.on_a_card, file, places),
    )
