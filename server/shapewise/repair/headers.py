"""Headers whose end is not written yet, and parameters that are being written: all else of the header stays."""

from __future__ import annotations

import re
from itertools import pairwise

from .elements import with_comma
from .statements import Statement, fault, judge

_ENDS_BY_ITSELF = frozenset({"else", "try", "finally"})
_ENDS_WITH_BRACKET = frozenset({"def", "class", "for", "with"})
_WHOLE = re.compile(r"[^,\s]\s*[)\]]$|\(\)$")
_PIECE = re.compile(r"""'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|#[^\n]*|[()\[\]{},]""")
_NAME = re.compile(r"(?:async\s+)?def\s+\w+\s*\(")
_ROW = re.compile(r"\s+\*{0,2}[^\W\d]\w*\s*(?:[:=,#]|$)")
_PARAMETER = re.compile(r"(\s*)([^\W\d]\w*)[ \t]*(?:[:=][^\n]*)?(\n\s*)?$")


def with_colon(statement: Statement) -> str | None:
    """A header that lacks nothing but its colon, where nothing else can be meant: behind a condition or a name there may come more."""
    code = statement.code.rstrip()
    ends = statement.word in _ENDS_BY_ITSELF or (
        statement.word in _ENDS_WITH_BRACKET and _WHOLE.search(code) is not None
    )
    return f"{code}:" if ends and judge(f"{code}:", statement.word) == (None, True) else None


def with_unknown_parameters(code: str) -> str | None:
    """The header of a function, with `_` for the default of each parameter that does not parse yet.

    Names stay where they are, so a row becomes longer at most at its end. What stands behind the parameters and does not parse is left out.
    """
    begin = _NAME.match(code)
    code = _with_commas(code)
    cuts = _cuts(code, begin.end()) if begin is not None else None
    if begin is None or cuts is None:
        return None
    pieces = [code[one + 1 : other] for one, other in pairwise([begin.end() - 1, *cuts])]
    behind = code[cuts[-1] + 1 :]
    has_default = False
    for index, piece in enumerate(pieces):
        is_last = index == len(pieces) - 1
        if not piece.strip() and is_last:
            continue
        parses = fault(f"def _({piece}\n): pass") is None
        if parses and (not has_default or "=" in piece or piece.strip().startswith(("*", "/"))):
            has_default = has_default or "=" in piece
            has_default = has_default and not piece.strip().startswith("*")
            continue
        parameter = _PARAMETER.match(piece)
        if parameter is None:
            return None
        made = f"{parameter[1]}{parameter[2]}=_"
        behind_it = parameter[3] or ""
        if len(made) > len(piece) - len(behind_it) and not (
            is_last or behind_it or pieces[index + 1].startswith("\n")
        ):
            return None
        pieces[index] = made.ljust(len(piece) - len(behind_it)) + behind_it
        has_default = True
    head = f"{code[: begin.end()]}{','.join(pieces)})"
    for end in (behind, ":"):
        if fault(f"{head}{end}\n pass") is None:
            return head + end + "\n" * (code.count("\n") - (head + end).count("\n"))
    return None


def _with_commas(code: str) -> str:
    """Parameters in rows of their own, with a comma behind each that another one follows."""
    rows = code.split("\n")
    for at, (row, below) in enumerate(pairwise(rows[1:]), 1):
        if _ROW.match(row) and _ROW.match(below):
            rows[at] = with_comma(row, below) or row
    return "\n".join(rows)


def _cuts(code: str, begin: int) -> list[int] | None:
    """Where the commas between the parameters stand, and the bracket behind them; None if that is not written yet: nor are parameters, then."""
    depth = 0
    cuts: list[int] = []
    for match in _PIECE.finditer(code, begin):
        if match[0] in "([{":
            depth += 1
        elif match[0] in ")]}" and depth:
            depth -= 1
        elif match[0] == ")":
            return [*cuts, match.start()]
        elif match[0] == "," and not depth:
            cuts.append(match.start())
    return None
