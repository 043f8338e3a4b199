"""Workflow commands: GitHub shows them as annotations on the changed lines."""

from __future__ import annotations

from collections.abc import Sequence

from .checked import Checked, each, place, uri_path

_COMMANDS = {"error": "error", "warning": "warning", "hint": "notice"}


def render(files: Sequence[Checked]) -> str:
    """One `::error file=...` line a finding; a notebook's has no line, which GitHub could not place."""
    lines = []
    for file, finding in each(files):
        span = finding.span
        properties = {"title": f"shapewise ({finding.rule})", "file": uri_path(file.source.path)}
        if not file.source.cells:
            properties |= {"line": str(span.line), "endLine": str(span.end_line)}
            if span.line == span.end_line:  # columns are only allowed within one line
                properties |= {"col": str(span.column + 1), "endColumn": str(span.end_column + 1)}
        written = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
        where = place(file.source, span.line, span.column)
        text = _data(f"{where}: {finding.rule}: {finding.message}")
        lines.append(f"::{_COMMANDS.get(finding.severity, 'notice')} {written}::{text}\n")
    return "".join(lines)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
