"""A log moved along where an edit changed no code: comments, blank lines, spaces, how lines are broken.

The trace sees nothing of these but the places, and the shapes that comments state of parameters; where
these are the same as well, it need not be made again. Only the statements at the top of the file around
the edit are parsed; what stands above is where it was, what stands below is some lines further down.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from .parsing import parse
from .stated.places import may_state, statements_of
from .stated.shapes import Shape
from .vocabulary.blocks import UNREADABLE, Stretch, blocks_of, keep, stretch, with_new
from .vocabulary.events import SHORT, UNFINISHED, Event, Frame, Log
from .vocabulary.span import Span


def moved(log: Log, old: str, new: str) -> Log | None:
    """The log of `new`, made of that of `old`; None where the code is another or nobody can say.

    Both texts are whole: nothing in them had to be repaired. The same text is no edit: who asks for
    its trace has another reason.
    """
    read(old)
    places = _places(old, new) if old != new and _is_movable(log) else None
    if places is None:
        return None
    try:
        return _moved(log, log.file, places)
    except LookupError:
        return None


def still_holds(log: Log, old: str, new: str) -> bool:
    """Whether a trace of `new` would give the log of `old`, but for the places. Quick, as `is_same` is."""
    return _is_movable(log) and is_same(old, new)


def is_same(old: str, new: str) -> bool:
    """Whether nothing but comments, spaces and how lines are broken differs.

    Quick, and no answer but False before `read(old)`: only what stands around the edit is parsed.
    """
    return old == new or _places(old, new) is not None


def read(text: str) -> None:
    """Take a text apart, for questions about edits of it."""
    with contextlib.suppress(*UNREADABLE):
        blocks_of(text, parse)


def _is_movable(log: Log) -> bool:
    told = set(log.notes) - {UNFINISHED, SHORT}  # any other may name a line
    return bool(log.torch) and log.cut is None and not told and log.measured is None


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
        return span.down(self._down) if self._down else span


def _places(old: str, new: str) -> _Places | None:
    between = stretch(old, new)
    return None if between is None else _compared(old, new, between)


@lru_cache(maxsize=4)
def _compared(old: str, new: str, between: Stretch) -> _Places | None:
    before, after = old.split("\n"), new.split("\n")
    texts = between.of_old(before), between.of_new(after)
    try:
        old_part, new_part = map(parse, texts)
        spans = dict(_pairs(old_part, new_part, before, after))
    except (*UNREADABLE, LookupError):
        return None
    if _said(texts[0], old_part) != _said(texts[1], new_part):
        return None
    keep(new, with_new(old, between, new_part.body))
    return _Places(between.above, between.below - 1, between.down, spans)


def _said(text: str, tree: ast.Module) -> list[tuple[int, str, Shape]]:
    """The shapes that comments state of parameters: inputs that are made up begin with these."""
    if not any(map(may_state, text.split("\n"))):
        return []
    functions = [
        id(node) for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    return [
        (functions.index(id(one.within)), one.name, one.shape)
        for one in statements_of(text, tree)
        if one.kind == "comment" and one.name is not None
    ]


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
