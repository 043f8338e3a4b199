"""Loops as they are written: `for`, `while`, and the rounds of a comprehension."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from ..control import Signal
from ..gate.operators import decides
from ..log.facts import same
from ..log.recorder import MAX_ROUNDS
from ..run import Env
from ..unknowns import samples
from ..unknowns.alike import kind_of_items
from ..unknowns.grown import as_list, is_grown, mark_of
from ..unknowns.unknown import Lost, Unknown, likely
from ..worlds import worlds
from . import Base, Statement
from .loop import STEADY, Loop
from .loop_items import BY_DATA, DRAINED, distinct, items_of

FEW_KINDS = 16
"""Items of a list of nobody knows how many, that a loop over it takes one after the other."""


def rounds(env: Env, at: ast.AST, value: Any) -> tuple[Iterable[Any], Unknown | None]:
    """The items of an iterable for a comprehension, and why they are not all, if they are not."""
    value = as_list(likely(value))
    if type(value) is Unknown:
        return [samples.item(value)], Unknown(value.why)
    lost = is_grown(value)
    if lost is not None and (
        isinstance(value, dict) or ((mark := mark_of(value)) is not None and not mark.alike)
    ):
        return _kinds_in(value, lost), lost
    items, total = items_of(env, value)
    if total is not None and lost is None and env.run.decide(at, total) is None:
        if type(value) is range:
            return [*itertools.islice(items, STEADY)] or [Unknown(BY_DATA)], Unknown(BY_DATA)
        return distinct(env.run, [*itertools.islice(items, DRAINED)]) or [Unknown(BY_DATA)], Unknown(BY_DATA)
    if total is not None and total > MAX_ROUNDS * 8:
        return [item for item, _ in zip(items, range(STEADY))], Unknown("too many rounds to follow")
    return items, lost


def _kinds_in(value: Any, lost: Unknown) -> list[Any]:
    """What the items of a container of unknown length are: those in it, and any other."""
    try:
        return [kind_of_items(value, same)]
    except LookupError:
        return [*value, Unknown(lost.why)]


class Loops(Base):
    """The part of the compiler that compiles `for` and `while`."""

    def stmt_For(self, node: ast.For) -> Statement:
        source, bind = self.expression(node.iter), self.target(node.target)
        body, orelse = self.block(node.body), self.block(node.orelse)

        def run(env: Env) -> Signal | None:
            value, loop = likely(source(env)), Loop(env, node, bind, body, orelse)
            if type(value) is Unknown:
                return loop.unknown(samples.item(value))
            if id(value) in env.run.uncounted:
                return loop.unknown(*env.run.uncounted[id(value)][1])
            try:
                value = as_list(value)
                items, total = items_of(env, value)
            except Exception as error:
                return loop.unknown(env.run.absorb(error, value))
            lost = is_grown(value)
            if total is not None and lost is None:
                known = env.run.decide(node, total) is not None
                if not known or (total > env.run.limits.few_rounds and worlds.is_given(total)):
                    return loop.uncounted(value, items)
            if lost is None:
                return loop.known(items, total, [])
            try:
                return loop.unknown(kind_of_items(value, same))
            except LookupError:
                mark = mark_of(value)
                if type(value) is list and mark is not None and mark.alike and 0 < len(value) <= FEW_KINDS:
                    return loop.unknown(*value)
                return loop.known(items, total, [Unknown(lost.why)])

        return run

    stmt_AsyncFor = stmt_For

    def stmt_While(self, node: ast.While) -> Statement:
        test, body, orelse = self.expression(node.test), self.block(node.body), self.block(node.orelse)
        span = self.span(node.test)

        def run(env: Env) -> Signal | None:
            def conditions() -> Iterator[Any]:
                rounds = env.run.recorder.rounds
                for number in itertools.count():
                    rounds.append(number)  # the condition is read in each round, the first included
                    try:
                        known = env.run.decide(node, decides(env, span, test(env)))
                    finally:
                        rounds.pop()
                    if known is None:
                        raise Lost("a condition that is not known")
                    if not known:
                        return
                    yield None

            def again(env: Env, item: Any) -> None:
                """Of rounds that nobody counts the condition is read in each too."""
                if type(item) is Unknown:
                    try:
                        test(env)
                    except Lost:
                        pass
                    except Exception as error:
                        env.run.absorb(error)

            loop = Loop(env, node, again, body, orelse)
            return loop.known(conditions(), None, [], drain=False)

        return run
