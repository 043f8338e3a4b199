"""One text by lines and columns, by offsets, and by the places of `ast`."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate

from ..vocabulary.span import Span

_NEWLINE = re.compile(r"\r\n|\r|\n")
_INDENT = re.compile(r"[ \t\f]*")
_with_end, _without_end = (1).__add__, (-1).__add__


class TextMap:
    """Turns the three ways to name a place into each other.

    Lines end where Python ends them (LF, CRLF, CR and nothing else: `str.splitlines` knows eight
    more). Lines count from 1, columns from 0 in characters; offsets count characters of the text.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        if "\r" not in text:  # at every keystroke
            starts = (*accumulate(map(_with_end, map(len, text.split("\n"))), initial=0),)
            self.starts = starts[:-1]
            self._ends = (*map(_without_end, starts[1:]),)
            self.newlines = ("\n",) * (len(self.starts) - 1)
            return
        ends = [match.span() for match in _NEWLINE.finditer(text)]
        self.starts = (0, *(end for _, end in ends))
        self._ends = (*(start for start, _ in ends), len(text))
        self.newlines = tuple(text[start:end] for start, end in ends)

    def __len__(self) -> int:
        return len(self.starts)

    def line(self, number: int) -> str:
        """The text of a line without its end. Raises IndexError where there is no such line."""
        if number < 1:
            raise IndexError(number)
        return self.text[self.starts[number - 1] : self._ends[number - 1]]

    def offset(self, line: int, column: int) -> int:
        """Raises ValueError for a place outside the text."""
        if not 1 <= line <= len(self.starts) or column < 0:
            raise ValueError(f"no line {line} column {column}")
        offset = self.starts[line - 1] + column
        if offset > self._ends[line - 1]:
            raise ValueError(f"line {line} has no column {column}")
        return offset

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset between 0 and the length of the text."""
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1]

    def column(self, line: int, utf8_column: int) -> int:
        """The column in characters of a column in UTF-8 bytes, as `ast` counts."""
        text = self.line(line)
        if text.isascii():
            return utf8_column
        return len(text.encode("utf-8", "surrogatepass")[:utf8_column].decode("utf-8", "replace"))

    def span(self, node: ast.expr | ast.stmt | ast.keyword | ast.arg | ast.alias) -> Span:
        """Where a node of the syntax tree of this text stands."""
        end_line = node.end_lineno or node.lineno
        end_column = node.col_offset if node.end_col_offset is None else node.end_col_offset
        return Span(
            node.lineno,
            self.column(node.lineno, node.col_offset),
            end_line,
            self.column(end_line, end_column),
        )

    def offsets(self, span: Span) -> tuple[int, int]:
        """Where a span begins and ends in the text. Raises ValueError where it lies outside."""
        return self.offset(span.line, span.column), self.offset(span.end_line, span.end_column)

    def indent(self, number: int) -> str:
        """What a line begins with, before anything is written in it. Raises as `line` does."""
        match = _INDENT.match(self.line(number))
        return match.group() if match else ""

    def slice(self, span: Span) -> str:
        """The text under a span. Raises ValueError where it lies outside."""
        start, end = self.offsets(span)
        return self.text[start:end]

    def between(self, start: int, end: int) -> Span:
        """The span between two offsets."""
        return Span(*self.position(start), *self.position(end))


@lru_cache(maxsize=8)
def text_map(text: str) -> TextMap:
    """The map of a text; the latest few are kept, because rules ask for the same one often."""
    return TextMap(text)
