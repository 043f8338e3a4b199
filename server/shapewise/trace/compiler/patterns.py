"""`match`: patterns that say whether they match, or that nobody knows."""

from __future__ import annotations

import ast
import collections.abc
import operator
from collections.abc import Callable, Iterable
from typing import Any

import torch

from ..control import Signal
from ..gate import attributes, operators
from ..run import Env
from ..unknowns.grown import is_grown
from ..unknowns.unknown import Unknown
from . import Base, Statement
from .expressions import iterate

Pattern = Callable[[Env, Any], "bool | None"]


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

    def pattern(self, node: Any) -> Pattern:
        """A function that says whether a value matches (None: not known), and binds the captures."""
        return getattr(self, f"pattern_{type(node).__name__}")(node)

    def pattern_MatchValue(self, node: Any) -> Pattern:
        wanted, span = self.expression(node.value), self.span(node)
        return lambda env, value: operators.truth(
            env, operators.apply(env, span, "==", operator.eq, [value, wanted(env)])
        )

    def pattern_MatchSingleton(self, node: Any) -> Pattern:
        span = self.span(node)
        return lambda env, value: operators.truth(
            env, operators.apply(env, span, "is", operator.is_, [value, node.value])
        )

    def pattern_MatchAs(self, node: Any) -> Pattern:
        inner = self.pattern(node.pattern) if node.pattern is not None else None

        def capture(env: Env, value: Any) -> bool | None:
            matched = True if inner is None else inner(env, value)
            if matched is not False and node.name is not None:
                env.run.store(self.home(env, node.name), node.name, value)
            return matched

        return capture

    def pattern_MatchOr(self, node: Any) -> Pattern:
        parts = [self.pattern(part) for part in node.patterns]

        def any_of(env: Env, value: Any) -> bool | None:
            unknown = False
            for part in parts:
                matched = part(env, value)
                if matched is True and not unknown:
                    return True
                unknown = unknown or matched is not False
            return None if unknown else False

        return any_of

    def pattern_MatchSequence(self, node: Any) -> Pattern:
        lost = self._unread(_captures(node))
        star = next((i for i, part in enumerate(node.patterns) if isinstance(part, ast.MatchStar)), None)
        parts = [self.pattern(part) for part in node.patterns if not isinstance(part, ast.MatchStar)]
        rest = None if star is None else node.patterns[star].name

        def matches(env: Env, value: Any) -> bool | None:
            if (type(value) is Unknown and not value.tensor) or is_grown(value) is not None:
                return lost(env, value)
            if not isinstance(value, collections.abc.Sequence) or isinstance(value, (str, bytes, bytearray)):
                return False
            items = iterate(env, value)
            if len(items) < len(parts) or (star is None and len(items) != len(parts)):
                return False
            if star is not None:
                end = len(items) - (len(parts) - star)
                if rest is not None:
                    env.run.store(self.home(env, rest), rest, items[star:end])
                items = items[:star] + items[end:]
            return _all(part(env, item) for part, item in zip(parts, items))

        return matches

    def pattern_MatchMapping(self, node: Any) -> Pattern:
        lost = self._unread(_captures(node))
        parts = [(self.expression(key), self.pattern(part)) for key, part in zip(node.keys, node.patterns)]

        def matches(env: Env, value: Any) -> bool | None:
            if (type(value) is Unknown and not value.tensor) or is_grown(value) is not None:
                return lost(env, value)
            if not isinstance(value, collections.abc.Mapping):
                return False
            left = dict(value)
            results: list[bool | None] = []
            for key, part in parts:
                wanted = key(env)
                if type(wanted) is Unknown or wanted not in left:
                    return lost(env, value) if type(wanted) is Unknown else False
                results.append(part(env, left.pop(wanted)))
            if node.rest is not None:
                env.run.store(self.home(env, node.rest), node.rest, left)
            return _all(results)

        return matches

    def pattern_MatchClass(self, node: Any) -> Pattern:
        lost = self._unread(_captures(node))
        kind = self.expression(node.cls)
        positional = [self.pattern(part) for part in node.patterns]
        named = [(name, self.pattern(part)) for name, part in zip(node.kwd_attrs, node.kwd_patterns)]

        def matches(env: Env, value: Any) -> bool | None:
            cls = kind(env)
            if not isinstance(cls, type) or type(value) is Unknown:
                surely = (
                    type(value) is Unknown
                    and value.tensor
                    and cls is torch.Tensor
                    and not (positional or named)
                )
                return True if surely else lost(env, value)
            if not isinstance(value, cls):
                return False
            if cls in _ITSELF and positional:
                return positional[0](env, value)
            names = getattr(cls, "__match_args__", ())
            results: list[bool | None] = []
            for name, part in [*zip(names, positional), *named]:
                try:
                    results.append(part(env, attributes.read(env.run, value, name)))
                except AttributeError:
                    return False
            return _all(results) if len(names) >= len(positional) else False

        return matches

    def _unread(self, names: tuple[str, ...]) -> Pattern:
        """A pattern of which nobody knows whether it matches."""

        def unknown(env: Env, value: Any) -> None:
            for name in names:
                env.run.store(self.home(env, name), name, Unknown("part of an unknown value"))

        return unknown


_ITSELF = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)
"""Classes whose one positional pattern is for the value itself."""


def _all(results: Iterable[bool | None]) -> bool | None:
    """Whether every part matches; the first that does not ends it."""
    unknown = False
    for result in results:
        if result is False:
            return False
        unknown = unknown or result is None
    return None if unknown else True


def _captures(node: Any) -> tuple[str, ...]:
    """The names that a pattern would bind."""
    return tuple(
        str(getattr(n, "rest", None) or getattr(n, "name", None))
        for n in ast.walk(node)
        if isinstance(n, (ast.MatchAs, ast.MatchStar, ast.MatchMapping))
        and (getattr(n, "rest", None) or getattr(n, "name", None))
    )
