"""Where a node of the syntax tree stands, in characters."""

from __future__ import annotations

import ast

from ..vocabulary.span import Span


class Places:
    """Turns `ast` positions (lines from 1, columns in UTF-8 bytes) into spans (characters)."""

    def __init__(self, text: str) -> None:
        self._lines = [
            None if line.isascii() else line.encode()
            for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        ]

    def _column(self, line: int, offset: int) -> int:
        raw = self._lines[line - 1] if line <= len(self._lines) else None
        return offset if raw is None else len(raw[:offset].decode(errors="replace"))

    def span(self, node: ast.AST) -> Span:
        """The span of a node that has a position."""
        line, end_line = node.lineno, node.end_lineno  # type: ignore[attr-defined]
        return Span(
            line,
            self._column(line, node.col_offset),  # type: ignore[attr-defined]
            end_line,
            self._column(end_line, node.end_col_offset),  # type: ignore[attr-defined]
        )
