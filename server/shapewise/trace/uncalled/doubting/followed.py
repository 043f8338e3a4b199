"""The way of a function's values, statement by statement: what is in doubt of each line."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from ....vocabulary.events import Bound, Event
from .edited import Before, stored
from .in_doubt import ALL, NONE, Doubts

_COMPOUND = (ast.If, ast.While, ast.For, ast.AsyncFor, ast.Try, ast.With, ast.AsyncWith)

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
                self._bind(stored(target), way, touched, doubts and ALL, False, False)
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
        own = {node.name} if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else set()
        self._bind(stored(node) | own, way, touched, doubts, not under, is_given_else)

    @staticmethod
    def _bind(
        names: set[str], way: Way, touched: set[str], doubts: Doubts, anew: bool, is_else: bool
    ) -> None:
        """Names are bound; `anew`: whatever they were; `is_else`: to something else than before the edit."""
        for name in names:
            way[name] = doubts if anew else way.get(name, NONE) | doubts
        if is_else:
            touched |= names
        elif anew:
            touched -= names

    def _doubt(self, first: int, last: int, bound: Doubts, rest: Doubts) -> None:
        for lines, doubts in ((self.bound, bound), (self.rest, rest)):
            for line in range(first, last + 1) if doubts else ():
                lines[line] = lines.get(line, NONE) | doubts


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
