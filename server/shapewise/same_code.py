"""A log moved along where an edit changed no code: comments, blank lines, spaces, how lines are broken.

The trace sees nothing of these but the places, so it need not be made again. Only the statements at
the top of the file around the edit are parsed; what stands above is where it was, what stands below
is some lines further down.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace

from .vocabulary.events import Event, Frame, Log
from .vocabulary.span import Span


def moved(log: Log, old: str, new: str) -> Log | None:
    """The log of `new`, made of that of `old`; None where the code is another or nobody can say.

    Both texts are whole: nothing in them had to be repaired. The same text is no edit: who asks for
    its trace has another reason.
    """
    if (
        old == new
        or not log.torch
        or log.cut is not None
        or log.notes
        or log.measured is not None
        or "\r" in old + new
    ):
        return None
    places = _places(old, new)
    if places is None:
        return None
    try:
        return _moved(log, log.file, places)
    except LookupError:
        return None


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
    before, after = old.split("\n"), new.split("\n")
    shorter = min(len(before), len(after))
    head = next((at for at in range(shorter) if before[at] != after[at]), shorter)
    rest = shorter - head
    tail = next((at for at in range(rest) if before[-1 - at] != after[-1 - at]), rest)
    try:
        extents = [
            (min([node.lineno, *_decorators(node)]), node.end_lineno or node.lineno)
            for node in ast.parse(old).body
        ]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    ends = [last for _, last in extents]
    above = ends[bisect_right(ends, head) - 1] if bisect_right(ends, head) else 0
    below = next((first for first, _ in extents if first > len(before) - tail), len(before) + 1)
    down = len(after) - len(before)
    if above and before[above - 1].rstrip().endswith("\\"):
        return None
    try:
        old_part, new_part = (
            ast.parse("\n" * above + "\n".join(lines[above:end]))
            for lines, end in ((before, below - 1), (after, below - 1 + down))
        )
        between = dict(_pairs(old_part, new_part, before, after))
    except (SyntaxError, ValueError, RecursionError, MemoryError, LookupError):
        return None
    return _Places(above, below - 1, down, between)


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
