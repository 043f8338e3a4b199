"""Loops: run while cheap, cut off at a fixed point, then once more with what changes unknown."""

from __future__ import annotations

import ast
import functools
import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import torch

from ...vocabulary import events
from .. import doubts, worlds
from ..attributes import admit
from ..control import BREAK, CONTINUE, DEAD, Signal
from ..counted import left
from ..operators import truth
from ..recorder import same
from ..run import Env, Run
from ..state import CONTENTS, JOINS, MISSING, Meeting, grown, is_grown, join, kind_of_items
from ..unknown import Lost, Unknown
from . import Base, Statement, Target

MAX_ROUNDS = 512
PLAIN_ROUNDS = 5_000
"""A loop that calls nothing of torch's may go on longer."""
CHEAP_OPS = 2_000
"""A loop whose remaining rounds cost fewer native calls than this runs to its end."""
UNCOUNTED_OPS = 300
"""A loop whose end nobody knows may cost so many native calls before it is cut off."""
RESTLESS_OPS = 3_000
"""And one that is still new in each round so many."""
DRAINED = 128
"""So many items are looked at when a loop is cut off: a last, shorter batch is another item."""
STEADY = 2
"""This many rounds in a row that wrote down the same are a fixed point."""


_DATA = "a number of rounds that only data decides"


def rounds(env: Env, at: ast.AST, value: Any) -> tuple[Iterable[Any], Unknown | None]:
    """The items of an iterable for a comprehension, and why they are not all, if they are not."""
    if type(value) is Unknown:
        return [worlds.item(value)], Unknown(value.why)
    lost = is_grown(value)
    items, total = items_of(env, value)
    if total is not None and env.run.decide(at, total) is None:
        return [item for item, _ in zip(items, range(STEADY))] or [Unknown(_DATA)], Unknown(_DATA)
    if total is not None and total > MAX_ROUNDS * 8:
        return [item for item, _ in zip(items, range(STEADY))], Unknown("too many rounds to follow")
    return items, lost


def items_of(env: Env, value: Any) -> tuple[Iterator[Any], int | None]:
    """The items of an iterable, and how many there are if that is known. Raises what `iter` raises."""
    if isinstance(value, torch.Tensor):
        if value.dim() == 0:
            raise TypeError("iteration over a 0-d tensor")
        return (value[index] for index in range(len(value))), len(value)
    try:
        total: int | None = len(value)
    except Exception:
        total = None
    items = iter(value)
    return items, left(items) if total is None else total


class Loops(Base):
    """The part of the compiler that compiles `for` and `while`."""

    def stmt_For(self, node: ast.For) -> Statement:
        source, bind = self.expression(node.iter), self.target(node.target)
        body, orelse = self.block(node.body), self.block(node.orelse)

        def run(env: Env) -> Signal | None:
            value, loop = source(env), Loop(env, bind, body, orelse)
            if type(value) is Unknown:
                return loop.unknown(worlds.item(value))
            try:
                items, total = items_of(env, value)
            except Exception as error:
                return loop.unknown(env.run.absorb(error))
            if total is not None and env.run.decide(node, total) is None:
                return loop.uncounted(items)
            lost = is_grown(value)
            if lost is None:
                return loop.known(items, total, [])
            try:
                return loop.unknown(kind_of_items(value, same))
            except LookupError:
                return loop.known(items, total, [Unknown(lost.why)])

        return run

    stmt_AsyncFor = stmt_For

    def stmt_While(self, node: ast.While) -> Statement:
        test, body, orelse = self.expression(node.test), self.block(node.body), self.block(node.orelse)

        def run(env: Env) -> Signal | None:
            def conditions() -> Iterator[Any]:
                while True:
                    known = env.run.decide(node, truth(env, test(env)))
                    if known is None:
                        raise Lost("a condition that is not known")
                    if not known:
                        return
                    yield None

            loop = Loop(env, lambda env, item: None, body, orelse)
            return loop.known(conditions(), None, [], drain=False)

        return run


