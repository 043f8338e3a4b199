"""What is still read of what a function puts into its variables: the names that are live, from its end to its beginning."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.Module
_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_OPEN = frozenset("locals vars globals eval exec".split())
"""Calls that may read any variable."""


@dataclass
class Liveness:
    """Of one scope. What functions inside it read may be read at any time, and so is always live."""

    after: dict[int, frozenset[str]] = field(default_factory=dict)
    """The names that are read after a statement, by its id: before they are set anew, on one way at least."""
    next_round: dict[int, frozenset[str]] = field(default_factory=dict)
    """The names that a further round of a loop reads of what was before it, by the id of the loop."""
    always: frozenset[str] = frozenset()
    is_open: bool = False
    """Whether something in it may read variables without their names."""


def liveness_of(scope: Scope) -> Liveness:
    """The live names of a scope, by its statements."""
    found = Liveness()
    inner = [one for one in _own_and_inner(scope) if isinstance(one, _INNER)]
    told = [one for one in ast.walk(scope) if isinstance(one, (ast.Global, ast.Nonlocal))]
    found.always = frozenset(
        {node.id for one in inner for node in ast.walk(one) if isinstance(node, ast.Name)}
        | {name for one in told for name in one.names}
    )
    found.is_open = any(
        isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id in _OPEN
        for one in ast.walk(scope)
    )
    _Walk(found).block(scope.body, frozenset())
    return found


def _own_and_inner(scope: Scope) -> list[ast.AST]:
    """All nodes of a scope, without those inside its functions; those themselves are among them."""
    waiting: list[ast.AST] = list(scope.body)
    nodes: list[ast.AST] = []
    while waiting:
        node = waiting.pop()
        nodes.append(node)
        if not isinstance(node, _INNER):
            waiting += ast.iter_child_nodes(node)
    return nodes


class _Walk:
    def __init__(self, found: Liveness) -> None:
        self.found = found
        self.loops: list[tuple[frozenset[str], frozenset[str]]] = []
        """What is live where a `break`, and where a `continue`, leads."""

    def block(self, body: Sequence[ast.stmt], live: frozenset[str]) -> frozenset[str]:
        for statement in reversed(body):
            self.found.after[id(statement)] = live
            live = self.statement(statement, live)
        return live

    def statement(self, one: ast.stmt, live: frozenset[str]) -> frozenset[str]:
        if isinstance(one, (ast.Return, ast.Raise)):
            return reads(one)
        if isinstance(one, ast.Break):
            return self.loops[-1][0] if self.loops else live
        if isinstance(one, ast.Continue):
            return self.loops[-1][1] if self.loops else live
        if isinstance(one, ast.If):
            return reads(one.test) | self.block(one.body, live) | self.block(one.orelse, live)
        if isinstance(one, (ast.For, ast.AsyncFor, ast.While)):
            return self.loop(one, live)
        if isinstance(one, (ast.With, ast.AsyncWith)):
            inside = self.block(one.body, live) - frozenset().union(*(sets(item) for item in one.items))
            return inside | frozenset().union(*(reads(item.context_expr) for item in one.items))
        if isinstance(one, ast.Try):
            return self.tried(one, live)
        if isinstance(one, ast.Match):
            cases = [self.block(case.body, live) | reads(case) for case in one.cases]
            return live.union(reads(one.subject), *cases)
        if isinstance(one, ast.AugAssign):
            return live | reads(one) | sets(one)
        if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return live | reads(one)
        return (live - sets(one)) | reads(one)

    def loop(self, one: ast.For | ast.AsyncFor | ast.While, live: frozenset[str]) -> frozenset[str]:
        left = self.block(one.orelse, live) | live
        head, made = (
            frozenset[str](),
            sets(one.target) if not isinstance(one, ast.While) else frozenset[str](),
        )
        test = reads(one.test) if isinstance(one, ast.While) else frozenset[str]()
        while True:
            again = left | head | test
            self.loops.append((live, again))
            before = self.block(one.body, again) - made
            self.loops.pop()
            if before <= head:
                break
            head |= before
        self.found.next_round[id(one)] = head | test
        return left | head | test | (reads(one.iter) if not isinstance(one, ast.While) else frozenset())

    def tried(self, one: ast.Try, live: frozenset[str]) -> frozenset[str]:
        ended = self.block(one.finalbody, live) | live
        caught = frozenset[str]().union(*(self.block(each.body, ended) for each in one.handlers), ended)
        inside = self.block(one.body, self.block(one.orelse, ended) | caught)
        for node in one.body:
            for each in ast.walk(node):
                if id(each) in self.found.after:
                    self.found.after[id(each)] |= caught
        return inside | caught


def reads(node: ast.AST) -> frozenset[str]:
    """The names that are read in it."""
    return frozenset(
        one.id for one in ast.walk(node) if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Store)
    )


def sets(node: ast.AST) -> frozenset[str]:
    """The names that it gives another object."""
    return frozenset(
        one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    )
