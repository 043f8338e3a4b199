"""A call or a list over several rows in which one is being written: the others stay, and that one is `_`."""

from __future__ import annotations

import re

from .statements import Statement, fault, indent_of, is_empty

_KEY = re.compile(r"""[^\W\d]\w*\s*=(?!=)|(?:'[^'\\\n]*'|"[^"\\\n]*"|[^\W\d]\w*|\d+)\s*:""")
_CLOSES = re.compile(r"[)\]}]")
_TRIED = 12
_LONGEST = 400  # rows; more is data


def with_unknown_element(statement: Statement) -> str | None:
    """Its code with `_` in the place of the row that does not parse; None if that does not mend it, or another might.

    A row that goes on further to the right is no element by itself, nor is one that closes a bracket.
    """
    rows = statement.code.split("\n")
    if not 2 < len(rows) <= _LONGEST:
        return None
    mended: list[str] = []
    for at in _suspects(rows)[:_TRIED]:
        row = rows[at]
        key = _KEY.match(row.lstrip())
        made = f"{row[: len(row) - len(row.lstrip())]}{key[0] if key else ''}_,"
        code = "\n".join([*rows[:at], made.ljust(len(row)), *rows[at + 1 :]])
        if fault(code) is None:
            mended.append(code)
    return mended[0] if len(mended) == 1 else None


def _suspects(rows: list[str]) -> list[int]:
    """The rows between the first and the last that are elements of their own, and do not parse as such."""
    found = []
    for at in range(1, len(rows) - 1):
        text = rows[at].strip()
        below = next((row for row in rows[at + 1 :] if not is_empty(row)), "")
        if is_empty(rows[at]) or _CLOSES.match(text) or indent_of(below)[0] > indent_of(rows[at])[0]:
            continue
        if fault(f"_(\n{text}\n)") is not None and fault(f"_({{\n{text}\n}})") is not None:
            found.append(at)
    return found
