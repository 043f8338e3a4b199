"""Which facts get a hint, and of which kind: a switch of the settings each."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..vocabulary.facts import Fact
from .texts import Text

VARIABLES, ATTRIBUTES, PARAMETERS = "variables", "attributes", "parameters"
LOOPS, CHAINS, RETURNS = "loops", "chains", "returns"

_LOOP = re.compile(r"\bfor\b(?!.*\bin\b)")
_REST = re.compile(r"\s*(?:#.*)?")
_NEXT_LINK = re.compile(r"\s*\.\s*\w")
_NAME = re.compile(r"[\w.]+")
_BARE = re.compile(r"return\s*\(?\s*[\w.]+(?:\s*,\s*[\w.]+)*\s*,?\s*\)?")


def hinted(text: Text, first: int = 1, last: int | None = None) -> Iterator[tuple[Fact, str]]:
    """The facts behind which a hint stands, each with its kind: those that end on these lines, all without them."""
    for fact in text.facts if last is None else text.facts_on(first, last):
        if last is not None and fact.span.end_line > last:
            continue
        if fact.kind != "expression" or _is_followed(text, fact.span.end_line):
            kind = _kind(text, fact)
            if kind is not None:
                yield fact, kind


def _is_followed(text: Text, line: int) -> bool:
    return line < len(text.map) and _NEXT_LINK.match(text.map.line(line + 1)) is not None


def _kind(text: Text, fact: Fact) -> str | None:
    if fact.kind == "parameter":
        return PARAMETERS
    if fact.kind == "binding":
        if "." in fact.name:
            return ATTRIBUTES
        before = text.map.line(fact.span.line)[: fact.span.column]
        return LOOPS if _LOOP.search(before) else VARIABLES
    if fact.kind == "return":
        return None if _BARE.fullmatch(text.map.slice(fact.span)) else RETURNS
    return CHAINS if _is_link(text, fact) else None


def _is_link(text: Text, fact: Fact) -> bool:
    """Whether an expression ends its line; the next one begins with a call on it."""
    line, column = fact.span.end_line, fact.span.end_column
    if not _REST.fullmatch(text.map.line(line), column):
        return False
    return fact.span.line != line or not _NAME.fullmatch(text.map.slice(fact.span))
