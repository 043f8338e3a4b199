"""Where a node of the syntax tree stands, in characters."""

from __future__ import annotations

import ast
from array import array

from ...vocabulary.span import Span


class Places:
    """Turns `ast` positions (lines from 1, columns in UTF-8 bytes) into spans (characters)."""

    def __init__(self, text: str, first: int = 1) -> None:
        """Of nodes that stand in a text whose first line is this one."""
        self._above = first - 1
        rows = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._lines = [None if line.isascii() else line.encode() for line in rows]
        self._words = array("q", map(hash, rows))  # the text itself is not kept

    def _column(self, line: int, offset: int) -> int:
        at = line - 1 - self._above
        raw = self._lines[at] if at < len(self._lines) else None
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

    def words(self, node: ast.AST) -> int:
        """The same number for the same text, wherever it stands: of all lines of a node."""
        up = self._above
        return hash(tuple(self._words[node.lineno - 1 - up : node.end_lineno - up]))  # type: ignore[attr-defined]
