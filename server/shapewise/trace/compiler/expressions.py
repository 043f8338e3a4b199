"""Expressions: literals, names, operators, conditions; calls and comprehensions have files of their own."""

from __future__ import annotations

import ast
import builtins
import collections.abc
from typing import Any

import torch

from ..gate import absent, attributes, operators, subscripts
from ..gate.admitted import admit
from ..gate.own import interpreted_class
from ..run import Env
from ..shims import ENDLESS
from ..state import own_of
from ..stdlib import formatting
from ..unknowns import texts
from ..unknowns.grown import as_list, grown, is_grown, mark_of
from ..unknowns.samples import or_else
from ..unknowns.unknown import Lost, Unknown, is_truth, likely, unknown_key, yes_or_no
from . import Base, Expression


def load(env: Env, name: str) -> Any:
    """The value of a name where Python would find it. Unknown if it is bound nowhere."""
    at: Env | None = env
    while at is not None:
        if at is env or at.kind != "class":
            value = at.names.get(name, _ABSENT)
            if value is not _ABSENT:
                return value
            if name in at.own and at.kind == "function":
                return Unknown(f"{name} is not bound here")
        at = at.outer
    run = env.run
    value = run.builtins.get(name, _ABSENT)
    if value is not _ABSENT:
        return value
    if not run.switched.open_names and not hasattr(builtins, name):
        return run.absorb(NameError(f"name '{name}' is not defined"), of_text=True)
    return Unknown(f"{name} is not defined")


_ABSENT = object()


