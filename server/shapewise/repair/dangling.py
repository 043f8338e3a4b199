"""A name with a dot at the end of its row, above another element: Python reads on, but whoever typed it has not yet."""

from __future__ import annotations

import ast
import re
import warnings

from ..parsing import parse
from ..vocabulary.blocks import UNREADABLE
from ..vocabulary.span import Span

_ROW = re.compile(r"^([ \t]*)([^\W\d][\w.]*\.)[ \t]*\n\1[^\W\d]", re.M)
"""Such a row, and the one below, which begins in the same column."""
_TRIED = 8


def without_dangling_dots(text: str) -> tuple[str, list[Span]]:
    """A text that parses, with `_` for such elements, and the statements that they stand in."""
    matches = [(text.count("\n", 0, one.start()) + 1, one) for one in _ROW.finditer(text)]
    if not 0 < len(matches) <= _TRIED:
        return text, []
    tree = _parsed(text)
    dangling = set() if tree is None else _within_names(tree)
    spans: list[Span] = []
    for line, match in matches:
        if tree is None or line not in dangling:
            continue
        made = f"{text[: match.start(2)]}{'_,'.ljust(len(match[2]))}{text[match.end(2) :]}"
        if _parsed(made) is not None:
            text = made
            spans.append(_statement(tree, line))
    return text, list(dict.fromkeys(spans))


def _within_names(tree: ast.Module) -> set[int]:
    """The lines on which a name ends of which an attribute is read on a later one, at the begin of an element."""
    found = set()
    for node in ast.walk(tree):
        elements = node.args if isinstance(node, ast.Call) else getattr(node, "elts", [])
        for element in elements:
            while (inner := getattr(element, "func", None) or getattr(element, "value", None)) is not None:
                if isinstance(element, ast.Attribute) and inner.end_lineno != element.end_lineno:
                    found.add(inner.end_lineno)
                element = inner
                if not isinstance(element, ast.expr):
                    break
    return found


def _statement(tree: ast.Module, line: int) -> Span:
    """The innermost statement around a line."""
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0)
    ]
    inner = max(around, key=lambda node: node.lineno)
    return Span(inner.lineno, inner.col_offset, inner.end_lineno or line, inner.end_col_offset or 0)


def _parsed(text: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree: ast.Module = parse(text)
    except UNREADABLE:
        return None
    return tree
