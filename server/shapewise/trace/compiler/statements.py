"""Statements: assignments, conditions, try, with, imports; loops and definitions have files of their own."""

from __future__ import annotations

import ast
from typing import Any

from .. import attributes, doubts, imports, operators
from ..control import BREAK, CONTINUE, BudgetExhausted, Return, Signal, Thrown, thrown
from ..run import Env
from ..unknown import Unknown
from . import Statement
from .comprehensions import Comprehensions
from .definitions import Definitions, local_names
from .expressions import Expressions, load
from .loops import Loops
from .patterns import Patterns
from .poison import poisoned_names
from .targets import Targets

_BROKEN = "its line does not parse yet"
_NO_ARGUMENTS = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])


class Compiler(Targets, Loops, Definitions, Patterns, Comprehensions, Expressions):
    """The whole compiler."""

    def block(self, body: list[ast.stmt], top: bool = False) -> Statement:
        """Statements one after the other, until one of them leaves. `top`: the block is the file itself."""
        steps = [(self.statement(node), node) for node in body]

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
                if signal is not None:
                    return signal
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
        for name in local_names(_NO_ARGUMENTS, [node]):
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
                    env.run.store(self.home(env, name), name, Unknown(_BROKEN))
                elif owner.isidentifier():
                    try:
                        attributes.write(env.run, load(env, owner), attribute, Unknown(_BROKEN))
                    except Exception:  # a parameter or submodule cannot become unknown: the object does
                        env.run.store(self.home(env, owner), owner, Unknown(_BROKEN))

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
        annotation = self.expression(node.annotation)

        def run(env: Env) -> None:
            if value is not None:
                target(env, value(env))
            if annotated is not None and env.kind == "class":
                env.names.setdefault("__annotations__", {})[annotated] = annotation(env)

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
            result = None if value is None else value(env)
            env.run.recorder.bound(env.frame, span, "return", "<return>", result)
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
            known = env.run.decide(node, operators.truth(env, test(env)))
            if known is not None:
                return body(env) if known else orelse(env)
            return env.run.both(env, [lambda: body(env), lambda: orelse(env)])

        return run

    def stmt_Assert(self, node: ast.Assert) -> Statement:
        test = self.expression(node.test)

        def run(env: Env) -> None:
            if operators.truth(env, test(env)) is False:
                env.run.absorb(AssertionError())

        return run

    # ------------------------------------------------------------ exceptions

    def stmt_Raise(self, node: ast.Raise) -> Statement:
        value = self.expression(node.exc) if node.exc is not None else None

        def run(env: Env) -> Signal | None:
            error = None if value is None else value(env)
            if isinstance(error, type) and issubclass(error, BaseException):
                error = error()
            if not isinstance(error, Exception):
                error = Thrown(error) if isinstance(error, BaseException) else RuntimeError("raised here")
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
            kinds = [_kinds(BaseException if kind is None else kind(env)) for kind, _, _ in handlers]
            run.handlers.append(tuple(kind for some in kinds for kind in some))
            depth = len(run.handlers)
            try:
                signal = body(env)
            except BudgetExhausted:
                raise
            except Exception as error:
                del run.handlers[depth - 1 :]
                for some, (_, name, handler) in zip(kinds, handlers):
                    if isinstance(thrown(error), some):
                        if name is not None:
                            run.store(self.home(env, name), name, thrown(error))
                        return handler(env)
                raise
            del run.handlers[depth - 1 :]
            return orelse(env) if signal is None else signal

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
                _harmless(item.context_expr),
            )
            for item in node.items
        ]
        body = self.block(node.body)

        def run(env: Env) -> Signal | None:
            exits: list[Any] = []
            try:
                for context, bind, harmless in items:
                    manager = context(env)
                    entered: Any = Unknown("the value of an unknown context")
                    if type(manager) is Unknown:
                        if not harmless:
                            doubts.open_context()
                            exits.append((lambda *_: doubts.close_context(), None))
                    else:
                        try:
                            kind = type(manager)
                            entered = kind.__enter__(manager)
                            exits.append((kind.__exit__, manager))
                        except BudgetExhausted:
                            raise
                        except Exception as error:
                            entered = env.run.absorb(error)
                    if bind is not None:
                        bind(env, entered)
                return body(env)
            finally:
                for leave, manager in reversed(exits):
                    try:
                        leave(manager, None, None, None)
                    except BudgetExhausted:
                        raise
                    except Exception as error:
                        env.run.absorb(error)

        return run

    stmt_AsyncWith = stmt_With

    # ------------------------------------------------------------ imports

    def stmt_Import(self, node: ast.Import) -> Statement:
        span = self.span(node)

        def run(env: Env) -> None:
            env.run.site = span
            for alias in node.names:
                name = alias.asname or alias.name.split(".")[0]
                value = imports.module(
                    env, alias.name if alias.asname else alias.name.split(".")[0], alias.name
                )
                env.run.store(self.home(env, name), name, value)

        return run

    def stmt_ImportFrom(self, node: ast.ImportFrom) -> Statement:
        span = self.span(node)

        def run(env: Env) -> None:
            env.run.site = span
            path = "." * node.level + (node.module or "")
            for alias in node.names:
                if alias.name == "*":
                    for name, value in imports.star(env, path).items():
                        env.run.store(env, name, value)
                    continue
                name = alias.asname or alias.name
                env.run.store(self.home(env, name), name, imports.member(env, path, alias.name))

        return run


_HARMLESS = frozenset(
    "open ZipFile TarFile File TemporaryDirectory NamedTemporaryFile catch_warnings ThreadPoolExecutor "
    "ProcessPoolExecutor Pool redirect_stdout redirect_stderr record_function profile tqdm".split()
)


def _harmless(context: ast.expr) -> bool:
    """Whether a context is one of those that everybody knows and that have nothing to do with torch's modes."""
    return isinstance(context, ast.Call) and ast.unparse(context.func).rsplit(".", 1)[-1] in _HARMLESS


def _as_load(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.Name):
        return ast.Name(node.id, ast.Load())
    if isinstance(node, ast.Attribute):
        return ast.Attribute(node.value, node.attr, ast.Load())
    if isinstance(node, ast.Subscript):
        return ast.Subscript(node.value, node.slice, ast.Load())
    return node


def _kinds(value: Any) -> tuple[type[BaseException], ...]:
    """The exception classes of an `except` clause; an unknown one catches nothing that we know of."""
    if isinstance(value, tuple):
        return tuple(kind for item in value for kind in _kinds(item))
    return (value,) if isinstance(value, type) and issubclass(value, BaseException) else ()
