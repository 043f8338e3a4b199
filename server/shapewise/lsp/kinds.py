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


def hinted(text: Text) -> tuple[tuple[Fact, str], ...]:
    """The facts behind which a hint stands, each with its kind."""
    kept = text.hinted
    if kept is None or kept[0] is not text.facts or kept[1] is not text.map:
        kept = text.hinted = text.facts, text.map, tuple(_hinted(text))
    return kept[2]


def _hinted(text: Text) -> Iterator[tuple[Fact, str]]:
    followed = {line for line in range(1, len(text.map)) if _NEXT_LINK.match(text.map.line(line + 1))}
    for fact in text.facts:
        if fact.kind != "expression" or fact.span.end_line in followed:
            kind = _kind(text, fact)
            if kind is not None:
                yield fact, kind


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
