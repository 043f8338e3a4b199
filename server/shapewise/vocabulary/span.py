"""Places in a file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of text: lines from 1, columns from 0 in characters (code points), end exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int

    def contains(self, line: int, column: int) -> bool:
        """Whether the caret position touches this span (its end included, as editors count)."""
        return (self.line, self.column) <= (line, column) <= (self.end_line, self.end_column)
