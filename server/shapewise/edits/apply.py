"""Edits applied to a text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import accumulate, takewhile

from ..source import Cell, Source
from ..vocabulary.findings import Edit
from .text import TextMap, text_map


class OverlappingEdits(ValueError):
    """Two edits want the same characters."""


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits made at once; a line end within an edit is written as the text's own.

    Raises OverlappingEdits where two touch the same characters, or insert at the same place, and
    ValueError for a place outside the text.
    """
    places = text_map(text)
    newline = newline_of(places)
    pieces: list[str] = []
    done = 0
    last: tuple[int, int] | None = None
    for start, end, new in sorted((*places.offsets(edit.span), edit.text) for edit in edits):
        if start > end or start < done or last == (start, end):
            raise OverlappingEdits(f"two edits at line {places.position(start)[0]}")
        pieces += text[done:start], new.replace("\n", newline)
        done, last = end, (start, end)
    return "".join(pieces) + text[done:]


def touch(text: str, edits: Iterable[Edit], later: Iterable[Edit]) -> bool:
    """Whether edits of the edited text change what the first ones wrote."""
    places, moved, written = text_map(text), 0, list[tuple[int, int]]()
    for start, end, new in sorted((*places.offsets(edit.span), edit.text) for edit in edits):
        written.append((start + moved, start + moved + len(new)))
        moved += len(new) - (end - start)
    after = text_map(apply(text, edits))
    return any(
        begin < end and start < stop
        for edit in later
        for begin, stop in [after.offsets(edit.span)]
        for start, end in written
    )


def apply_to(source: Source, edits: Sequence[Edit]) -> Source:
    """A source with the edits made, its cells moved along. Raises as `apply` does."""
    cells = []
    for cell in source.cells:
        first = moved_line(cell.first_line, edits)
        end = moved_line(cell.first_line + cell.lines, edits)
        cells.append(Cell(cell.index, first, end - first))
    return replace(source, text=apply(source.text, edits), cells=tuple(cells))


def moved_line(line: int, edits: Iterable[Edit]) -> int:
    """The line on which a line of the text stands once the edits are made."""
    moved = line
    for edit in edits:
        added = edit.text.count("\n")
        if line > edit.span.end_line:
            moved += added - (edit.span.end_line - edit.span.line)
        elif line > edit.span.line:
            moved -= max(0, line - edit.span.line - added)
    return moved


def difference(text: str, other: str) -> tuple[Edit, ...]:
    """The edits that make one text the other: of a line that is there in both only what differs."""
    mine, theirs = text.splitlines(keepends=True), other.splitlines(keepends=True)
    starts, places = [0, *accumulate(map(len, mine))], text_map(text)
    edits: list[Edit] = []
    for what, start, end, first, last in SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes():
        pairs = [(start, "".join(mine[start:end]), "".join(theirs[first:last]))]
        if end - start == last - first:
            pairs = [(start + at, mine[start + at], theirs[first + at]) for at in range(end - start)]
        for line, old, new in pairs if what != "equal" else ():
            before = _alike(old, new)
            behind = _alike(old[before:][::-1], new[before:][::-1])
            span = places.between(starts[line] + before, starts[line] + len(old) - behind)
            edits.append(Edit(span, new[before : len(new) - behind].replace("\r\n", "\n")))
    return tuple(edits)


def _alike(one: str, other: str) -> int:
    """Characters with which two texts begin."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other)))


def newline_of(places: TextMap) -> str:
    """The first line end of a text; LF where there is none."""
    return places.newlines[0] if places.newlines else "\n"
