"""Statements: assignments, conditions, try, with; loops and definitions have files of their own."""

from __future__ import annotations
import __future__

import ast
import contextlib
import functools
from collections.abc import Iterator
from typing import Any

from ..control import (
    BREAK,
    CONTINUE,
    DEAD,
    BudgetExhausted,
    Return,
    Signal,
    Thrown,
    kinds_of,
    leaves_nothing,
    thrown,
)
from ..gate import attributes, contexts, operators
from ..log.facts import same
from ..run import Env, Run
from ..state import NAME, Meeting
from ..unknowns.unknown import BROKEN, Unknown
from . import Statement
from .calling import Calls
from .comprehensions import Comprehensions
from .definitions import Definitions
from .expressions import load
from .importing import Imports
from .loops import Loops
from .nodes import local_names, own_nodes
from .patterns import Patterns
from .poison import poisoned_names
from .targets import Targets

_NO_ARGUMENTS = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])


_POSTPONED = __future__.annotations
"""What a module whose annotations are texts has imported."""

Step = tuple[Statement, ast.stmt]
"""A statement, and where it comes from."""


class Compiler(Imports, Targets, Loops, Definitions, Patterns, Comprehensions, Calls):
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
        def run(env: Env) -> None:
            env.names.setdefault("<moved>", {}).update(dict.fromkeys(node.names, env.module.top()))

        return run

    def stmt_Nonlocal(self, node: ast.Nonlocal) -> Statement:
        def run(env: Env) -> None:
            for name in node.names:
                at = env.outer
                while at is not None and not (at.kind == "function" and (name in at.names or name in at.own)):
                    at = at.outer
                if at is not None:
                    env.names.setdefault("<moved>", {})[name] = at

        return run

    # ------------------------------------------------------------ conditions

    def stmt_If(self, node: ast.If) -> Statement:
        test, body, orelse = self.expression(node.test), self.block(node.body), self.block(node.orelse)

        def run(env: Env) -> Signal | None:
            condition = test(env)
            outcome = operators.truth(env, condition)
            known = env.run.decide(node, outcome)
            if known is not None:
                return body(env) if known else orelse(env)
            return env.run.either(env, [lambda: body(env), lambda: orelse(env)], condition, outcome)

        return run

    def stmt_Assert(self, node: ast.Assert) -> Statement:
        test = self.expression(node.test)
        message = self.expression(node.msg) if node.msg is not None else None

        def run(env: Env) -> None:
            if operators.truth(env, test(env)) is False:
                env.run.absorb(AssertionError() if message is None else AssertionError(message(env)))

        return run

    # ------------------------------------------------------------ exceptions

    def stmt_Raise(self, node: ast.Raise) -> Statement:
        value = self.expression(node.exc) if node.exc is not None else None
        cause = self.expression(node.cause) if node.cause is not None else None

        def run(env: Env) -> Signal | None:
            if value is not None:
                error = value(env)
            else:
                error = env.run.handling[-1] if env.run.handling else None
            if isinstance(error, type) and issubclass(error, BaseException):
                error = error()
            if not isinstance(error, Exception):
                error = Thrown(error) if isinstance(error, BaseException) else RuntimeError("raised here")
            if cause is not None:
                reason = cause(env)
                error.__cause__ = reason if isinstance(reason, BaseException) else None
            env.run.raised.append(error)
            raise error

        return run

    def stmt_Try(self, node: Any) -> Statement:
        body, orelse, final = self.block(node.body), self.block(node.orelse), self.block(node.finalbody)
        handlers = [
            (None if h.type is None else self.expression(h.type), h.name, self.block(h.body))
            for h in node.handlers
        ]

        def attempt(env: Env) -> Signal | None:
            run = env.run
            kinds = [kinds_of(BaseException if kind is None else kind(env)) for kind, _, _ in handlers]
            unfollowed = run.unfollowed
            caught = tuple(kind for some in kinds for kind in some)
            try:
                with run.catching(caught), trial(run, caught):
                    signal = body(env)
            except BudgetExhausted:
                raise
            except Exception as error:
                for some, (_, name, handler) in zip(kinds, handlers):
                    if isinstance(thrown(error), some):
                        return handle(env, error, name, handler)
                raise
            if signal is None:
                signal = orelse(env)
            if run.unfollowed == unfollowed:
                return signal
            return either(env, signal, kinds)

        @contextlib.contextmanager
        def trial(run: Run, caught: tuple[type[BaseException], ...]) -> Iterator[None]:
            """Around the body: a way that throws in it meets the others at its end."""
            if not any(issubclass(kind, Exception) or kind is BaseException for kind in caught):
                yield
                return
            end, depth = Meeting(run.journal), len(run.trials)
            run.trials.append((caught, end))
            try:
                yield
            finally:
                del run.trials[depth:]
                end.meet(same)

        def handle(env: Env, error: Exception, name: str | None, handler: Statement) -> Signal | None:
            run = env.run
            run.handling.append(error)
            if name is not None:
                run.store(self.home(env, name), name, thrown(error))
            try:
                return handler(env)
            finally:
                run.handling.pop()
                if name is not None:
                    home = self.home(env, name)
                    run.journal.note(NAME, home.names, name)
                    home.names.pop(name, None)

        def either(env: Env, signal: Signal | None, kinds: list[Any]) -> Signal | None:
            """Something in the body is not followed: whether it raises is not known."""
            ways: list[Any] = [lambda: signal]
            for some, (_, name, handler) in zip(kinds, handlers):
                kind = next((kind for kind in some if not issubclass(kind, _NOT_BY_CALLS)), None)
                if kind is not None:
                    ways.append(functools.partial(handle, env, _unknown_error(kind), name, handler))
            return signal if len(ways) == 1 else env.run.both(env, ways)

        def run(env: Env) -> Signal | None:
            try:
                signal = attempt(env) if handlers else body(env)
            except BudgetExhausted:
                raise
            except Exception:
                final(env)
                raise
            last = final(env)
            return signal if last is None else last

        return run

    stmt_TryStar = stmt_Try

    def stmt_With(self, node: ast.With) -> Statement:
        items = [
            (
                self.expression(item.context_expr),
                None if item.optional_vars is None else self.target(item.optional_vars),
                contexts.harmless(item.context_expr),
            )
            for item in node.items
        ]
        body = self.block(node.body)

        def inside(env: Env, number: int) -> Signal | None:
            if number == len(items):
                return body(env)
            context, bind, harmless = items[number]
            manager = context(env)
            entered, leave = contexts.enter(env, manager, harmless)
            if bind is not None:
                bind(env, entered)
            try:
                with env.run.catching(contexts.suppressed(manager)):
                    signal = inside(env, number + 1)
            except BudgetExhausted:
                leave(None)
                raise
            except Exception as error:
                if leave(error):
                    return None
                raise
            leave(None)
            return signal

        return lambda env: inside(env, 0)

    stmt_AsyncWith = stmt_With


def _as_load(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.Name):
        return ast.Name(node.id, ast.Load())
    if isinstance(node, ast.Attribute):
        return ast.Attribute(node.value, node.attr, ast.Load())
    if isinstance(node, ast.Subscript):
        return ast.Subscript(node.value, node.slice, ast.Load())
    return node


_NOT_BY_CALLS = (KeyboardInterrupt, SystemExit, GeneratorExit, StopIteration)
"""What a call that is not followed does not raise, for all that people write."""


def _unknown_error(kind: type[BaseException]) -> Exception:
    """An exception of this kind about which nothing else is known."""
    try:
        error = kind()
    except Exception:
        error = RuntimeError()
    return error if isinstance(error, Exception) else RuntimeError()
