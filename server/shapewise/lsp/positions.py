"""Places in characters to places in the client's units (UTF-16 code units, mostly) and back."""

from __future__ import annotations

from lsprotocol import types
from pygls.workspace import PositionCodec

from ..edits.text import TextMap
from ..vocabulary.span import Span


def to_position(lines: TextMap, codec: PositionCodec, line: int, column: int) -> types.Position:
    """A place as the client counts; one outside the text is moved to its nearest end."""
    line = min(max(line, 1), len(lines))
    prefix = lines.line(line)[: max(column, 0)]
    return types.Position(line - 1, len(prefix) if prefix.isascii() else codec.client_num_units(prefix))


def to_range(lines: TextMap, codec: PositionCodec, span: Span) -> types.Range:
    """A span as the client counts."""
    return types.Range(
        to_position(lines, codec, span.line, span.column),
        to_position(lines, codec, span.end_line, span.end_column),
    )


def from_position(lines: TextMap, codec: PositionCodec, position: types.Position) -> tuple[int, int]:
    """Line from 1 and column in characters; a place outside the text is moved to its nearest end."""
    if position.line >= len(lines):
        return len(lines), len(lines.line(len(lines)))
    text = lines.line(position.line + 1)
    if text.isascii():
        return position.line + 1, min(position.character, len(text))
    units = 0
    for column, character in enumerate(text):
        if units >= position.character:
            return position.line + 1, column
        units += codec.client_num_units(character)
    return position.line + 1, len(text)


def from_range(lines: TextMap, codec: PositionCodec, range_: types.Range) -> Span:
    """A range of the client as a span."""
    return Span(*from_position(lines, codec, range_.start), *from_position(lines, codec, range_.end))
