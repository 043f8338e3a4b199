"""Comprehensions and generator expressions: loops that give a container."""

from __future__ import annotations

import ast
import functools
from typing import Any

from ..gate import operators
from ..gate.admitted import admit
from ..run import Env
from ..shims import ENDLESS
from ..unknowns import texts
from ..unknowns.grown import grown
from ..unknowns.lengths import follows, many_in, marked
from ..unknowns.unknown import Lost, Unknown, unknown_key
from . import Base, Expression
from .loops import rounds
from .same_rounds import SameRounds, element_of


class Comprehensions(Base):
    """The part of the compiler for `[... for ...]` and its kin."""

    def _comprehension(self, node: Any, element: list[ast.expr], make: Any) -> Expression:
        parts = [self.expression(part) for part in element]
        makers = [
            (
                self.expression(g.iter),
                self.target(g.target),
                [self.expression(test) for test in g.ifs],
                self.span(g.target),
            )
            for g in node.generators
        ]
        places = [generator.iter for generator in node.generators]
        what = element_of(element[0])
        is_single = len(parts) == len(makers) == 1 and not makers[0][2]
        own = frozenset(n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name))

        def run(env: Env) -> Any:
            inner = Env(env.run, env.module, "comprehension", env.scope, env, own, env.frame)
            inner.first = env.first
            items: list[Any] = []
            lost: list[Unknown] = []
            of: list[int] = []

            def once(value: Any) -> Any:
                makers[0][1](inner, admit(value))
                return parts[0](inner)

            def level(number: int) -> None:
                if number == len(makers):
                    values = [part(inner) for part in parts]
                    items.append(values[0] if len(values) == 1 else tuple(values))
                    return
                source, bind, tests, _ = makers[number]
                values = source(inner if number else env)
                try:
                    every, why = rounds(env, places[number], values)
                except TypeError as error:
                    lost.append(env.run.absorb(error, values))
                    return
                if why is not None:
                    lost.append(why)
                    if follows(values) and len(makers) == 1:
                        of.append(many_in(values))
                rows = SameRounds(inner, every, values, what) if is_single and why is None else None
                for turn, value in enumerate(every):
                    env.run.budget.step()
                    if turn > ENDLESS:
                        raise Lost("an iterator without end")
                    if rows is not None and rows.left:
                        found = rows.values(functools.partial(once, value))
                        items.extend(found)
                        if len(found) > 1:
                            break
                        continue
                    bind(inner, admit(value))
                    for test in tests:
                        known = operators.truth(inner, test(inner))
                        if known is None:
                            lost.append(Unknown("filtered by unknown values"))
                        elif not known:
                            break
                    else:
                        level(number + 1)

            try:
                level(0)
            except Lost as error:
                if make is not list or not items:
                    return Unknown(error.why)
                grown(items, error.why)  # those that came before are in it
                return items
            if lost:
                if not items:
                    return lost[0]
                if make is dict:
                    names: dict[Any, Any] = {}
                    of, key = (
                        env.run.join([value for _, value in items]),
                        env.run.join([key for key, _ in items]),
                    )
                    grown(names, lost[0].why, of=of, key=key)
                    return names
                made = (
                    set(items) if make is set else items
                )  # a generator's items, too, are gone over as a list's
                if isinstance(made, set):
                    grown(made, lost[0].why, alike=True)
                    return made
                return marked(made, lost[0].why, True, of[0] if len(of) == len(lost) == 1 else None)
            try:
                made = make(items)
            except TypeError as error:
                return env.run.absorb(error)
            unsure = unknown_key(made) if make in (set, dict) else None
            if unsure is None:
                return env.run.journal.born(made)
            if make is dict:
                grown(made, unsure.why, of=env.run.join(list(made.values())), key=env.run.join(list(made)))
                return made
            return texts.some(env.run.join(items), unsure.why, set)

        return run

    def expr_ListComp(self, node: ast.ListComp) -> Expression:
        return self._comprehension(node, [node.elt], list)

    def expr_SetComp(self, node: ast.SetComp) -> Expression:
        return self._comprehension(node, [node.elt], set)

    def expr_GeneratorExp(self, node: ast.GeneratorExp) -> Expression:
        return self._comprehension(node, [node.elt], iter)

    def expr_DictComp(self, node: ast.DictComp) -> Expression:
        return self._comprehension(node, [node.key, node.value], dict)
