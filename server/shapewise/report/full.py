"""Findings for people: the code with carets under it, the places that explain it, and the way out."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from ..fixes.apply import SAFE
from ..rules.pages import docs_path
from ..vocabulary.findings import Finding
from ..vocabulary.span import Span
from .checked import Checked, cell_of, each, headline, line_text, place

_COLOURS = {"error": "bold red", "warning": "bold yellow", "hint": "bold cyan"}
_MAX_LINES = 6
"""A frame shows no more lines of one place than this."""


def show(files: Sequence[Checked], console: Console) -> None:
    """Draw every finding."""
    for file, finding in each(files):
        console.print(_finding(file, finding), soft_wrap=True)


def _finding(file: Checked, finding: Finding) -> Text:
    source = file.source
    colour = _COLOURS.get(finding.severity, "bold")
    places = [(finding.span, "", colour, "^")]
    places += [(related.span, related.message, "blue", "-") for related in finding.related]
    width = max(len(_number(file, span.end_line)) for span, *_ in places)
    margin = " " * width

    text = Text.assemble(
        (f"{finding.severity}[{finding.rule}]", colour), ": ", (headline(finding), "bold"), "\n"
    )
    text.append(f"{margin}--> ", "blue").append(place(source, finding.span.line, finding.span.column) + "\n")
    text.append(f"{margin} |\n", "blue")
    previous = 0
    for span, message, style, mark in sorted(places, key=lambda item: item[0]):
        if previous and span.line > previous + 1:
            text.append(f"{margin}...\n", "blue")
        _frame(text, file, span, message, style, mark, width, previous)
        previous = max(previous, span.end_line)
    text.append(f"{margin} |\n", "blue")
    for line in finding.message.split("\n")[1:]:
        text.append(f"{margin} | ", "blue").append(line + "\n")
    if finding.torch_error and finding.torch_error not in finding.message:
        _note(text, margin, "torch", finding.torch_error)
    for fix in finding.fixes:
        _note(
            text, margin, "help", fix.title if fix.safety == SAFE else f"{fix.title} (may change behaviour)"
        )
    _note(text, margin, "docs", docs_path(finding.rule))
    return text


def _frame(
    text: Text, file: Checked, span: Span, message: str, style: str, mark: str, width: int, previous: int
) -> None:
    """The lines of one place, each with marks below; a line that was just shown is not shown twice."""
    for line in range(span.line, min(span.end_line, span.line + _MAX_LINES - 1) + 1):
        code = line_text(file.source, line)
        if line > previous:
            text.append(f"{_number(file, line):>{width}} | ", "blue").append(_shown(code) + "\n")
        indent = len(code) - len(code.lstrip())
        start = span.column if line == span.line else indent
        end = span.end_column if line == span.end_line else len(code.rstrip())
        last = line == span.end_line
        before = " " * cell_len(_shown(code[:start]))
        marks = mark * max(1, cell_len(_shown(code[start:end])))
        text.append(f"{'':{width}} | ", "blue").append(before).append(marks, style)
        text.append(f" {message}" if last and message else "", style).append("\n")
    if span.end_line - span.line >= _MAX_LINES:
        text.append(f"{'':{width}} | ", "blue").append(f"... to line {_number(file, span.end_line)}", style)
        text.append(f" {message}\n" if message else "\n", style)


def _note(text: Text, margin: str, label: str, note: str) -> None:
    text.append(f"{margin} = ", "blue").append(f"{label}: ", "bold").append(" ".join(note.split()) + "\n")


def _number(file: Checked, line: int) -> str:
    cell = cell_of(file.source, line)
    return str(line if cell is None else cell[1])


def _shown(code: str) -> str:
    """Code with every character visible and of known width."""
    return "".join(
        letter if letter.isprintable() else "    " if letter == "\t" else "\ufffd" for letter in code
    )
