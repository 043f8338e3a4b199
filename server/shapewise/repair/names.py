"""The names that a statement would bind, read from text that does not parse."""

from __future__ import annotations

import re

_STRING_OR_COMMENT = re.compile(
    r"""'''.*?(?:'''|$)|\"\"\".*?(?:\"\"\"|$)|'(?:[^'\\\n]|\\.)*'?|"(?:[^"\\\n]|\\.)*"?|#[^\n]*""", re.S
)
_DEFINITION = re.compile(r"(?:async\s+)?(?:def|class)\s+(\w+)")
_IMPORT = re.compile(r"(?:from\s+[\w.]+\s+)?import\s+(.*)", re.S)
_IMPORTED = re.compile(r"([\w.]+)(?:\s+as\s+(\w+))?")
_LOOP = re.compile(r"(?:async\s+)?for\s+(.*?)(?:\s+in\b|$|:)", re.S)
_DELETED = re.compile(r"del\s+(.*)", re.S)
_AS = re.compile(r"\bas\s+(\([^)]*\)|\w+)")
_WALRUS = re.compile(r"(\w+)\s*:=")
_RESHAPED = re.compile(
    r"([^\W\d]\w*(?:\.[^\W\d]\w*)*)\.(?:(?:un)?squeeze|t|transpose|swap(?:axes|dims)|resize(?:_as)?|as_strided|set|detach|requires_grad)_\("
)
_EQUALS = re.compile(r"(?<![=<>!:])(?:\*\*|//|>>|<<|[-+*/%@&|^])?=(?!=)")
_TARGET = re.compile(r"(?<![\w.\])])([^\W\d]\w*(?:\.[^\W\d]\w*)*)")
_HEADER = re.compile(r"(?:async|if|elif|else|while|with|try|except|finally|match|case|return|assert|raise)\b")
_READ = 10_000  # characters; behind them stands data


def bound_names(code: str) -> list[str]:
    """Plain names, and dotted ones where an attribute is set.

    An item that is set counts as its owner, and so does a tensor that a method gives another shape.
    """
    code = _STRING_OR_COMMENT.sub("''", code[:_READ])
    definition = _DEFINITION.match(code)
    if definition:
        return [definition[1]]
    imported = _IMPORT.match(code)
    if imported:
        return [alias or path.split(".")[0] for path, alias in _IMPORTED.findall(imported[1]) if path != "as"]
    names: list[str] = []
    loop = _LOOP.match(code) or _DELETED.match(code)
    if loop:
        names += _targets(loop[1])
    for statement in code.split(";"):
        names += _assigned(statement)
    for alias in _AS.findall(code):
        names += _targets(alias)
    return [*names, *_WALRUS.findall(code), *_RESHAPED.findall(code)]


def _assigned(statement: str) -> list[str]:
    """The targets of `a, b = c = ...`, `a += ...` and `a: int = ...`."""
    header = _HEADER.match(statement.strip())
    if header:
        statement = statement.partition(":")[2]
    names: list[str] = []
    begin = 0
    for equals in _EQUALS.finditer(statement):
        if _depth(statement[: equals.start()]) > 0:
            continue
        names += _targets(statement[begin : equals.start()].partition(":")[0])
        begin = equals.end()
    left, sign, _ = statement.partition("=")
    if not begin and sign and not re.search(r"\w\s*[(\[]|[=<>!:]$", left):
        names += _targets(left)  # `(a, b = f()`: the bracket is what is broken
    return names


def _depth(code: str) -> int:
    return sum(code.count(bracket) for bracket in "([{") - sum(code.count(bracket) for bracket in ")]}")


def _targets(code: str) -> list[str]:
    code = re.sub(r"(?<=[\w\])])\s*\[[^\]]*\]?", "", code)
    return _TARGET.findall(code)
