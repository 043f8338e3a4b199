"""Backslashes at the end of a statement that go on into an empty row: Python reads over them, but not where it is read by itself."""

from __future__ import annotations

import warnings

from ..parsing import parse
from ..vocabulary.blocks import blocks_of, is_plain


def without_loose_ends(text: str) -> str:
    """A text that parses, with spaces in their place. A string that went on there would end on a later row."""
    if "\\\n" not in text or not is_plain(text):
        return text
    rows = text.split("\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lines = blocks_of(text, parse).lines
    for _, last in lines:
        row = rows[last - 1]
        if row.endswith("\\") and last < len(rows) and not rows[last].strip():
            rows[last - 1] = f"{row[:-1]} "
    return "\n".join(rows)
