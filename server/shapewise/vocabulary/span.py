"""Places in a file."""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """A stretch of text: lines from 1, columns from 0 in characters (code points), end exclusive.

    A tuple, because thousands are made, compared and looked up at every keystroke.
    """

    line: int
    column: int
    end_line: int
    end_column: int

    def down(self, lines: int) -> Span:
        """The same stretch so many lines further down; up, if that is below zero."""
        return Span(self.line + lines, self.column, self.end_line + lines, self.end_column)

    def contains(self, line: int, column: int) -> bool:
        """Whether the caret position touches this span (its end included, as editors count)."""
        return (self.line, self.column) <= (line, column) <= (self.end_line, self.end_column)

    def covers(self, other: Span) -> bool:
        """Whether all of another stretch is in this one."""
        return self[:2] <= other[:2] and other[2:] <= self[2:]
