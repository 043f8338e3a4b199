"""Generator functions: real generators, so that what stands around a `yield` lasts as long as in Python.

Only the statements that contain a `yield` are compiled here, each to a generator function of the
environment that yields what the user's yields and returns the signal; all others stay closures.

Where nobody knows which way one goes, or how often, the statement is run as any other would be, and what it
yields is collected: from there on the generator gives nobody knows how many of these (`counted.Uncounted`),
and of what it yields later.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Collection, Generator
from typing import Any

from ..control import BREAK, CONTINUE, BudgetExhausted, Return, Signal, kinds_of, thrown
from ..gate import contexts
from ..gate.operators import decides, truth
from ..log.facts import same
from ..run import Env, Run
from ..shims import ENDLESS
from ..unknowns import samples, texts
from ..unknowns.alike import kind_of_items
from ..unknowns.counted import Uncounted, coming
from ..unknowns.grown import as_list, is_grown
from ..unknowns.unknown import Lost, Unknown, likely
from . import Base, Expression
from .between import may_change, reads_itself
from .growth import looks
from .nodes import own_nodes, yields

Flow = Generator[Any, Any, "Signal | None"]
Step = Callable[[Env], Flow]


class Several:
    """In place of what is yielded: nobody knows how many of these."""

    def __init__(self, items: list[Any], why: str) -> None:
        self.items = items
        self.why = why


_ROUND = Several([], "a round of a loop without end")
"""Yielded after each: if the last one gave nothing new, none does."""
_TURNS = 64
"""So many times a generator goes on at most after it is lost count of."""
_DATA = "a generator that depends on an unknown value"


class Generators(Base):
    """The part of the compiler for bodies that yield."""

    def flow(self, body: list[ast.stmt]) -> Step:
        """A block some of whose statements may yield."""
        steps = [self._step(node) if yields(own_nodes([node])) else self._plain(node) for node in body]

        def run(env: Env) -> Flow:
            for step in steps:
                signal = yield from step(env)
                if signal is not None:
                    return signal
            return None

        return run

    def _plain(self, node: ast.stmt) -> Step:
        statement = self.block([node])

        def run(env: Env) -> Flow:
            return statement(env)
            yield

        return run

    def _step(self, node: Any) -> Step:
        value = getattr(node, "value", None)
        if isinstance(node, (ast.Expr, ast.Assign)) and isinstance(value, (ast.Yield, ast.YieldFrom)):
            return self._yield(value, [self.target(t) for t in getattr(node, "targets", ())])
        method = getattr(self, f"flow_{type(node).__name__}", None)
        return method(node) if method is not None else _lost("a yield inside an expression")

    def _yield(self, node: ast.Yield | ast.YieldFrom, targets: list[Any]) -> Step:
        value = self.expression(node.value) if node.value is not None else None
        delegate = isinstance(node, ast.YieldFrom)

        def run(env: Env) -> Flow:
            given: Any = None if value is None else value(env)
            if delegate and type(given) is Unknown:
                raise Lost(given.why)
            try:
                sent = (yield from given or ()) if delegate else (yield given)
            except Uncounted as error:
                yield Several(coming(given, error), error.why)
                sent = Unknown(error.why)
            for target in targets:
                target(env, sent)
            return None

        return run

    def expr_Yield(self, node: ast.Yield) -> Expression:
        """A yield in a statement that is run as any other."""
        value = None if node.value is None else self.expression(node.value)

        def run(env: Env) -> Any:
            given = None if value is None else value(env)
            if env.run.collected:
                env.run.collected[-1].append(given)
            return Unknown("what is sent to a generator")

        return run

    def expr_YieldFrom(self, node: ast.YieldFrom) -> Expression:
        source = self.expression(node.value)

        def run(env: Env) -> Any:
            value = source(env)
            try:
                given = texts.item_of(value)
            except LookupError:
                given = Unknown(_DATA)
            if env.run.collected:
                env.run.collected[-1].append(given)
            return Unknown("what a generator returns")

        return run

    def flow_If(self, node: ast.If) -> Step:
        test, body, orelse = self.expression(node.test), self.flow(node.body), self.flow(node.orelse)
        either = None if _leaves(node, _JUMPS) else self.block([node])
        span = self.span(node.test)

        def run(env: Env) -> Flow:
            known = decides(env, span, test(env))
            if known is None:
                return (yield from _collected(env, either))
            return (yield from (body if known else orelse)(env))

        return run

    def flow_For(self, node: ast.For) -> Step:
        from .loop import Loop
        from .loop_items import items_of

        source, bind = self.expression(node.iter), self.target(node.target)
        body, orelse = self.flow(node.body), self.flow(node.orelse)
        whole = None if _leaves(node, ast.Return) else (self.block(node.body), self.block(node.orelse))

        def uncounted(env: Env, kinds: list[Any]) -> Flow:
            if whole is None:
                raise Lost(_DATA)
            return (yield from _collected(env, lambda env: Loop(env, node, bind, *whole).unknown(*kinds)))

        def run(env: Env) -> Flow:
            value = likely(source(env))
            kinds = _kinds(value)
            if kinds is not None:
                return (yield from uncounted(env, kinds))
            items = items_of(env, value)[0]
            while True:
                try:
                    item = next(items)
                except StopIteration:
                    return (yield from orelse(env))
                except Uncounted as error:
                    return (yield from uncounted(env, coming(items, error)))
                bind(env, item)
                env.run.budget.step()
                signal = yield from body(env)
                if signal is BREAK:
                    return None
                if signal is not None and signal is not CONTINUE:
                    return signal

        return run

    def flow_While(self, node: ast.While) -> Step:
        test, body, orelse = self.expression(node.test), self.flow(node.body), self.flow(node.orelse)
        whole = None if _leaves(node, ast.Return) else self.block([node])
        endless = isinstance(node.test, ast.Constant) and not _leaves(node, _JUMPS)

        def run(env: Env) -> Flow:
            while True:
                known = truth(env, test(env))
                if known is None:
                    return (yield from _collected(env, whole))
                if not known:
                    return (yield from orelse(env))
                env.run.budget.step()
                signal = yield from body(env)
                if signal is BREAK:
                    return None
                if signal is not None and signal is not CONTINUE:
                    return signal
                if endless:
                    yield _ROUND

        return run

    def flow_With(self, node: ast.With) -> Step:
        items = [
            (
                self.expression(item.context_expr),
                self.target(item.optional_vars) if item.optional_vars is not None else None,
                contexts.harmless(item.context_expr),
            )
            for item in node.items
        ]
        body = self.flow(node.body)

        def inside(env: Env, number: int) -> Flow:
            if number == len(items):
                return (yield from body(env))
            context, bind, harmless = items[number]
            entered, leave = contexts.enter(env, context(env), harmless)
            if bind is not None:
                bind(env, entered)
            try:
                signal = yield from inside(env, number + 1)
            except (BudgetExhausted, GeneratorExit):
                leave(None)
                raise
            except Exception as error:
                if leave(error):
                    return None
                raise
            leave(None)
            return signal

        return lambda env: inside(env, 0)

    def flow_Try(self, node: ast.Try) -> Step:
        body, orelse, final = self.flow(node.body), self.flow(node.orelse), self.flow(node.finalbody)
        handlers = [
            (None if h.type is None else self.expression(h.type), h.name, self.flow(h.body))
            for h in node.handlers
        ]

        def attempt(env: Env) -> Flow:
            kinds = [kinds_of(BaseException if kind is None else kind(env)) for kind, _, _ in handlers]
            try:
                signal = yield from _caught(env, body(env), tuple(kind for some in kinds for kind in some))
            except (BudgetExhausted, GeneratorExit):
                raise
            except Exception as error:
                for some, (_, name, handler) in zip(kinds, handlers):
                    if isinstance(thrown(error), some):
                        if name is not None:
                            env.run.store(self.home(env, name), name, thrown(error))
                        return (yield from handler(env))
                raise
            return (yield from orelse(env)) if signal is None else signal

        def run(env: Env) -> Flow:
            try:
                signal = yield from attempt(env)
            except BaseException:
                yield from final(env)
                raise
            last = yield from final(env)
            return signal if last is None else last

        return run

    def generator(
        self, body: list[ast.stmt], own: Collection[str]
    ) -> Callable[[Env, int], Generator[Any, Any, Any]]:
        """What a call of the function gives: the frame is the running one only between two yields. `own`: its local names."""
        flow = self.flow(body)

        def stays_alike(env: Env) -> bool:
            if not env.module.own:
                return not reads_itself(body)
            texts = [(one.text, one is env.module) for one in env.run.modules.all if one.own]
            return not any(may_change(body, own, text, is_there) for text, is_there in texts)

        def drive(env: Env, frame: int) -> Generator[Any, Any, Any]:
            run, inner, count = env.run, flow(env), 0
            resume: Callable[[], Any] = functools.partial(inner.send, None)
            while True:
                run.frames.append(frame)
                try:
                    given = resume()
                except StopIteration as stop:
                    return stop.value.value if isinstance(stop.value, Return) else None
                except Uncounted as error:  # of an iterator that something else goes over
                    raise Lost(error.why) from None
                finally:
                    run.frames.pop()
                if given is _ROUND:
                    resume = functools.partial(inner.send, None)
                    continue
                if type(given) is Several:
                    if not stays_alike(env):
                        raise Lost(_DATA)
                    raise Uncounted(given.why, _rest(run, frame, inner, given))
                count += 1
                if count > ENDLESS:
                    raise Lost("a generator without end")
                resume = yield from _passed_on(inner, given)

        return drive


def _passed_on(inner: Flow, given: Any) -> Generator[Any, Any, Callable[[], Any]]:
    """Yield a value; what is sent or thrown in its place is how the inner generator goes on."""
    try:
        sent = yield given
    except GeneratorExit:
        inner.close()
        raise
    except BaseException as error:
        return functools.partial(inner.throw, error)
    return functools.partial(inner.send, sent)


def _caught(env: Env, inner: Flow, kinds: tuple[type[BaseException], ...]) -> Flow:
    """The steps of a body whose exceptions are caught: the handlers are there while it runs, not while it waits."""
    resume: Callable[[], Any] = functools.partial(inner.send, None)
    while True:
        with env.run.catching(kinds):
            try:
                given = resume()
            except StopIteration as stop:
                return stop.value
        resume = yield from _passed_on(inner, given)


_JUMPS = (ast.Return, ast.Break, ast.Continue)


def _leaves(node: ast.stmt, kinds: Any) -> bool:
    """Whether there is a statement of these kinds in it, which would lead out of it."""
    return any(isinstance(inner, kinds) for inner in own_nodes([node]))


def _kinds(value: Any) -> list[Any] | None:
    """What the items of something are that nobody can count; None if they are counted."""
    if type(value) is Unknown:
        return [samples.item(value)]
    lost = is_grown(as_list(value))
    if lost is None:
        return None
    try:
        return [kind_of_items(as_list(value), same)]
    except LookupError:
        return [Unknown(lost.why)]


def _collected(env: Env, statement: Callable[[Env], Signal | None] | None) -> Flow:
    """Run a statement that yields as any other, and yield what it would."""
    if statement is None:
        raise Lost(_DATA)
    found: list[Any] = []
    env.run.collected.append(found)
    try:
        signal = statement(env)
    finally:
        env.run.collected.pop()
    if found:
        yield Several(found, _DATA)
    return signal


def _rest(run: Run, frame: int, inner: Flow, first: Several) -> list[Any]:
    """What a generator yields from where it is lost count of to its end, each distinct set of facts once."""
    from .loop_items import distinct

    items = distinct(run, first.items)
    before: Any = None
    for _ in range(_TURNS):
        run.frames.append(frame)
        try:
            given = inner.send(None)
        except StopIteration:
            return items
        except Lost as error:
            return [*items, Unknown(error.why)]
        finally:
            run.frames.pop()
        if given is _ROUND:
            now = [looks(run, item) for item in items]
            if now == before:
                return items
            before = now
            continue
        items = distinct(run, [*items, *(given.items if type(given) is Several else [given])])
    return [*items, Unknown(_DATA)]


def _lost(why: str) -> Step:
    def run(env: Env) -> Flow:
        raise Lost(why)
        yield

    return run
