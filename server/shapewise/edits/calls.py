"""Edits of expressions and of what a call is given, written against the user's own text so that its style survives.

The nodes come from `ast.parse` of the same text. Every edit leaves comments, line breaks and
parentheses where they are.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from typing import NamedTuple

from ..vocabulary.findings import Edit
from ..vocabulary.span import Span
from .text import TextMap, text_map

_IDENTIFIER_AT_END = re.compile(r"\w+\Z")
_LAYOUT = {
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.COMMENT,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}
_DOTTED = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.List)
"""What a dot can follow without parentheses."""


def replace_attribute(text: str, node: ast.Attribute, name: str) -> Edit:
    """Give an attribute another name: `x.view` to `x.reshape`."""
    places = text_map(text)
    start, end = places.offsets(places.span(node))
    match = _IDENTIFIER_AT_END.search(text, start, end)
    assert match is not None, "an attribute ends with its name"
    return Edit(places.between(match.start(), end), name)


def add_keyword(text: str, call: ast.Call, keyword: str) -> Edit:
    """Pass one more keyword, written as `name=value`; one of that name that is there is replaced."""
    places = text_map(text)
    name = keyword.partition("=")[0].strip()
    for present in call.keywords:
        if present.arg == name:
            return Edit(places.span(present), keyword)

    tokens = _tokens(places, places.span(call))
    opening, last, closing = _opening(tokens), tokens[-2], tokens[-1]
    _, end = places.offsets(last.span)

    if last is opening:
        return Edit(places.between(end, end), keyword)
    if _has_bare_generator(places, call):
        _, start = places.offsets(opening.span)
        return Edit(places.between(start, end), f"({text[start:end]}), {keyword}")
    if last.text != ",":
        return Edit(places.between(end, end), f", {keyword}")
    if last.span.line == closing.span.line:
        return Edit(places.between(end, end), f" {keyword},")
    # Arguments on lines of their own and a trailing comma: one line more, behind any comment.
    number = last.span.line
    end = len(places.line(number))
    return Edit(Span(number, end, number, end), f"\n{places.indent(number)}{keyword},")


def keep_dim(text: str, call: ast.Call) -> Edit:
    """Keep the dim that a reduction takes away, by the name that the call has for it: numpy says `keepdims`."""
    name = next((one.arg for one in call.keywords if one.arg in ("keepdim", "keepdims")), "keepdim")
    return add_keyword(text, call, f"{name}=True")


def append(text: str, node: ast.expr, suffix: str) -> Edit:
    """Call or read something on an expression, as in `.contiguous()`, `.mT`, `[:, None]`."""
    places = text_map(text)
    span = places.span(node)
    if isinstance(node, _DOTTED):
        return Edit(Span(span.end_line, span.end_column, span.end_line, span.end_column), suffix)
    return Edit(span, f"({places.slice(span)}){suffix}")


class _Token(NamedTuple):
    text: str
    span: Span


def _tokens(places: TextMap, span: Span) -> list[_Token]:
    """The tokens of an expression, comments and line ends left out."""
    lines = [places.line(number) for number in range(span.line, span.end_line + 1)]
    lines[-1] = lines[-1][: span.end_column]
    # In parentheses, so that its line breaks mean nothing to the tokenizer.
    lines[0] = "(" + lines[0][span.column :]
    shift = span.column - 1

    def at(place: tuple[int, int]) -> tuple[int, int]:
        line, column = place
        return line + span.line - 1, column + (shift if line == 1 else 0)

    readline = io.StringIO("\n".join(lines) + ")").readline
    tokens = [
        _Token(token.string, Span(*at(token.start), *at(token.end)))
        for token in tokenize.generate_tokens(readline)
        if token.type not in _LAYOUT
    ]
    return tokens[1:-1]


def _opening(tokens: list[_Token]) -> _Token:
    """The parenthesis that the last token closes."""
    depth = 0
    for token in reversed(tokens):
        if token.text in {")", "]", "}"}:
            depth += 1
        elif token.text in {"(", "[", "{"}:
            depth -= 1
            if depth == 0:
                return token
    raise AssertionError("a call ends with a parenthesis that was opened")


def _has_bare_generator(places: TextMap, call: ast.Call) -> bool:
    """Whether the only argument is a generator that borrows the parentheses of the call."""
    if len(call.args) != 1 or call.keywords or not isinstance(call.args[0], ast.GeneratorExp):
        return False
    inner, outer = places.span(call.args[0]), places.span(call)
    return (inner.end_line, inner.end_column) == (outer.end_line, outer.end_column)


def remove_keyword(text: str, call: ast.Call, name: str) -> Edit:
    """Take a keyword argument away, and the comma that parted it from its neighbour."""
    places = text_map(text)
    keyword = next(one for one in call.keywords if one.arg == name)
    start, end = places.offsets(places.span(keyword))
    parts: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    others = [places.offsets(places.span(one)) for one in parts if one is not keyword]
    before = max((stop for _, stop in others if stop <= start), default=None)
    if before is not None:
        between = text[before:start]
        if "#" not in between:
            return Edit(places.between(before, end), "")
    after = min((begin for begin, _ in others if begin >= end), default=None)
    if after is not None and "#" not in text[end:after]:
        return Edit(places.between(start, after), "")
    trailing = re.match(r"\s*,", text[end:])
    if before is None and trailing is not None:
        end += trailing.end()
    return Edit(places.between(start, end), "")


def insert_argument(text: str, call: ast.Call, argument: str) -> Edit:
    """Write an argument before all others of a call."""
    places = text_map(text)
    parts: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    first = min((places.offsets(places.span(one))[0] for one in parts), default=None)
    if first is None:
        _, end = places.offsets(places.span(call))
        return Edit(places.between(end - 1, end - 1), argument)
    return Edit(places.between(first, first), f"{argument}, ")
