"""`ast.parse` as several threads may call it."""

from __future__ import annotations

import ast
from typing import Any

_ATTEMPTS = 20


def parse(text: str, mode: str = "exec") -> Any:
    """The syntax tree of a text. Raises what `ast.parse` raises.

    CPython counts how deep it is in one place for all threads: where another one parses at the same time, it
    may find "AST constructor recursion depth mismatch" (github.com/python/cpython/issues/106905) and give up.
    """
    for _ in range(_ATTEMPTS):
        try:
            return ast.parse(text, mode=mode)
        except SystemError:
            continue
    return ast.parse(text, mode=mode)
