"""Calls, whose arguments may stand in containers, and `super()`."""

from __future__ import annotations

import ast
import collections.abc
from typing import Any

from ..gate import unfamiliar
from ..gate.calls import call
from ..gate.own import interpreted_class
from ..gate.unlisted import completed
from ..run import Env
from ..shims import real
from ..unknowns import texts
from ..unknowns.grown import is_grown
from ..unknowns.unknown import Lost, Unknown
from . import Expression
from .expressions import Expressions, iterate


class Calls(Expressions):
    """The calls of the compiler, and what they are made of."""

    def expr_Call(self, node: ast.Call) -> Expression:
        if (
            isinstance(node.func, ast.Name)
            and node.func.id == "super"
            and not node.args
            and not node.keywords
        ):
            return self._super
        function, span = self.expression(node.func), self.span(node)
        args, shown = self._items(node.args), ast.unparse(node.func)
        if len(shown) > 40:
            shown = "this call"
        keywords = [(keyword.arg, self.expression(keyword.value)) for keyword in node.keywords]
        only = node.args[0] if len(node.args) == 1 else None
        rows = self.expression(only.value) if isinstance(only, ast.Starred) else None

        def unlisted(env: Env, target: Any, values: Any, named: dict[str, Any], why: str) -> Any:
            given = completed(target, values, named, why)
            if given is None:
                return unfamiliar.left_out(target, values or (), why)
            return call(env, span, target, *given, shown)

        def run(env: Env) -> Any:
            target = function(env)
            try:
                if rows is None:
                    values = args(env)
                else:
                    every = rows(env)
                    if real(target) is zip and (columns := texts.columns(every)) is not None:
                        return iter(columns)
                    values = iterate(env, every)
            except Lost as error:
                return unlisted(env, target, None, {}, error.why)
            named: dict[str, Any] = {}
            for name, part in keywords:
                value = part(env)
                if name is not None:
                    named[name] = value
                    continue
                if isinstance(value, collections.abc.Mapping) and interpreted_class(type(value)):
                    value = dict(value)
                if (
                    isinstance(value, dict)
                    and all(type(key) is str for key in value)
                    and is_grown(value) is None
                ):
                    named.update(value)
                else:
                    return unlisted(env, target, values, named, "called with unknown keyword arguments")
            result = call(env, span, target, values, named, shown)
            if type(result) is Unknown:
                env.run.recorder.lost(env.frame, span, result)
            return result

        return run

    @staticmethod
    def _super(env: Env) -> Any:
        at: Env | None = env
        while at is not None and at.kind != "function":
            at = at.outer
        first = None if at is None else at.first
        while at is not None and at.kind != "class":
            at = at.outer
        if at is None or at.cls is None:
            return Unknown("super() outside of a class")
        try:
            return super(at.cls, first)
        except TypeError as error:
            return env.run.absorb(error)
