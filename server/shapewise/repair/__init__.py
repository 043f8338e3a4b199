"""Half-typed text made parseable without moving a character."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass

from ..parsing import parse
from ..vocabulary.blocks import UNREADABLE, blocks_of
from ..vocabulary.span import Span
from .dangling import without_dangling_dots
from .loose_ends import without_loose_ends
from .names import bound_names
from .statements import Statement, fault, read_statements
from .suites import Layout, lay_out

_ROW = re.compile(r"\r\n|\r|\n")
_UNREADABLE = re.compile("[\0\ud800-\udfff]")
_ROUNDS = 40


@dataclass(frozen=True, slots=True)
class Broken:
    """A stretch that was blanked, and the names its statement would have bound: unknown from there.

    `names` may hold dotted ones (`self.x`) and `_`, which stands for the condition of a header that
    could not be read (`if _:`).
    """

    span: Span
    names: tuple[str, ...]
    message: str


@dataclass(frozen=True, slots=True)
class Repaired:
    """Text that `ast.parse` accepts; every untouched character stands where it stood. Rows may be longer at their ends."""

    text: str
    broken: tuple[Broken, ...] = ()


def repair(text: str) -> Repaired:
    """Blank what does not parse, statement by statement.

    The statements are read one by one, and each is parsed alone: one broken statement says nothing
    about its neighbours. Then the blocks are laid out anew around what is left. Should the whole
    still not parse, the statement that Python complains of goes altogether, until nothing is left.
    """
    if _is_whole(text):
        text, spans = without_dangling_dots(text)
        broken = tuple(Broken(span, ("_",), "nothing behind the dot") for span in spans)
        return Repaired(without_loose_ends(text), broken)
    readable, unreadable = _readable(text)
    ends = _ROW.findall(readable)
    rows = _ROW.split(readable)
    statements = read_statements(rows)
    gone: list[Statement] = []
    for attempt in range(_ROUNDS):
        layout = lay_out(rows, statements, gone)
        repaired = _join(layout.rows, ends)
        failure = fault(repaired)
        if failure is None:
            repaired = without_loose_ends(repaired)
            return Repaired(
                repaired, tuple(sorted(unreadable + _broken_of(layout), key=lambda one: one.span))
            )
        victims = _victims(statements, failure.line, attempt)
        gone.extend(victims)
        statements = [statement for statement in statements if statement not in victims]
    layout = lay_out(rows, [], gone + statements)
    return Repaired(_join(layout.rows, ends), tuple(unreadable + _broken_of(layout)))


def _is_whole(text: str) -> bool:
    """Whether it parses as it is."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            blocks_of(text, parse)
    except UNREADABLE:
        return False
    return True


def _readable(text: str) -> tuple[str, list[Broken]]:
    """The text without characters that Python refuses anywhere, even inside a string."""
    broken = []
    for match in _UNREADABLE.finditer(text):
        before = _ROW.split(text[: match.start()])
        line, column = len(before), len(before[-1])
        broken.append(Broken(Span(line, column, line, column + 1), (), "a character that Python cannot read"))
        if len(broken) == _ROUNDS:
            break
    text = _UNREADABLE.sub(" ", text)
    # a form feed in place of the byte order mark: of one column too, and no indentation
    return ("\f" + text[1:] if text.startswith("\ufeff") else text), broken


def _victims(statements: list[Statement], line: int, attempt: int) -> list[Statement]:
    """What goes next: the last statement that begins at or before the line, later its whole chunk."""
    if not statements:
        return []
    index = max((i for i, statement in enumerate(statements) if statement.first < line), default=0)
    if attempt < _ROUNDS // 2:
        return [statements[index]]
    begin = end = index
    while begin > 0 and statements[begin].indent > statements[0].indent:
        begin -= 1
    while end + 1 < len(statements) and statements[end + 1].indent > statements[begin].indent:
        end += 1
    return statements[begin : end + 1]


def _join(rows: list[str], ends: list[str]) -> str:
    return "".join(row + end for row, end in zip(rows, [*ends, ""], strict=True))


def _broken_of(layout: Layout) -> list[Broken]:
    broken = []
    for wound in layout.wounds:
        first, last = wound.statements[0], wound.statements[-1]
        names = [
            name for statement in wound.statements if wound.binds for name in bound_names(statement.code)
        ]
        span = Span(first.first + 1, first.column, last.end, last.end_column)
        broken.append(Broken(span, tuple(dict.fromkeys([*names, *wound.names])), wound.message))
    return broken
