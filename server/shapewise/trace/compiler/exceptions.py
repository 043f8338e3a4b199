"""What raises and what catches: `raise`, `try`, and `with`, whose manager may swallow an exception."""

from __future__ import annotations

import ast
import contextlib
import functools
from collections.abc import Iterator
from typing import Any

from ..control import BudgetExhausted, Signal, Thrown, kinds_of, thrown
from ..gate import contexts
from ..log.facts import same
from ..run import Env, Run
from ..state import NAME, Meeting
from . import Base, Statement

_NOT_BY_CALLS = (KeyboardInterrupt, SystemExit, GeneratorExit, StopIteration)
"""What a call that is not followed does not raise, for all that people write."""


class Exceptions(Base):
    """The part of the compiler that follows exceptions."""

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


def _unknown_error(kind: type[BaseException]) -> Exception:
    """An exception of this kind about which nothing else is known."""
    try:
        error = kind()
    except Exception:
        error = RuntimeError()
    return error if isinstance(error, Exception) else RuntimeError()
