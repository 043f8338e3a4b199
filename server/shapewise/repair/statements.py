"""Text to statements: where each begins and ends, even if brackets or quotes are left open."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from functools import lru_cache

from ..parsing import parse

_TOKEN = re.compile(r"""'{3}|"{3}|['"#()\[\]{}]|\\$""")
_STRING_END = {quote: re.compile(rf"(?:[^\\]|\\.)*?{quote}") for quote in ("'", '"', "'''", '"""')}
_OPENER = {")": "(", "]": "[", "}": "{"}
_WORD = re.compile(r"@|\w+")
_WHERE = re.compile(r" \(detected at line \d+\)| on line \d+")

# Words that never stand in the middle of an expression: a row that begins with one begins a statement.
_FIRST = re.compile(
    r"(?:def|class|return|import|while|with|try|except|finally|raise|assert|del|pass|break|continue|global|nonlocal|elif)\b"
    r"|from\s+[\w.]+\s+import\b|@\w"
)
# Characters that never begin one: a row that begins with them goes on with the row above.
_ONWARD = re.compile(r"[#)\]}.,:=/%|&^<>!]|->|(?:and|or|in|is)\b")
# A row in the midst of parameters: `a: int = 1,`, `a=1)`; with spaces around the sign it is a statement.
_PARAMETER = re.compile(r"\s*(?:\*{0,2}[^\W\d]\w*(?:\s*(?:[:,)]|$)|=(?=\S))|[*/)\]}#-]|$)")
CONFLICT = re.compile(r"<{7}|={7}|>{7}|\|{7}")
_BARE_STRING = re.compile(r"""[rRuUbBfF]{0,2}(?:'{3}|"{3})""")
_DEFINES = re.compile(r"\s*(?:(?:async\s+)?def\s+\w+\s*\(|class\s+\w+\s*[(:]|@\w)")
DEFINITIONS = frozenset({"def", "class"})
CLAUSES = frozenset({"elif", "else", "except", "finally", "case"})
HEADERS = CLAUSES | DEFINITIONS | {"if", "for", "while", "with", "try", "match"}

# What must stand around a row for it to be parsed alone: before it, and after it if it opens a suite.
_BEFORE = {
    "elif": "if _: pass\n",
    "else": "if _: pass\n",
    "except": "try: pass\n",
    "finally": "try: pass\n",
    "case": "match _:\n ",
}
_SUITE = {
    "match": "\n case _: pass",
    "case": "\n  pass",
    "@": "\ndef _(): pass",
    "try": "\n pass\nfinally: pass",
}

# How many rows all scans together may read beyond the statement that they settle for.
_PATIENCE = 6_000


@dataclass(frozen=True, slots=True)
class Fault:
    """Python's own complaint."""

    message: str
    line: int


@dataclass(eq=False, slots=True)
class Statement:
    """Rows `first` to `end` (from 0, end exclusive). `opens`: a header whose suite stands below it.

    `code` has no leading indentation; `word` is the first word (of `async def`, the second).
    """

    first: int
    end: int
    column: int
    end_column: int
    indent: tuple[int, int]
    code: str
    word: str
    fault: Fault | None
    opens: bool


