"""Statements to blocks: every suite keeps its header, every header its suite, as far as there is room."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from .elements import with_end, with_unknown_element
from .headers import with_colon, with_unknown_parameters
from .names import bound_names
from .statements import CLAUSES, CONFLICT, DEFINITIONS, HEADERS, Statement, fault

_LOOKS_LIKE_HEADER = re.compile(r"[^#]*:\s*(?:#.*)?$|[^\W\d]\w*\s+[\w(]", re.S)
# What goes on with no statement above it.
_BEGINS = re.compile(r"(?!(?:if|else|for|and|or|not|in|is|await|lambda)\b)[^\W\d]")
_HANDLERS = ("except", "finally")
_DEPTH = 90  # Python itself allows 100 levels of indentation

# What stands in for a header that cannot be read. `_` is unknown there.
_STAND_INS = {
    "if": "if _:",
    "elif": "elif _:",
    "else": "else:",
    "for": "while _:",
    "while": "while _:",
    "with": "with _:",
    "try": "try:",
    "except": "except:",
    "finally": "finally:",
    "match": "match _:",
    "case": "case _:",
    "class": "class _:",
    "def": "def _():",
}
# Half a name may become the one without which torch refuses a module.
_MAY_BE = {f"def {'forward'[:count]}".strip(): ("forward",) for count in range(len("forward") + 1)}
# Which clauses may follow the suite of which header.
_NEXT = {
    "if": ("elif", "else"),
    "elif": ("elif", "else"),
    "for": ("else",),
    "while": ("else",),
    "try": ("except", "finally"),
    "except": ("except", "else", "finally"),
    "else of try": ("finally",),
}


@dataclass(slots=True)
class Wound:
    """Statements that were blanked together, and names that become unknown besides those they bind.

    `binds`: what they bind is unknown; else they stand, but for a part that is `_` now.
    """

    statements: list[Statement]
    message: str
    names: tuple[str, ...] = ()
    binds: bool = True


@dataclass(slots=True)
class Layout:
    """The rows as they are left, longer at most at their ends, and what was done to them."""

    rows: list[str]
    wounds: list[Wound] = field(default_factory=list)


def lay_out(rows: list[str], statements: list[Statement], gone: list[Statement]) -> Layout:
    """Blank what is broken, so that the blocks around it hold. `gone`: what is to leave no trace."""
    layout = Layout(list(rows))
    markers = [one for one in statements if one.fault is not None and CONFLICT.match(one.code)]
    work = _Work(layout, [one for one in statements if one not in markers])
    for statement in [*gone, *markers]:
        work.erase([statement], "invalid syntax")
    work.statements = [work.mended(index) for index in range(len(work.statements))]
    work.statements = work.without_intruders()
    index = 0
    while index < len(work.statements):  # a first line that is indented begins a block of its own
        index = work.block(index, (-1, -1), 0)
    return layout


class _Work:
    def __init__(self, layout: Layout, statements: list[Statement]) -> None:
        self.layout = layout
        self.statements = statements

    # ------------------------------------------------------------ blanking

    def erase(
        self, statements: list[Statement], message: str, stand_in: str = "", names: tuple[str, ...] = ()
    ) -> None:
        """Blank statements; the stand-in comes where the first of them began."""
        rows = self.layout.rows
        for statement in statements:
            for row in range(statement.first, statement.end):
                kept = statement.column if row == statement.first else 0
                rows[row] = rows[row][:kept] + " " * (len(rows[row]) - kept)
        if stand_in:
            first = statements[0]
            blank = rows[first.first]
            rows[first.first] = blank[: first.column] + stand_in + blank[first.column + len(stand_in) :]
        self.layout.wounds.append(Wound(statements, message, names))

    def write(self, statement: Statement, code: str) -> None:
        """Put other code in the place of a statement's, of as many rows."""
        rows = self.layout.rows
        for row, new in enumerate(code.split("\n"), statement.first):
            kept = rows[row][: statement.column] if row == statement.first else ""
            rows[row] = (kept + new).ljust(len(rows[row]))

    def mended(self, index: int) -> Statement:
        """The statement as it stands once what is not written yet of it is `_`, if that can be said; else the one that it was."""
        one = self.statements[index]
        if one.fault is None:
            return one
        names: tuple[str, ...] = ("_",)
        has_suite = index + 1 < len(self.statements) and self.statements[index + 1].indent[0] > one.indent[0]
        if one.word not in HEADERS:
            code = with_unknown_element(one) or with_end(one)
        elif (code := with_colon(one) if has_suite else None) is not None:
            names = ()
        else:
            code = with_unknown_parameters(one.code) if has_suite and one.word == "def" else None
        if code is None:
            return one
        self.write(one, code)
        self.layout.wounds.append(Wound([one], one.fault.message, names, binds=False))
        return replace(one, code=code, fault=None, opens=one.word in HEADERS)

    # ------------------------------------------------------------ before the blocks

    def without_intruders(self) -> list[Statement]:
        """The statements without those that stand too far left in the midst of a block, or above it (a paste)."""
        kept: list[Statement] = []
        levels: list[int] = []
        index = 0
        while index < len(self.statements):
            one = self.statements[index]
            head = kept[-1] if kept and kept[-1].opens else None
            lacks = head is not None and one.indent[0] <= head.indent[0]
            left = bool(levels) and one.indent[0] < levels[-1]
            run = self._run(index) if left or lacks else index + 1
            following = self.statements[run].indent[0] if run < len(self.statements) else -1
            intrudes = head is not None and lacks and following > head.indent[0]
            if not intrudes and left and one.indent[0] < following in levels:
                stray = run
                while stray < len(self.statements) and self.statements[stray].indent[0] > one.indent[0]:
                    stray += 1
                whole = sum(statement.fault is None for statement in self.statements[index:run])
                returns = any(rest.word == "return" for rest in self.statements[run:stray])
                intrudes = whole < stray - run or returns
            if intrudes:
                for statement in self.statements[index:run]:
                    message = statement.fault.message if statement.fault else "unexpected unindent"
                    self.erase([statement], message)
                index = run
                continue
            while levels and levels[-1] > one.indent[0]:
                levels.pop()
            if not levels or levels[-1] < one.indent[0]:
                levels.append(one.indent[0])
            kept.append(one)
            index += 1
        return kept

    def _run(self, index: int) -> int:
        """The end of the row of statements of this indentation that open no suite."""
        indent = self.statements[index].indent
        while index < len(self.statements) and self.statements[index].indent == indent:
            one = self.statements[index]
            like_header = one.fault and (one.word in HEADERS or _LOOKS_LIKE_HEADER.match(one.code))
            if one.opens or one.word == "@" or like_header:
                break
            index += 1
        return index

    # ------------------------------------------------------------ blocks

    def block(self, index: int, parent: tuple[int, int], depth: int) -> int:
        """Lay out the block that begins here; the index behind it."""
        statements = self.statements
        level = statements[index].indent
        if depth > _DEPTH or level[1] <= parent[1]:
            end = self.end_of_suite(index, parent)
            self.erase(statements[index:end], "inconsistent indentation", "0")
            return end
        before: Statement | None = None
        while index < len(statements) and statements[index].indent[0] > parent[0]:
            one = statements[index]
            if one.indent != level:
                if one.indent[0] < level[0] and parent == (-1, -1):
                    return index
                self.stray(one, before)
                index += 1
                continue
            before = one
            if one.word == "@":
                index = self.decorator(index)
            elif one.word in CLAUSES:
                index = self.orphan(index, depth)
            elif one.opens or one.fault is not None or one.word in HEADERS:
                index = self.compound(index, depth)
            else:
                index += 1
        return index

    def stray(self, one: Statement, before: Statement | None) -> None:
        """A statement indented without a reason: perhaps the rest of the one above it."""
        may_be_rest = before is not None and not before.opens and (one.fault or not _BEGINS.match(one.code))
        names = tuple(bound_names(before.code)) if before is not None and may_be_rest else ()
        self.erase([one], one.fault.message if one.fault else "unexpected indent", names=names)

    def fill(self, index: int, depth: int) -> None:
        """Lay out the suite of the header at this index."""
        if self.statements[index].word == "match":
            self.cases(index, depth + 1)
        else:
            self.block(index + 1, self.statements[index].indent, depth + 1)

    def cases(self, index: int, depth: int) -> None:
        """The suite of a `match`: nothing but cases, and at least one."""
        head = self.statements[index]
        end = self.end_of_suite(index + 1, head.indent)
        level = self.statements[index + 1].indent
        kept = False
        index += 1
        while index < end:
            one = self.statements[index]
            if one.word == "case" and one.indent == level:
                index = self._suite(index, depth, _STAND_INS["case"], "", clause=True)
                kept = kept or self.stands(one)
            else:
                self.erase([one], one.fault.message if one.fault else "expected 'case'")
                index += 1
        if not kept:
            self.erase([head], "expected 'case'", "0")

    def decorator(self, index: int) -> int:
        """A decorator stays only above a function or class."""
        one = self.statements[index]
        following = self.statements[index + 1] if index + 1 < len(self.statements) else None
        decorates = (
            following is not None and following.indent == one.indent and following.word in (*DEFINITIONS, "@")
        )
        if one.fault is not None and following is not None and decorates:
            self.erase([one], one.fault.message)  # until it is typed, what is below is as without it
        elif not decorates:
            self.erase([one], one.fault.message if one.fault else "a decorator without a function", "0")
        return index + 1

    def orphan(self, index: int, depth: int) -> int:
        """An `else` without an `if`: its suite may still be read."""
        one = self.statements[index]
        return self._suite(index, depth, "if _:", f"'{one.word}' without what it belongs to", force=True)

    def compound(self, index: int, depth: int) -> int:
        """A statement with its suite and the clauses that belong to it."""
        head = self.statements[index]
        stand_in = _STAND_INS.get(head.word, "if _:")
        begin = index
        index = self._suite(index, depth, stand_in, "")
        handled = head.word != "try"
        suite_end = index
        last = head.word
        while index < len(self.statements):
            clause = self.statements[index]
            if clause.indent != head.indent or clause.word not in _NEXT.get(last, ()):
                break
            index = self._suite(index, depth, _STAND_INS[clause.word], "", clause=True)
            if self.stands(clause):
                handled = handled or clause.word in _HANDLERS
                last = "else of try" if clause.word == "else" and head.word == "try" else clause.word
        if not handled and head.fault is None and suite_end > begin + 1:
            self.erase(
                [head], "expected 'except' or 'finally' block", "if 1:"
            )  # its handlers are not written yet
        return index

    def _suite(
        self,
        index: int,
        depth: int,
        stand_in: str,
        message: str,
        clause: bool = False,
        force: bool = False,
    ) -> int:
        """A header with its suite: kept, replaced by a stand-in, or blanked together."""
        one = self.statements[index]
        end = self.end_of_suite(index + 1, one.indent)
        has_suite = end > index + 1
        message = one.fault.message if one.fault else message
        if one.fault is None and not force:
            if has_suite and one.opens:
                self.fill(index, depth)
                return end
            if one.opens:
                self._erase_alone(one, f"an indented block is missing after '{one.word}'", clause)
            return index + 1  # its suite stands on the same row; what is indented below is stray
        if not has_suite:
            self._erase_alone(one, message, clause)
            return index + 1
        if one.word in ("def", "class") and self._keep_head(one, message):
            self.block(index + 1, one.indent, depth + 1)
            return end
        opens = one.word in HEADERS or _LOOKS_LIKE_HEADER.match(one.code)
        if opens:
            self.erase([one], message, stand_in, ("_", *_MAY_BE.get(one.code.strip(), ())))
            self.fill(index, depth)
            return end
        self.erase([one], message, "" if clause else "0")
        return index + 1

    def _erase_alone(self, one: Statement, message: str, clause: bool) -> None:
        """Blank a statement without a suite; what leaves a function still leaves it, with nobody knows what."""
        handler = f"{one.word}:0"
        if clause:
            self.erase([one], message, handler if one.word in _HANDLERS else "")
        elif one.word in ("return", "yield"):
            self.erase([one], message, f"{one.word} _", ("_",))
        else:
            self.erase([one], message, "0")

    def stands(self, one: Statement) -> bool:
        """Whether anything is left in the place of a statement."""
        return not self.layout.rows[one.first][one.column :].isspace()

    def _keep_head(self, one: Statement, message: str) -> bool:
        """Keep the name of a broken `def` or `class`, and of its parameters as many as can be read."""
        code = one.code.rstrip()
        close = "):" if one.word == "def" else ":"
        cuts = [match.end() for match in re.finditer(r"[(,]", code)] if one.word == "def" else []
        if one.word == "class" and (name := re.match(r"class\s+\w+", code)):
            cuts = [name.end()]
        for cut in reversed(cuts):
            blank = re.sub(r"[^\n]", " ", code[cut : max(cut, len(code) - len(close))])
            head = code[:cut] + blank + close
            if head.count("\n") == code.count("\n") and fault(head + "\n pass") is None:
                self.erase(
                    [one],
                    message,
                    names=tuple(re.findall(r"\w+", code[cut:])[:8]) if one.word == "def" else (),
                )
                self.write(one, head)
                return True
        return False

    def end_of_suite(self, index: int, indent: tuple[int, int]) -> int:
        """The index behind all that is indented deeper."""
        while index < len(self.statements) and self.statements[index].indent[0] > indent[0]:
            index += 1
        return index
