"""`match`: patterns that say whether they match, or that nobody knows."""

from __future__ import annotations

import ast
from typing import Any

from .. import operators
from ..control import Signal
from ..run import Env
from ..state import is_grown
from ..unknown import Unknown
from . import Base, Statement


class Patterns(Base):
    """The part of the compiler for `match`."""

    def stmt_Match(self, node: Any) -> Statement:
        subject = self.expression(node.subject)
        cases = [
            (
                self.pattern(case.pattern),
                None if case.guard is None else self.expression(case.guard),
                self.block(case.body),
            )
            for case in node.cases
        ]

        def run(env: Env) -> Signal | None:
            value = subject(env)
            ways: list[Any] = []
            for pattern, guard, body in cases:
                matched = pattern(env, value)
                if matched is True and guard is not None:
                    matched = operators.truth(env, guard(env))
                if matched is True and not ways:
                    return body(env)
                if matched is not False:
                    ways.append(lambda body=body: body(env))
                if matched is True:
                    break
            else:
                ways.append(lambda: None)
            return env.run.both(env, ways) if ways else None

        return run

    def pattern(self, node: Any) -> Any:
        """A function that says whether a value matches (None: not known), and binds the captures."""
        kind = type(node).__name__
        if kind in ("MatchValue", "MatchSingleton"):
            wanted = self.expression(node.value) if kind == "MatchValue" else (lambda env: node.value)
            return lambda env, value: operators.truth(
                env, operators.apply(env, self.span(node), "==", lambda a, b: a == b, [value, wanted(env)])
            )
        if kind == "MatchAs":
            inner = self.pattern(node.pattern) if node.pattern is not None else (lambda env, value: True)

            def capture(env: Env, value: Any) -> Any:
                matched = inner(env, value)
                if matched is not False and node.name is not None:
                    env.run.store(self.home(env, node.name), node.name, value)
                return matched

            return capture
        if kind == "MatchOr":
            parts = [self.pattern(part) for part in node.patterns]

            def any_of(env: Env, value: Any) -> Any:
                results = [part(env, value) for part in parts]
                return True if True in results else None if None in results else False

            return any_of
        if kind == "MatchSequence" and not any(isinstance(part, ast.MatchStar) for part in node.patterns):
            return self._sequence([self.pattern(part) for part in node.patterns], _captures(node))
        return self._unread(_captures(node))

    def _sequence(self, parts: list[Any], names: tuple[str, ...]) -> Any:
        lost = self._unread(names)

        def matches(env: Env, value: Any) -> Any:
            if type(value) is Unknown or is_grown(value) is not None:
                return lost(env, value)
            if not isinstance(value, (tuple, list)) or len(value) != len(parts):
                return False
            results = [part(env, item) for part, item in zip(parts, value)]
            return False if False in results else None if None in results else True

        return matches

    def _unread(self, names: tuple[str, ...]) -> Any:
        """A pattern of which nobody knows whether it matches."""

        def unknown(env: Env, value: Any) -> None:
            for name in names:
                env.run.store(
                    self.home(env, name), name, Unknown("bound by a pattern that is not followed yet")
                )

        return unknown


def _captures(node: Any) -> tuple[str, ...]:
    """The names that a pattern would bind."""
    return tuple(
        str(n.name)
        for n in ast.walk(node)
        if isinstance(n, (ast.MatchAs, ast.MatchStar)) and n.name is not None
    )