def fault(text: str) -> Fault | None:
    """Why `ast.parse` refuses the text, if it does."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parse(text)
    except SyntaxError as error:
        return Fault(_WHERE.sub("", error.msg or "invalid syntax"), error.lineno or 1)
    except (ValueError, RecursionError, MemoryError) as error:
        return Fault(str(error) or "too deeply nested", 1)
    return None


@lru_cache(maxsize=16384)
def judge(code: str, word: str) -> tuple[Fault | None, bool]:
    """What is wrong with a statement that stands alone, and whether it opens a suite."""
    if word not in HEADERS and word != "@":
        return fault(code), False
    before = _BEFORE.get(word, "")
    if fault(before + code + _SUITE.get(word, "\n pass")) is None:
        return None, word != "@"
    return fault(before + code), False


def indent_of(row: str) -> tuple[int, int]:
    """The indentation as Python measures it: with tabs of eight columns, and with tabs of one."""
    wide = narrow = 0
    for character in row:
        if character == " ":
            wide, narrow = wide + 1, narrow + 1
        elif character == "\t":
            wide, narrow = (wide // 8 + 1) * 8, narrow + 1
        elif character == "\f":
            wide = narrow = 0
        else:
            break
    return wide, narrow


def is_empty(row: str) -> bool:
    """Nothing but white space or a comment."""
    code = row.lstrip(" \t\f")
    return not code or code.startswith("#")


def read_statements(rows: list[str]) -> list[Statement]:
    """All statements in order."""
    reader = _Reader(rows)
    statements: list[Statement] = []
    row = 0
    while row < len(rows):
        if is_empty(rows[row]):
            row += 1
            continue
        statements.append(reader.read(row))
        row = statements[-1].end
    return statements


@dataclass(slots=True)
class _Extent:
    """How far a statement goes. `closed`: brackets and quotes match; `cut`: where a quote seems to be lost."""

    end: int
    closed: bool
    cut: int | None


class _Reader:
    def __init__(self, rows: list[str]) -> None:
        self.rows = rows
        self.patience = _PATIENCE

    def read(self, first: int) -> Statement:
        """The statement that begins in this row."""
        whole = self._extent(first, guess=self.patience <= 0)
        statement = self._statement(first, whole.end)
        if statement.fault is None and not self._swallows(statement):
            return statement
        guess = self._extent(first, guess=True)
        end = guess.end
        if statement.fault is None:
            end = first + 1
        elif statement.word in HEADERS and not guess.closed:
            end = self._header_end(first, end, statement.word)
        elif guess.cut is not None:
            end = guess.cut
        self.patience -= whole.end - end
        return statement if end == whole.end else self._statement(first, end)

    def _swallows(self, statement: Statement) -> bool:
        """A bare string with definitions in it: where a quote is lost, inside and outside change places."""
        if statement.end <= statement.first + 2 or not _BARE_STRING.match(statement.code):
            return False
        inside = self.rows[statement.first + 1 : statement.end - 1]
        indents = [indent_of(row)[0] for row in inside if _DEFINES.match(row)]
        if not indents or min(indents) > statement.indent[0]:
            return False
        if min(indents) < statement.indent[0]:
            return True
        following = next(
            (row for row in range(statement.end, len(self.rows)) if not is_empty(self.rows[row])), None
        )
        return (
            following is None
            or self._statement(following, self._extent(following, True).end).fault is not None
        )

    def _statement(self, first: int, end: int) -> Statement:
        while end > first + 1 and is_empty(self.rows[end - 1]):
            end -= 1
        text = "\n".join(self.rows[first:end])
        code = text.lstrip(" \t\f")
        word = _WORD.match(code)
        name = word[0] if word else ""
        if name == "async" and (second := _WORD.search(code, 5)):
            name = second[0]
        wrong, opens = judge(code, name)
        column = len(self.rows[first]) - len(self.rows[first].lstrip(" \t\f"))
        end_column = len(self.rows[end - 1].rstrip())
        return Statement(
            first, end, column, end_column, indent_of(self.rows[first]), code, name, wrong, opens
        )

    def _extent(self, first: int, guess: bool) -> _Extent:
        """Follow brackets and quotes. With `guess`, a row that looks like a new statement ends it."""
        open_brackets: list[str] = []
        quote, quoted_in = "", first
        cut: int | None = None
        base = indent_of(self.rows[first])[0]
        row = first
        while row < len(self.rows):
            text, position, continued = self.rows[row], 0, False
            if guess and row > first and not quote and _begins(text, base):
                return _Extent(row, False, cut)
            while True:
                if quote:
                    end = _STRING_END[quote].match(text, position)
                    if end is None:
                        if len(quote) == 1 and not text.endswith("\\"):
                            quote = ""
                        break
                    position = end.end()
                    # text right behind the end of a string of many rows: it was rather the begin of another
                    if (
                        cut is None
                        and len(quote) == 3
                        and row > quoted_in
                        and text[position : position + 1].isalnum()
                    ):
                        cut = quoted_in + 1
                    quote = ""
                token = _TOKEN.search(text, position)
                if token is None or token[0] == "#":
                    break
                position = token.end()
                if token[0] in _OPENER:
                    opener = _OPENER[token[0]]
                    while opener in open_brackets and open_brackets.pop() != opener:
                        pass
                elif token[0] in "([{":
                    open_brackets.append(token[0])
                elif token[0] == "\\":
                    continued = True
                else:
                    quote, quoted_in = token[0], row
            row += 1
            if not (open_brackets or quote or continued):
                return _Extent(row, True, cut)
        return _Extent(row, False, quoted_in + 1 if len(quote) == 3 and cut is None else cut)

    def _header_end(self, first: int, end: int, word: str) -> int:
        """Where a header whose brackets do not match ends and its suite begins."""
        for row in range(first, end):
            code = self.rows[row].partition("#")[0].rstrip()
            if code.endswith(":"):
                return row + 1
            goes_on = row + 1 < end and _ONWARD.match(self.rows[row + 1].lstrip())
            if not goes_on and not code.endswith((",", "(", "[", "{", "\\")):
                return row + 1
            if word == "def" and row + 1 < end and not _PARAMETER.match(self.rows[row + 1]):
                return row + 1
        return end


def _begins(text: str, base: int) -> bool:
    """Whether a row inside brackets looks like the begin of a statement."""
    code = text.lstrip(" \t\f")
    if CONFLICT.match(code):
        return True
    if not code or _ONWARD.match(code):
        return False
    return _FIRST.match(code) is not None or indent_of(text)[0] <= base
