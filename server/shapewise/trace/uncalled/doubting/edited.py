"""A definition that was edited since all that may be given was tried: what the edit does not touch, options decide as they did.

The way of a function's values is followed in order. A statement that hangs on an option by what it reads, and is
neither edited nor given anything else than before, binds what it bound whatever was given then: where that is
alike but for some dims, what is made of it now is known but for these.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from ....vocabulary.events import Bound, Event, Frame, Unknown, Value
from ..memory import Entry
from .in_doubt import ALL, LAYOUT, NONE, Doubts, unlike

_PLAIN = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Pass)


@dataclass(frozen=True)
class Edit:
    """Of the lines of a text, from 0, those that are not as they were: `first` to `end`, and how many more there are."""

    first: int
    end: int
    more: int

    @staticmethod
    def of(old: str, new: str) -> Edit:
        """What has to be replaced in the old text to make it the new one."""
        then, now = old.split("\n"), new.split("\n")
        above = _alike(zip(then, now))
        most = min(len(then), len(now)) - above
        below = _alike(zip(then[::-1][:most], now[::-1]))
        return Edit(above, len(now) - below, len(now) - len(then))

    def of_old(self) -> Edit:
        """The same, of the lines of the old text."""
        return Edit(self.first, self.end - self.more, -self.more)

    def touches(self, first: int, last: int) -> bool:
        """Whether lines of the new text hold any of it."""
        return first < self.end and last >= self.first

    def since(self, line: int) -> int | None:
        """Where a line of the old text stands in the new one; None if it was edited."""
        if line < self.first:
            return line
        return line + self.more if line + self.more >= self.end else None


def _alike(pairs: Iterator[tuple[str, str]]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


class Before:
    """What a definition told whatever was given, before it was edited."""

    def __init__(self, name: str, entries: Sequence[Entry], key: Any, text: str, first: int) -> None:
        """`entries`: all that was written down then; `key`, `text` and `first` line: as they are now."""
        self._first, self._entries = first, entries
        then = entries[0].extents[name]
        self._then = then.first
        self._edit = Edit.of(then.text, text)
        is_plain = _are_plain(then.text, self._edit.of_old()) and _are_plain(text, self._edit)
        self.holds = is_plain and all(_only_this_is_edited(name, one.key, key) for one in entries)

    def is_of(self, key: Any) -> bool:
        """Whether it is of the text that this decided about."""
        return bool(self._entries[0].key == key)

    def touches(self, node: ast.stmt) -> bool:
        """Whether a statement was edited."""
        return self._edit.touches(*self._lines(node))

    def is_within(self, node: ast.stmt) -> bool:
        """Whether all that was edited stands below the head of this."""
        first, last = self._lines(node)
        return first < self._edit.first <= last + 1 and self._edit.end <= last + 1

    def doubts(self, scope: str, events: Sequence[Event], frames: Sequence[Frame]) -> BoundBefore:
        """What of the names that a function binds is otherwise with something else given. `events`: what is told now."""
        was: Told = defaultdict(list)
        now: Told = defaultdict(list)
        for entry in self._entries:
            scopes = {frame.id for frame in entry.frames if frame.scope == scope}
            for event in entry.events:
                line = self._edit.since(event.span.line - self._then)
                if isinstance(event, Bound) and event.frame in scopes and line is not None:
                    was[event.name, line].append(Unknown("") if event.others else event.value)
        for event in events:
            if isinstance(event, Bound) and frames[event.frame].scope == scope:
                now[event.name, event.span.line - self._first].append(event.value)
        return BoundBefore(self._lines, was, now)

    def _lines(self, node: ast.stmt) -> tuple[int, int]:
        return node.lineno - self._first, (node.end_lineno or node.lineno) - self._first


Told = dict[tuple[str, int], list[Value]]
"""By name and line of the definition, what was bound there."""


class BoundBefore:
    """What a function bound whatever was given, beside what it binds now."""

    def __init__(self, lines: Callable[[Any], tuple[int, int]], was: Told, now: Told) -> None:
        self._lines, self._was, self._now = lines, was, now

    def of_statement(self, node: ast.stmt) -> Doubts:
        """What is in doubt of all names that a statement binds that was not edited."""
        first, last = self._lines(node)
        return NONE.union(*(self._of(name, first, last) for name in _bound_by(node)))

    def of_parameter(self, name: str, node: ast.FunctionDef) -> Doubts:
        """The same of a parameter; how that lies in memory, nobody knows."""
        first, _ = self._lines(node)
        last, _ = self._lines(node.body[0])
        return self._of(name, first, last) | LAYOUT

    def _of(self, name: str, first: int, last: int) -> Doubts:
        places = [(name, line) for line in range(first, last + 1) if (name, line) in self._was]
        if not places or any(place not in self._now for place in places):
            return ALL
        return NONE.union(*(unlike(self._now[place], self._was[place]) for place in places))


def stored(node: ast.AST) -> set[str]:
    """The names that are bound within something."""
    return {
        one.id for one in ast.walk(node) if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load)
    }


def _bound_by(node: ast.stmt) -> set[str]:
    """The names that a statement binds, those of attributes of self among them, as events have them."""
    attributes = {
        ast.unparse(one)
        for one in ast.walk(node)
        if isinstance(one, ast.Attribute) and not isinstance(one.ctx, ast.Load)
    }
    given_back = {"<return>"} if isinstance(node, ast.Return) else set()
    return stored(node) | attributes | given_back or {""}


def _only_this_is_edited(name: str, then: Any, now: Any) -> bool:
    """Whether all else that decides about a definition is as it was; what it did not use before may have come."""
    (texts, between, outside, around), (new, *others, beside) = then, now
    left = {one for one in texts if one[0] != name}
    return left <= set(new) and others == [between, outside] and set(around) <= set(beside)


def _are_plain(text: str, edit: Edit) -> bool:
    """Whether the lines of an edit hold nothing but statements that bind names, or are done for what they do."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return False
    touched = [
        one
        for one in ast.walk(tree)
        if isinstance(one, ast.stmt) and edit.touches(one.lineno - 1, _last_of_head(one) - 1)
    ]
    return all(isinstance(one, _PLAIN) and not any(map(_goes_elsewhere, ast.walk(one))) for one in touched)


def _last_of_head(node: ast.stmt) -> int:
    """The last line of a statement before the body that it may have."""
    body: list[ast.stmt] = getattr(node, "body", [])
    return body[0].lineno - 1 if body else node.end_lineno or node.lineno


def _goes_elsewhere(node: ast.AST) -> bool:
    return isinstance(node, (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr))
