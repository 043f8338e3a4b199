"""A call or a list over several rows in which one is being written: the others stay, and that one is `_`, or gets its comma."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from .statements import Statement, fault, indent_of, is_empty

_KEY = re.compile(r"""[^\W\d]\w*\s*=(?!=)|(?:'[^'\\\n]*'|"[^"\\\n]*"|[^\W\d]\w*|\d+)\s*:""")
_CLOSES = re.compile(r"[)\]}]")
_BRACKET = re.compile(r"""'(?:[^'\\\n]|\\.)*'?|"(?:[^"\\\n]|\\.)*"?|#[^\n]*|[()\[\]{}]""")
_CLOSER = {"(": ")", "[": "]", "{": "}"}
_GOES_ON = re.compile(r"[.=%/|&^<>,:]|(?:and|or|in|is|if|else|for)\b")
# What may be the beginning of a longer name, or lack arguments.
_MAY_GO_ON = re.compile(r"\s*(?!(?:True|False|None)$)[^\W\d]\w*(?:\s*\.\s*[^\W\d]\w*)*(?:\s*[(#].*)?")
_TRIED = 12
_LONGEST = 400  # rows; more is data


def with_unknown_element(statement: Statement) -> str | None:
    """Its code with the one row mended that does not parse; None if that does not mend it, or another might."""
    rows = statement.code.split("\n")
    if not 2 < len(rows) <= _LONGEST:
        return None
    mended: list[str] = []
    for at, instead in islice(_instead(rows), _TRIED):
        codes = ("\n".join([*rows[:at], row.ljust(len(rows[at])), *rows[at + 1 :]]) for row in instead)
        mended += [code for code in codes if fault(code) is None][:1]
    return mended[0] if len(mended) == 1 else None


def with_end(statement: Statement) -> str | None:
    """Its code with the brackets closed that its first row opens, where whole elements stand below; None of any other."""
    code = statement.code.rstrip()
    first, _, rest = code.partition("\n")
    if not code.endswith(",") or not rest or code.count("\n") > _LONGEST:
        return None
    closers = _left_open(code)
    if not closers or closers != _left_open(first) or fault(code + closers) is not None:
        return None
    return code + closers + "\n" * (statement.code.count("\n") - code.count("\n"))


def with_comma(row: str, below: str) -> str | None:
    """A row with a comma at its end, if it has none although the next element stands below; else None."""
    code, sign, comment = row.partition("#")
    end = code.rstrip()
    if not end or end.endswith((",", "(", "[", "{", "\\")) or indent_of(below)[0] != indent_of(row)[0]:
        return None
    if _CLOSES.match(below.strip()) or (sign and len(end) == len(code)):
        return None
    return f"{end},{code[len(end) + 1 :]}{sign}{comment}"


def _instead(rows: list[str]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The rows between the first and the last that may be what is wrong, and what may stand there.

    A row that goes on further to the right is no element by itself; one that closes a bracket lacks a comma at most.
    """
    for at in range(1, len(rows) - 1):
        row, text = rows[at], rows[at].strip()
        below = next((other for other in rows[at + 1 :] if not is_empty(other)), "")
        if is_empty(row) or _GOES_ON.match(text) or indent_of(below)[0] > indent_of(row)[0]:
            continue
        whole = with_comma(row, below)
        key = _KEY.match(text)
        if _CLOSES.match(text) or (
            _is_element(text) and not _MAY_GO_ON.fullmatch(text[key.end() :] if key else text)
        ):
            if whole is not None:
                yield at, (whole,)
        elif whole is not None or not _is_element(text):
            start = row[: len(row) - len(row.lstrip())] + (key[0] if key else "")
            yield at, (f"{start}_,",) if key else (f"{start}_,", "")


def _is_element(text: str) -> bool:
    return fault(f"_(\n{text}\n)") is None or fault(f"_({{\n{text}\n}})") is None


def _left_open(code: str) -> str:
    """What closes the brackets that are open at the end of a code."""
    closers = ""
    for match in _BRACKET.finditer(code):
        if match[0] in _CLOSER:
            closers = _CLOSER[match[0]] + closers
        elif closers and match[0] == closers[0]:
            closers = closers[1:]
    return closers
