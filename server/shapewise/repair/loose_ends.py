"""Backslashes that go on into an empty row: Python reads over them, but not at the end of a statement that is read by itself."""

from __future__ import annotations

import ast
import re
import warnings

from ..parsing import parse

_LOOSE = re.compile(r"\\(?=(?:\r\n|\r|\n)[ \t]*(?:\r|\n|\Z))")
_MOST = 50


def without_loose_ends(text: str) -> str:
    """A text that parses, with spaces in their place; those within strings stay."""
    places = [found.start() for found in _LOOSE.finditer(text)][:_MOST]
    if not places:
        return text
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        meaning = ast.dump(parse(text))
        for at in places:
            without = f"{text[:at]} {text[at + 1 :]}"
            try:
                text = without if ast.dump(parse(without)) == meaning else text
            except SyntaxError:
                continue
    return text
