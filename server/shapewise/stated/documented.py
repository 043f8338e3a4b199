"""Shapes in docstrings: `x (Tensor): input of shape [B, N, C]`, `x: (B, C, H, W)`, `- **x** (N, D)`, `x [N, D] - input`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from ..vocabulary.span import Span
from .shapes import Shape, bracketed

_ENTRY = re.compile(
    r"\s*(?:[-*]\s+)?(?::param\s+(?:[\w.]+\s+)?)?[`*]{0,2}(\w+)[`*]{0,2}\s*"
    r"(?:\((?P<type>(?:[^()]|\([^()]*\))*)\))?\s*(?::|--?|–)\s*(?P<said>.*)"
)
_BESIDE = re.compile(r"\s*(?:[-*]\s+)?[`*]{0,2}(\w+)[`*]{0,2}\s+(?=\[[^\[\]]*\]\s*(?:[-:–]|$))")
"""A name with its shape beside it: `query [B, T, D] - what is asked for`."""
_RETURNS = re.compile(r"\s*:?(?:returns?|Returns?|output|Output)\s*:\s*(?P<said>.*)")
_SHAPED = re.compile(
    r"(?:^|\b(?:shaped?|size|dimensions?|dims?|Tensor|tensor)(?:\s+(?:is|of|as))?\s*[:=]?\s*)(?::math:)?`{0,2}(?=[(\[])"
)
_OTHERWISE = re.compile(r"\bor\b|\beither\b|\bif\b|\boptional(?:ly)?\s+[(\[]|/\s*[(\[]", re.IGNORECASE)


def shapes_in(
    function: ast.FunctionDef | ast.AsyncFunctionDef, names: Sequence[str], lines: Sequence[str]
) -> Iterator[tuple[str | None, Shape, Span]]:
    """What the docstring of a function says of its parameters, by name, and (None) of what it returns."""
    text = function.body[0] if function.body else None
    if not isinstance(text, ast.Expr) or not isinstance(text.value, ast.Constant):
        return
    if not isinstance(text.value.value, str):
        return
    seen: set[str | None] = set()
    returns = False
    for number in range(text.lineno, (text.end_lineno or text.lineno) + 1):
        line = lines[number - 1]
        behind = lines[number] if number < len(lines) else ""
        beside = _BESIDE.match(line)
        entry = beside or _ENTRY.match(line)
        given = _RETURNS.match(line)
        name: str | None
        if given is not None:
            returns, name, at = True, None, given.start("said")
        elif entry is not None and entry[1] in names:
            returns, name = False, entry[1]
            if beside is not None:
                at = beside.end()
            else:
                at = entry.start("type") if entry["type"] and "[" in entry["type"] else entry.start("said")
        elif returns and line.strip():
            name, at = None, len(line) - len(line.lstrip())
        else:
            continue
        if name in seen:
            continue
        found = _found(line, at)
        if found is not None and not behind.lstrip().startswith("or "):
            seen.add(name)
            yield name, found, Span(number, found.start, number, found.end)
        if name is None and line[at:].strip():
            returns = False


def _found(line: str, at: int) -> Shape | None:
    said = _SHAPED.search(line[at:])
    if said is None or "\\" in line or _OTHERWISE.search(line[at:]):
        return None
    start = at + said.end()
    depth = 0
    for end in range(start, len(line)):
        depth += (line[end] in "([") - (line[end] in ")]")
        if not depth:
            return bracketed(line, start, end + 1)
    return None
