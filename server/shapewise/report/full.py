"""Findings for people: the code with carets under it, the places that explain it, and the way out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from ..fixes.offered import SAFE
from ..fixes.titles import title
from ..rules.telling.pages import docs_path
from ..vocabulary.findings import Finding
from ..vocabulary.span import Span
from .checked import Checked, cell_of, each, headline, line_text, place, printable

_COLOURS = {"error": "bold red", "warning": "bold yellow", "hint": "bold cyan"}
_MAX_LINES = 6
"""A frame shows no more lines of one place than this."""


@dataclass(frozen=True, slots=True)
class _Mark:
    """What is drawn below one line of code: `letter` from `start` to `end`, and a message."""

    start: int
    end: int
    letter: str
    style: str
    message: str


def show(files: Sequence[Checked], console: Console) -> None:
    """Draw every finding."""
    for file, finding in each(files):
        console.print(_finding(file, finding), soft_wrap=True)


def _finding(file: Checked, finding: Finding) -> Text:
    colour = _COLOURS.get(finding.severity, "bold")
    text = Text.assemble(
        (f"{finding.severity}[{finding.rule}]", colour), ": ", (printable(headline(finding)), "bold"), "\n"
    )
    marks: dict[int, list[_Mark]] = {}
    _mark(marks, file, finding.span, "^", colour, "")
    for related in finding.related:
        _mark(marks, file, related.span, "-", "blue", related.message)
    width = max(len(_number(file, line)) for line in marks)
    margin = " " * width

    text.append(f"{margin}--> ", "blue")
    text.append(place(file.source, finding.span.line, finding.span.column) + "\n")
    text.append(f"{margin} |\n", "blue")
    previous = None
    for line in sorted(marks):
        if previous is not None and line > previous + 1:
            text.append(f"{margin}...\n", "blue")
        previous = line
        code = line_text(file.source, line)
        text.append(f"{_number(file, line):>{width}} | ", "blue").append(printable(code) + "\n")
        for mark in marks[line]:
            before = " " * cell_len(printable(code[: mark.start]))
            below = mark.letter * max(1, cell_len(printable(code[mark.start : mark.end])))
            text.append(f"{margin} | ", "blue").append(before)
            text.append(f"{below} {printable(mark.message)}".rstrip(), mark.style).append("\n")
    text.append(f"{margin} |\n", "blue")
    for detail in finding.message.split("\n")[1:]:
        text.append(f"{margin} | ", "blue").append(printable(detail) + "\n")
    if finding.torch_error and finding.torch_error not in finding.message:
        _note(text, margin, "torch", finding.torch_error)
    for fix in finding.fixes:
        told = title(finding, fix, lambda line: _number(file, line))
        _note(text, margin, "help", told if fix.safety == SAFE else f"{told}; may change behaviour")
    _note(text, margin, "docs", docs_path(finding.rule))
    return text


def _mark(
    marks: dict[int, list[_Mark]], file: Checked, span: Span, letter: str, style: str, message: str
) -> None:
    """Note what is drawn for one place: of a finding its first lines, of what explains it the first."""
    last = span.line if message else min(span.end_line, span.line + _MAX_LINES - 1)
    for line in range(span.line, last + 1):
        code = line_text(file.source, line)
        start = span.column if line == span.line else len(code) - len(code.lstrip())
        end = span.end_column if line == span.end_line else len(code.rstrip())
        marks.setdefault(line, []).append(_Mark(start, end, letter, style, message))


def _note(text: Text, margin: str, label: str, note: str) -> None:
    text.append(f"{margin} = ", "blue").append(f"{label}: ", "bold").append(
        printable(" ".join(note.split())) + "\n"
    )


def _number(file: Checked, line: int) -> str:
    cell = cell_of(file.source, line)
    return str(line if cell is None else cell[1])
