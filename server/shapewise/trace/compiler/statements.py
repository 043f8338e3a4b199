"""Statements: assignments, conditions; loops, definitions and what catches have files of their own."""

from __future__ import annotations
import __future__

import ast
from typing import Any

from ..control import (
    BREAK,
    CONTINUE,
    DEAD,
    BudgetExhausted,
    Return,
    Signal,
    leaves_nothing,
)
from ..gate import attributes, operators
from ..run import Env
from ..unknowns.unknown import BROKEN, Unknown
from . import Statement
from .calling import Calls
from .comprehensions import Comprehensions
from .definitions import Definitions
from .exceptions import Exceptions
from .expressions import load
from .importing import Imports
from .loops import Loops
from .narrowing import Way, narrowed, told
from .nodes import local_names, own_nodes
from .patterns import Patterns
from .poison import poisoned_names
from .targets import Targets

_NO_ARGUMENTS = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])


_POSTPONED = __future__.annotations
"""What a module whose annotations are texts has imported."""

Step = tuple[Statement, ast.stmt]
"""A statement, and where it comes from."""


class Compiler(Imports, Targets, Loops, Exceptions, Definitions, Patterns, Comprehensions, Calls):
    """The whole compiler."""

    def block(self, body: list[ast.stmt], top: bool = False) -> Statement:
        """Statements one after the other, until one of them leaves. `top`: the block is the file itself."""
        return self.steps([(self.statement(node), node) for node in body], top)

    def steps(self, steps: list[Step], top: bool = False) -> Statement:
        """The same of statements that are compiled."""

        def run(env: Env) -> Signal | None:
            budget = env.run.budget
            for step, node in steps:
                budget.step()
                try:
                    signal = step(env)
                except BudgetExhausted:
                    raise
                except Exception as error:
                    self._fell(env, node, error, top)
                    continue
                if signal is not None and not (top and leaves_nothing(signal)):
                    return signal
                if env.run.glimpses is not None:
                    env.run.glimpses.look(env.run)
                if top and env.module.name == "__main__":
                    env.run.recorder.leave_room()
            return None

        return run

    def _fell(self, env: Env, node: ast.stmt, error: Exception, top: bool) -> None:
        """An exception came out of a statement. The user's own travel on; at the top of the file they end.

        Any other is a gap of the interpreter: it costs what the statement binds, never the file.
        """
        run = env.run
        own = any(error is raised for raised in run.raised)
        if run.is_caught(error) or (own and not top):
            raise error
        if not own:
            run.recorder.note(f"line {node.lineno}: {type(error).__name__}: {str(error)[:80]}")
            if isinstance(
                node, (ast.For, ast.While)
            ):  # what further rounds do is not among what was written down
                run.lost = run.lost or f"the loop in line {node.lineno} could not be followed"
        for name in local_names(_NO_ARGUMENTS, tuple(own_nodes([node]))):
            run.store(self.home(env, name), name, Unknown("its statement could not be followed"))

    # ------------------------------------------------------------ simple

    def stmt_Expr(self, node: ast.Expr) -> Statement:
        names = poisoned_names(node)
        if names is not None:
            return self._poison(names)
        value = self.expression(node.value)

        def run(env: Env) -> None:
            value(env)

        return run

    def _poison(self, names: tuple[str, ...]) -> Statement:
        """A statement that does not parse: what it would bind is unknown from here on."""

        def run(env: Env) -> None:
            for name in names:
                owner, _, attribute = name.rpartition(".")
                if not owner:
                    env.run.store(self.home(env, name), name, Unknown(BROKEN))
                elif owner.isidentifier():
                    try:
                        attributes.write(env.run, load(env, owner), attribute, Unknown(BROKEN))
                    except Exception:  # a parameter or submodule cannot become unknown: the object does
                        env.run.store(self.home(env, owner), owner, Unknown(BROKEN))

        return run

    def stmt_Assign(self, node: ast.Assign) -> Statement:
        value, targets = self.expression(node.value), [self.target(target) for target in node.targets]

        def run(env: Env) -> None:
            result = value(env)
            for target in targets:
                target(env, result)

        return run

    def stmt_AnnAssign(self, node: ast.AnnAssign) -> Statement:
        value = None if node.value is None else self.expression(node.value)
        target = self.target(node.target)
        annotated = node.target.id if isinstance(node.target, ast.Name) else None
        annotation, text = self.expression(node.annotation), ast.unparse(node.annotation)

        def run(env: Env) -> None:
            if value is not None:
                target(env, value(env))
            if annotated is not None and env.kind == "class":
                env.names.setdefault("__annotations__", {})[annotated] = stated(env)

        def stated(env: Env) -> Any:
            """Where annotations are texts, it may name what comes later: the class itself."""
            if env.module.top().names.get("annotations") is not _POSTPONED:
                return annotation(env)
            try:
                with env.run.catching((Exception,)):
                    return annotation(env)
            except NameError:
                return text

        return run

    def stmt_AugAssign(self, node: ast.AugAssign) -> Statement:
        span = self.span(node)
        loaded = ast.copy_location(_as_load(node.target), node.target)
        current, value, target = (
            self.expression(loaded),
            self.expression(node.value),
            self.target(node.target),
        )
        name, _, function = operators.BINARY[type(node.op)]

        def run(env: Env) -> None:
            target(env, operators.apply(env, span, f"{name}=", function, [current(env), value(env)]))

        return run

    def stmt_Delete(self, node: ast.Delete) -> Statement:
        deletes = [self.delete(target) for target in node.targets]

        def run(env: Env) -> None:
            for delete in deletes:
                delete(env)

        return run

    def stmt_Pass(self, node: ast.Pass) -> Statement:
        return lambda env: None

    def stmt_Break(self, node: ast.Break) -> Statement:
        return lambda env: BREAK

    def stmt_Continue(self, node: ast.Continue) -> Statement:
        return lambda env: CONTINUE

    def stmt_Return(self, node: ast.Return) -> Statement:
        value, span = self.expression(node.value) if node.value is not None else None, self.span(node)

        def run(env: Env) -> Signal:
            lacking = env.run.lacking
            result = None if value is None else value(env)
            env.run.recorder.bound(env.frame, span, "return", "<return>", result)
            if env.run.lacking != lacking and env.run.ways and type(result) is Unknown:
                return DEAD  # it has not what only the other way gives it: this one is not taken
            return Return(result)

        return run

    def stmt_Global(self, node: ast.Global) -> Statement:
        names = [*map(self.private, node.names)]

        def run(env: Env) -> None:
            env.names.setdefault("<moved>", {}).update(dict.fromkeys(names, env.module.top()))

        return run

    def stmt_Nonlocal(self, node: ast.Nonlocal) -> Statement:
        names = [*map(self.private, node.names)]

        def run(env: Env) -> None:
            for name in names:
                at = env.outer
                while at is not None and not (at.kind == "function" and (name in at.names or name in at.own)):
                    at = at.outer
                if at is not None:
                    env.names.setdefault("<moved>", {})[name] = at

        return run

    # ------------------------------------------------------------ conditions

    def stmt_If(self, node: ast.If) -> Statement:
        test, body, orelse = self.expression(node.test), self.block(node.body), self.block(node.orelse)
        tells, span = told(node.test), self.span(node.test)

        def run(env: Env) -> Signal | None:
            condition = test(env)
            outcome = operators.decides(env, span, condition)
            known = env.run.decide(node, outcome)
            if known is not None:
                return body(env) if known else orelse(env)
            ways: list[Way] = [lambda: body(env), lambda: orelse(env)]
            if tells is not None:
                ways = narrowed(env, tells, ways, self.home(env, tells.name))
            return env.run.either(env, node, ways, condition, outcome)

        return run

    def stmt_Assert(self, node: ast.Assert) -> Statement:
        test, span = self.expression(node.test), self.span(node.test)
        message = self.expression(node.msg) if node.msg is not None else None

        def run(env: Env) -> None:
            if operators.decides(env, span, test(env)) is False:
                env.run.absorb(AssertionError() if message is None else AssertionError(message(env)))

        return run


def _as_load(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.Name):
        return ast.Name(node.id, ast.Load())
    if isinstance(node, ast.Attribute):
        return ast.Attribute(node.value, node.attr, ast.Load())
    if isinstance(node, ast.Subscript):
        return ast.Subscript(node.value, node.slice, ast.Load())
    return node
