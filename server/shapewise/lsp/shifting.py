"""What is known of a text, carried through the edits made to it since."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..edits.text import text_map
from ..vocabulary.facts import Fact
from ..vocabulary.findings import Edit
from ..vocabulary.placed import Placed, moved
from ..vocabulary.span import Span

Lines = tuple[int, int]
"""A stretch of lines, from 1, both ends included."""


def shifted(span: Span, edit: Edit) -> Span | None:
    """Where a name stands after an edit, or None if the edit touched it."""
    start, end = (edit.span.line, edit.span.column), (edit.span.end_line, edit.span.end_column)
    if (span.end_line, span.end_column) <= start:
        grows = (span.end_line, span.end_column) == start and _is_word(edit.text[:1])
        return None if grows else span
    if (span.line, span.column) < end:
        return None
    if (span.line, span.column) == end and _is_word(edit.text[-1:]):
        return None
    return Span(*_moved(span.line, span.column, edit), *_moved(span.end_line, span.end_column, edit))


def shifted_facts(facts: Sequence[Fact], edit: Edit) -> Placed:
    """The facts whose names an edit left alone, at their new places. They are in the order of the text."""

    def left(fact: Fact) -> Fact | None:
        span = shifted(fact.span, edit)
        return None if span is None else moved(fact, span)

    first, last = edit.span.line, edit.span.end_line
    return Placed.of(facts).edited(first, last, edit.text.count("\n") - (last - first), left)


def shifted_lines(lines: Lines, edit: Edit) -> Lines:
    """Where a stretch of lines is after an edit; one that the edit touches grows around it."""
    first, last = lines
    added = edit.text.count("\n")
    delta = added - (edit.span.end_line - edit.span.line)
    if edit.span.line > last:
        return lines
    if edit.span.end_line < first:
        return first + delta, last + delta
    return min(first, edit.span.line), max(last + delta, edit.span.line + added)


def touched_by(touched: Iterable[Lines], edit: Edit) -> tuple[Lines, ...]:
    """The stretches of lines that edits have touched, once one more has been made."""
    written = edit.span.line, edit.span.line + edit.text.count("\n")
    merged: list[Lines] = []
    for first, last in sorted((*(shifted_lines(lines, edit) for lines in touched), written)):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(last, merged[-1][1])
        else:
            merged.append((first, last))
    return tuple(merged)


def difference(old: str, new: str) -> Edit:
    """One edit that makes the new text of the old: for clients that send whole texts."""
    shorter = min(len(old), len(new))
    head = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    rest = shorter - head
    tail = next((i for i in range(rest) if old[-1 - i] != new[-1 - i]), rest)
    return Edit(text_map(old).between(head, len(old) - tail), new[head : len(new) - tail])


def _moved(line: int, column: int, edit: Edit) -> tuple[int, int]:
    """Where a place at or behind the end of an edit is afterwards."""
    added = edit.text.count("\n")
    if line > edit.span.end_line:
        return line + added - (edit.span.end_line - edit.span.line), column
    written = len(edit.text) - (edit.text.rfind("\n") + 1)
    return (
        edit.span.line + added,
        column - edit.span.end_column + written + (0 if added else edit.span.column),
    )


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