class Loop:
    """One execution of a loop statement."""

    def __init__(self, env: Env, bind: Target, body: Statement, orelse: Statement) -> None:
        self.env = env
        self.run: Run = env.run
        self.bind = bind
        self.body = body
        self.orelse = orelse

    def known(
        self, items: Iterator[Any], total: int | None, more: list[Any], drain: bool = True
    ) -> Signal | None:
        """Rounds over known items. `more`: items of further rounds that nobody can count.

        `drain`: whether the items of rounds that are cut off can be looked at beforehand.
        """
        run, end = self.run, Meeting(self.run.journal)
        left: Signal | None = None
        try:
            left, missing = self._rounds(items, total, more, end, drain)
            if missing:
                self._uncounted(missing, end)
        finally:
            end.meet(same, left is None or left is BREAK)
        if left is None:
            return self.orelse(self.env)
        if left is BREAK:
            return None
        if end.snapshots:  # another way broke out of the loop, and goes on
            run.leave(self.env, left)
            return None
        return left

    def _rounds(
        self, items: Iterator[Any], total: int | None, more: list[Any], end: Meeting, drain: bool
    ) -> tuple[Signal | None, list[Any]]:
        """Run rounds while they are cheap. Returns how the loop was left, and what the rounds not run go over."""
        run = self.run
        previous, steady, begun = None, 0, run.budget.ops
        for number in itertools.count():
            try:
                item = next(items)
            except StopIteration:
                return None, more
            except Lost as error:
                return None, [Unknown(error.why)]
            except Exception as error:
                return None, [run.absorb(error)]
            start, ops = len(run.recorder.events), run.budget.ops
            segment = run.journal.open()
            try:
                signal = self._round(number, item, end)
            finally:
                run.journal.close(segment)
            if signal is not None:
                return signal, []
            signature = _signature(run.recorder.events[start:])
            steady = steady + 1 if signature == previous else 1
            previous = signature
            cost, spent = run.budget.ops - ops, run.budget.ops - begun
            if total is None:
                rest, dear = MAX_ROUNDS, spent > UNCOUNTED_OPS
            else:
                rest = total - number - 1
                dear = cost * rest > CHEAP_OPS
            longest = MAX_ROUNDS if cost else PLAIN_ROUNDS
            if rest and (number >= longest or (steady >= STEADY and dear) or (dear and spent > RESTLESS_OPS)):
                self._widen(segment)
                return None, (self._kinds(item, items) if drain else [item]) + more
        raise AssertionError("a loop ends inside")

    def _kinds(self, last: Any, items: Iterator[Any]) -> list[Any]:
        """The items that are left, one for each distinct set of facts: what differs within one is unknown.

        Of more than DRAINED items the rest is taken to be like those.
        """
        kinds: dict[Any, Any] = {}
        try:
            for item in itertools.chain([last], itertools.islice(items, DRAINED)):
                key = _plain(self.run.recorder.describe(item))
                kinds[key] = join(kinds[key], item, same) if key in kinds else item
        except Lost as error:
            kinds[None] = Unknown(error.why)
        except Exception as error:
            kinds[None] = self.run.absorb(error)
        return list(kinds.values())

    def uncounted(self, items: Iterator[Any]) -> Signal | None:
        """A loop over known items that has another number of rounds in another world."""
        first = next(items, MISSING)
        kinds = [Unknown(_DATA)] if first is MISSING else self._kinds(first, items)
        return self.unknown(*kinds)

    def unknown(self, *items: Any) -> Signal | None:
        """A loop of nobody knows how many rounds over such items: none, one, or more."""
        end = Meeting(self.run.journal)
        try:
            self._uncounted(list(items), end)
        finally:
            end.meet(same)
        return self.orelse(self.env)

    def _uncounted(self, items: list[Any], end: Meeting) -> None:
        """Rounds of unknown number over such items: until what they write down no longer changes."""
        previous = None
        for _ in range(3):
            start = len(self.run.recorder.events)
            segment = self.run.journal.open()
            try:
                for item in items:
                    ways = [lambda: None, functools.partial(self._maybe, item, end)]
                    self.run.both(self.env, ways, doubts.ROUNDS)
            finally:
                self.run.journal.close(segment)
            self._widen(segment)
            signature = _signature(self.run.recorder.events[start:])
            if signature == previous:
                break
            previous = signature

    def _maybe(self, item: Any, end: Meeting) -> Signal | None:
        signal = self._round(MAX_ROUNDS, item, end)
        return None if signal is BREAK else signal

    def _round(self, number: int, item: Any, end: Meeting) -> Signal | None:
        run = self.run
        run.budget.step()
        run.recorder.rounds.append(number)
        meeting = Meeting(run.journal)
        run.loops.append((meeting, end, []))
        signal: Signal | None = None
        try:
            self.bind(self.env, admit(item))
            signal = self.body(self.env)
        finally:
            run.loops.pop()
            run.recorder.rounds.pop()
            meeting.meet(same, signal is None or signal is CONTINUE)
        if signal is CONTINUE or (signal is DEAD and meeting.snapshots):
            return None
        return signal

    def _widen(self, segment: Any) -> None:
        """What the last round changed will change again: from now on it is not known."""
        doubts.choose(doubts.ROUNDS)
        for (_, kind, key), (_, target, _, old) in list(segment.entries.items()):
            if kind == CONTENTS:
                if len(old) != len(target):
                    grown(target, "grows from round to round")
                continue
            now = target.get(key) if isinstance(target, dict) else getattr(target, key, None)
            if now is None or old is now:
                continue
            joined = join(old, now, same)
            if joined is not now and joined is not old and type(joined) in (Unknown, *JOINS):
                self.run.journal.note(kind, target, key)
                why = joined
                if type(joined) is Unknown:
                    why = Unknown("changes from round to round", isinstance(now, torch.Tensor))
                if isinstance(target, dict):
                    target[key] = why
                else:
                    try:
                        setattr(target, key, why)
                    except Exception:
                        continue
        doubts.choose(None)


def _signature(log: list[events.Event]) -> list[Any]:
    """What some events say, without the identity of the tensors."""
    return [(event.span, _shapes(event)) for event in log]


def _shapes(event: events.Event) -> Any:
    if isinstance(event, events.Bound):
        return _plain(event.value)
    return (_plain(event.result), event.failure)


def _plain(value: events.Value) -> Any:
    if isinstance(value, events.Tensor):
        return (value.shape, value.dtype, value.stride, value.device, value.requires_grad)
    if isinstance(value, events.Group):
        return tuple(map(_plain, value.items))
    return type(value)