class Expressions(Base):
    """The expression half of the compiler."""

    # ------------------------------------------------------------ leaves

    def expr_Constant(self, node: ast.Constant) -> Expression:
        value = node.value
        return lambda env: value

    def expr_Name(self, node: ast.Name) -> Expression:
        name, span = self.private(node.id), self.span(node)

        def run(env: Env) -> Any:
            value = load(env, name)
            if isinstance(value, torch.Tensor):
                env.run.recorder.bound(env.frame, span, "expression", name, value)
            elif type(value) is Unknown:
                env.run.recorder.lost(env.frame, span, value)
            return value

        return run

    def expr_Attribute(self, node: ast.Attribute) -> Expression:
        owner, name, span = self.expression(node.value), self.private(node.attr), self.span(node)
        path = ast.unparse(node) if isinstance(node.value, ast.Name) else name

        def run(env: Env) -> Any:
            value = owner(env)
            try:
                result = attributes.read(env.run, value, name)
            except Exception as error:
                return absent.refused(env, span, value, name, error)
            if isinstance(result, torch.Tensor):
                if isinstance(value, torch.Tensor):
                    env.run.recorder.op(env.frame, span, name, [value], {}, result, None)
                else:
                    env.run.recorder.bound(env.frame, span, "expression", path, result)
            elif type(result) is Unknown:
                env.run.recorder.lost(env.frame, span, result)
            return result

        return run

    # ------------------------------------------------------------ containers

    def _items(self, nodes: list[ast.expr]) -> Any:
        parts = [
            (isinstance(n, ast.Starred), self.expression(n.value if isinstance(n, ast.Starred) else n))
            for n in nodes
        ]

        def run(env: Env) -> list[Any]:
            items: list[Any] = []
            for starred, part in parts:
                value = part(env)
                if starred:
                    items.extend(iterate(env, value))
                else:
                    items.append(value)
            return items

        return run

    def _container(self, nodes: list[ast.expr], make: Any) -> Expression:
        items = self._items(nodes)

        def run(env: Env) -> Any:
            try:
                made = make(items(env))
            except (Lost, TypeError) as error:
                return Unknown(str(error))
            unsure = unknown_key(made) if make is set else None
            return env.run.journal.born(made) if unsure is None else Unknown(unsure.why)

        return run

    def expr_Tuple(self, node: ast.Tuple) -> Expression:
        return self._container(node.elts, tuple)

    def expr_List(self, node: ast.List) -> Expression:
        return self._container(node.elts, list)

    def expr_Set(self, node: ast.Set) -> Expression:
        return self._container(node.elts, set)

    def expr_Dict(self, node: ast.Dict) -> Expression:
        parts = [
            (None if key is None else self.expression(key), self.expression(value))
            for key, value in zip(node.keys, node.values)
        ]

        def run(env: Env) -> Any:
            made: dict[Any, Any] = {}
            for key, value in parts:
                if key is None:
                    other = value(env)
                    if isinstance(other, collections.abc.Mapping) and interpreted_class(type(other)):
                        other = dict(other)
                    mark = mark_of(other)
                    if not isinstance(other, dict) or (mark is not None and mark_of(made) is not None):
                        return Unknown("a dict with unknown items")
                    if mark is not None:  # it may have what is in this one already
                        grown(made, mark.why, of=mark.of, key=mark.key, sure=mark.sure and not made)
                    made.update(other)
                else:
                    name = key(env)
                    try:
                        made[name] = value(env)
                    except TypeError as error:
                        return env.run.absorb(error)
            unsure = unknown_key(made)
            return env.run.journal.born(made) if unsure is None else Unknown(unsure.why)

        return run

    # ------------------------------------------------------------ operators

    def expr_BinOp(self, node: ast.BinOp) -> Expression:
        left, right, span = self.expression(node.left), self.expression(node.right), self.span(node)
        name, function, _ = operators.BINARY[type(node.op)]
        return lambda env: operators.apply(env, span, name, function, [left(env), right(env)])

    def expr_UnaryOp(self, node: ast.UnaryOp) -> Expression:
        operand, span = self.expression(node.operand), self.span(node)
        if isinstance(node.op, ast.Not):
            asked = self.span(node.operand)

            def negate(env: Env) -> Any:
                value = operators.decides(env, asked, operand(env))
                return yes_or_no("depends on an unknown value") if value is None else not value

            return negate
        name, function = operators.UNARY[type(node.op)]
        return lambda env: operators.apply(env, span, name, function, [operand(env)])

    def expr_BoolOp(self, node: ast.BoolOp) -> Expression:
        parts, stop = [self.expression(value) for value in node.values], isinstance(node.op, ast.Or)
        spans = [self.span(value) for value in node.values[:-1]]  # the last is given back as it is

        def run(env: Env) -> Any:
            value: Any = None
            unknown: Unknown | None = None
            are_truths = True
            for at, part in enumerate(parts):
                value = part(env)
                are_truths = are_truths and is_truth(value)
                known = (
                    operators.decides(env, spans[at], value)
                    if at < len(spans)
                    else operators.truth(env, value)
                )
                if known is stop:
                    if unknown is None:
                        return value
                    return or_else(unknown, value) if stop else unknown
                if known is None:
                    several = unknown is not None or type(value) is not Unknown
                    unknown = value
                    if several:
                        unknown = (yes_or_no if are_truths else Unknown)("depends on the data")
            return value if unknown is None else unknown

        return run

    def expr_Compare(self, node: ast.Compare) -> Expression:
        first, span = self.expression(node.left), self.span(node)
        rest = [
            (*operators.COMPARE[type(op)], self.expression(right))
            for op, right in zip(node.ops, node.comparators)
        ]

        def run(env: Env) -> Any:
            left, result = first(env), None
            for name, function, part in rest:
                right = part(env)
                result = operators.apply(env, span, name, function, [left, right])
                if len(rest) > 1:
                    known = operators.truth(env, result)
                    if known is not True:
                        lost = yes_or_no if is_truth(result) else Unknown
                        return result if known is False else lost("depends on an unknown value")
                left = right
            return result

        return run

    def expr_IfExp(self, node: ast.IfExp) -> Expression:
        test, body, orelse = (
            self.expression(node.test),
            self.expression(node.body),
            self.expression(node.orelse),
        )
        span = self.span(node.test)

        def run(env: Env) -> Any:
            condition = test(env)
            outcome = operators.decides(env, span, condition)
            known = env.run.decide(node, outcome)
            if known is not None:
                return body(env) if known else orelse(env)
            values: list[Any] = []
            contrary: list[bool] = []
            against = env.run.against

            def way(value: Expression) -> None:
                values.append(value(env))
                contrary.append(env.run.is_contrary(against))

            env.run.either(env, node, [lambda: way(body), lambda: way(orelse)], condition, outcome)
            if not values:
                return Unknown("both ways fail")
            with env.run.leaning(env, node, condition, not any(contrary)):
                return env.run.join(own_of(values, contrary), condition)

        return run

    def expr_Subscript(self, node: ast.Subscript) -> Expression:
        value, index, span = self.expression(node.value), self.expression(node.slice), self.span(node)
        return lambda env: subscripts.subscript(env, span, value(env), index(env))

    def expr_Slice(self, node: ast.Slice) -> Expression:
        parts = [
            self.expression(part) if part is not None else None
            for part in (node.lower, node.upper, node.step)
        ]
        return lambda env: slice(*[None if part is None else part(env) for part in parts])

    def expr_NamedExpr(self, node: ast.NamedExpr) -> Expression:
        value, span, name = self.expression(node.value), self.span(node.target), node.target.id

        def run(env: Env) -> Any:
            result = value(env)
            at = env
            while at.kind == "comprehension" and at.outer is not None:
                at = at.outer
            env.run.store(at, name, result)
            env.run.recorder.bound(env.frame, span, "binding", name, result)
            return result

        return run

    def expr_Lambda(self, node: ast.Lambda) -> Expression:
        return self.function(
            node, "<lambda>", node.args, [ast.copy_location(ast.Return(node.body), node.body)], []
        )

    def expr_Starred(self, node: ast.Starred) -> Expression:
        return self.expression(node.value)

    def expr_Await(self, node: ast.Await) -> Expression:
        value = self.expression(node.value)
        return lambda env: Unknown("async code is not followed") if value(env) is not None else None

    # ------------------------------------------------------------ text

    def expr_JoinedStr(self, node: ast.JoinedStr) -> Expression:
        parts = [
            (
                self.expression(part.value),
                None if part.format_spec is None else self.expression(part.format_spec),
                "" if part.conversion == -1 else chr(part.conversion),
            )
            if isinstance(part, ast.FormattedValue)
            else part.value  # type: ignore[attr-defined]
            for part in node.values
        ]

        def run(env: Env) -> Any:
            text: list[str] = []
            known = True
            for part in parts:
                if isinstance(part, str):
                    text.append(part)
                    continue
                spec = "" if part[1] is None else part[1](env)
                shown = formatting.text_of(part[0](env), spec, part[2])
                if type(shown) is str:
                    text.append(shown)
                else:
                    known = False
            return "".join(text) if known else texts.text("text of a value")

        return run


def iterate(env: Env, value: Any) -> list[Any]:
    """Every item of a value, to be unpacked. Raises Lost where they are not known or too many."""
    value = as_list(likely(value))
    if type(value) is Unknown:
        raise Lost(value.why)
    lost = is_grown(value)
    if lost is not None:
        raise Lost(lost.why)
    if (isinstance(value, torch.Tensor) and value.dim() and len(value) > 256) or (
        isinstance(value, range) and len(value) > 100_000
    ):
        raise Lost("too many items to follow")
    items: list[Any] = []
    for item in value:
        env.run.budget.step()
        items.append(admit(item))
        if len(items) > ENDLESS:
            raise Lost("an iterator without end")
    return items
