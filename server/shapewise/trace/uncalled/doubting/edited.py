"""A definition that was edited since all that may be given was tried: what the edit does not touch, options decide as they did.

The way of a function's values is followed in order. A statement that hangs on an option by what it reads, and is
neither edited nor given anything else than before, binds what it bound whatever was given then: where that is
alike but for some dims, what is made of it now is known but for these.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any, NamedTuple

from ....vocabulary.events import Bound, Event, Frame, Group, Other, Tensor, Unknown, Value
from ..memory import Entry

Doubts = frozenset[str]
"""The words and numbers of sizes that are others with some option; `ALL`, if nothing is known."""
ALL: Doubts = frozenset("*")
NONE: Doubts = frozenset()
LAYOUT: Doubts = frozenset("~")
"""No size, but how it lies in memory."""
_LAYOUT = ("stride", "contiguous", "offset", "requires_grad", "leaf")

_PLAIN = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Pass)
_COMPOUND = (ast.If, ast.While, ast.For, ast.AsyncFor, ast.Try, ast.With, ast.AsyncWith)
_WORDS = re.compile(r"\w+")


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
        return NONE.union(*(_unlike(self._now[place], self._was[place]) for place in places))


def in_doubt(value: Value, doubts: Doubts) -> Value:
    """A value without the sizes that are in doubt; how it lies in memory then is not known either."""
    if isinstance(value, Group):
        return replace(value, items=tuple(in_doubt(one, doubts) for one in value.items))
    if isinstance(value, Tensor):
        shape = tuple(None if _is_in_doubt(dim, doubts) else dim for dim in value.shape)
        unlaid = replace(value, stride=None, contiguous=None, offset=None, requires_grad=None, leaf=None)
        return replace(unlaid, shape=shape, names=None, over_calls=None)
    if isinstance(value, Other) and _is_in_doubt(value.text, doubts):
        return replace(value, text="")
    return value


def _is_in_doubt(size: Any, doubts: Doubts) -> bool:
    """Whether a size may be of those; of a number in doubt any other may be made."""
    words = _words(size)
    return not doubts.isdisjoint(words) or (any(map(str.isdigit, words)) and any(map(str.isdigit, doubts)))


def _unlike(now: list[Value], was: list[Value]) -> Doubts:
    """The sizes of what is told now that were others with some option; all, where it was something else altogether."""
    found = NONE
    for one in now:
        if not any(_fits(one, other) for other in was):
            return ALL  # the edit has come as far
        for other in was:
            found |= _difference(one, other)
    return found


def _fits(one: Value, other: Value) -> bool:
    """Whether a value is what was told, of which less may have been known."""
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        alike = (len(one.shape), one.dtype, one.device) == (len(other.shape), other.dtype, other.device)
        return alike and all(there in (dim, None) for dim, there in zip(one.shape, other.shape))
    if isinstance(one, Group) and isinstance(other, Group):
        alike = (one.kind, one.keys, len(one.items)) == (other.kind, other.keys, len(other.items))
        return alike and all(map(_fits, one.items, other.items))
    return _difference(one, other) == NONE


def _difference(one: Value, other: Value) -> Doubts:
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        if (len(one.shape), one.dtype, one.device) != (len(other.shape), other.dtype, other.device):
            return ALL
        unlike = [dim for dim, there in zip(one.shape, other.shape) if dim != there]
        if 1 in unlike or one.dtype is None:
            return ALL  # of a 1 nothing may be left: what is broadcast
        laid = all(getattr(one, name) == getattr(other, name) for name in _LAYOUT)
        return frozenset(word for dim in unlike for word in _words(dim)) | (NONE if laid else LAYOUT)
    if isinstance(one, Group) and isinstance(other, Group):
        if (one.kind, one.keys, len(one.items)) == (other.kind, other.keys, len(other.items)):
            return NONE.union(*map(_difference, one.items, other.items))
    if isinstance(one, Other) and isinstance(other, Other) and one.type == other.type == "int":
        return NONE if one.text == other.text else frozenset(_words(one.text)) or ALL
    return ALL


def _words(size: Any) -> list[str]:
    return [] if size is None else _WORDS.findall(str(size))


# ------------------------------------------------------------ the way of the values

Way = dict[str, Doubts]
"""By name, what of it is in doubt."""
Reads = Callable[[ast.AST, Mapping[str, Doubts]], Doubts]


class ByLine(NamedTuple):
    """By line of a function, what is in doubt of the names that it binds, and of what it reads and makes on the way."""

    bound: dict[int, Doubts]
    rest: dict[int, Doubts]

    def of(self, event: Event) -> Doubts:
        """What of an event is."""
        is_bound = isinstance(event, Bound) and event.kind in ("binding", "return")
        return (self.bound if is_bound else self.rest).get(event.span.line, NONE)


def doubts_by_line(
    node: ast.FunctionDef, given: Way, reads: Reads, before: Before, bound: Callable[[ast.stmt], Doubts]
) -> ByLine:
    """What of a function hangs on what may be given.

    `given`: of its parameters; `reads`: of what a node reads, given that of the names; `bound`: of what a
    statement binds, as it did before.
    """
    walk = _Walk(reads, before, bound)
    walk.block(node.body, dict(given), set(), NONE)
    return ByLine(walk.bound, walk.rest)


class _Walk:
    """One function, statement by statement; loops until nothing is new."""

    def __init__(self, reads: Reads, before: Before, bound: Callable[[ast.stmt], Doubts]) -> None:
        self._reads, self._before, self._told_before = reads, before, bound
        self.bound: dict[int, Doubts] = {}
        self.rest: dict[int, Doubts] = {}

    def block(self, body: list[ast.stmt], way: Way, touched: set[str], under: Doubts) -> None:
        """Follow some statements. `touched`: names that are not what they were; `under`: what decides whether they are reached."""
        for one in body:
            follow = self._compound if isinstance(one, _COMPOUND) else self._statement
            follow(one, way, touched, under)

    def _compound(self, node: Any, way: Way, touched: set[str], under: Doubts) -> None:
        items = getattr(node, "items", ())
        heads = [getattr(node, part) for part in ("test", "iter") if hasattr(node, part)]
        heads += [item.context_expr for item in items]
        targets = [node.target] if hasattr(node, "target") else []
        targets += [item.optional_vars for item in items if item.optional_vars is not None]
        bodies = [getattr(node, part, []) for part in ("body", "orelse", "finalbody")]
        bodies += [handler.body for handler in getattr(node, "handlers", ())]
        known: Any = None
        while known != (known := (dict(way), set(touched))):
            doubts = NONE.union(*(self._reads(head, way) for head in heads))
            inner = under if not doubts or items else ALL
            for target in targets:
                self._bind(node, target, way, touched, doubts and ALL, False)
            if targets and doubts:
                self._doubt(node.lineno, node.lineno, ALL, ALL)
            for body in bodies:
                branch, there = dict(way), set(touched)
                self.block(body, branch, there, inner)
                touched |= there
                for name, more in branch.items():
                    way[name] = way.get(name, NONE) | more

    def _statement(self, node: ast.stmt, way: Way, touched: set[str], under: Doubts) -> None:
        is_edited = self._before.touches(node)
        read = list(_read_by(node))
        doubts = under.union(*(self._reads(one, way) for one in read))
        is_given_else = is_edited or any(_reads_any(one, touched) for one in read)
        on_the_way = doubts
        if doubts and not under and not is_given_else:
            doubts = self._told_before(node)
        self._doubt(node.lineno, node.end_lineno or node.lineno, doubts, on_the_way)
        if is_edited:
            for name in _done_to(node):  # in place, it may be
                touched.add(name)
                way[name] = way.get(name, NONE) | doubts
        self._bind(node, node, way, touched, doubts, not under, is_given_else)

    @staticmethod
    def _bind(
        node: ast.stmt,
        target: ast.AST,
        way: Way,
        touched: set[str],
        doubts: Doubts,
        anew: bool,
        is_given_else: bool = False,
    ) -> None:
        """Names are bound; `anew`: whatever they were."""
        names = _stored(target)
        if target is node and isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        for name in names:
            way[name] = doubts if anew else way.get(name, NONE) | doubts
        if is_given_else:
            touched |= names
        elif anew:
            touched -= names

    def _doubt(self, first: int, last: int, bound: Doubts, rest: Doubts) -> None:
        for lines, doubts in ((self.bound, bound), (self.rest, rest)):
            for line in range(first, last + 1) if doubts else ():
                lines[line] = lines.get(line, NONE) | doubts


def _stored(node: ast.AST) -> set[str]:
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
    return _stored(node) | attributes | given_back or {""}


def _read_by(node: ast.stmt) -> Iterator[ast.AST]:
    """What a statement reads: not the names that it binds."""
    targets = node.targets if isinstance(node, ast.Assign) else []
    targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
    yield from (one for one in ast.iter_child_nodes(node) if one not in targets)
    for target in targets:
        yield from (one for one in ast.walk(target) if isinstance(one, (ast.Attribute, ast.Subscript)))


def _reads_any(node: ast.AST, names: set[str]) -> bool:
    return any(isinstance(one, ast.Name) and one.id in names for one in ast.walk(node))


def _done_to(node: ast.stmt) -> set[str]:
    """The names of what a statement may change in place: all of one that stands by itself, what `name_` is called on, the base of a target."""
    parts: list[ast.AST] = [node] if isinstance(node, ast.Expr) else []
    for one in ast.walk(node):
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr.endswith("_"):
            parts.append(one.func.value)
        elif isinstance(one, (ast.Subscript, ast.Attribute)) and not isinstance(one.ctx, ast.Load):
            parts.append(one.value)
    return {one.id for part in parts for one in ast.walk(part) if isinstance(one, ast.Name)}


# ------------------------------------------------------------ what was edited


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
