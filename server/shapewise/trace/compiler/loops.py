"""Loops: run while cheap, cut off at a fixed point, then once more with what changes unknown."""

from __future__ import annotations

import ast
import functools
import itertools
import operator
import types
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

import torch

from ...vocabulary import events
from .. import doubts, samples, worlds
from ..admitted import admit
from ..alike import kind_of_items, more_alike
from ..control import BREAK, CONTINUE, DEAD, Signal
from ..counted import Rows, coming, left
from ..grown import DICTS, as_list, grown, is_grown, mark_of
from ..joining import JOINS, join
from ..operators import truth
from ..recorder import MAX_ROUNDS, same
from ..run import Env, Run
from ..state import CONTENTS, Entry, Meeting, Segment, Slot, read, write
from ..unknown import MISSING, Lost, Unknown, likely
from . import Base, Statement, Target
from .growth import Growth, looks, plain

DRAINED = 4_096
"""So many items are looked at when a loop is cut off: a last, shorter batch is another item."""
ATTEMPTS = 4
"""Rounds that do not come to rest after so many attempts are lost."""
STEADY = 2
"""This many rounds in a row that wrote down the same are a fixed point."""


_NAMED = (str, type, types.FunctionType, torch.nn.Module)

_DATA = "a number of rounds that only data decides"
_CHANGES, _GROWS = "changes from round to round", "grows from round to round"


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
            return [*itertools.islice(items, STEADY)] or [Unknown(_DATA)], Unknown(_DATA)
        return distinct(env.run, [*itertools.islice(items, DRAINED)]) or [Unknown(_DATA)], Unknown(_DATA)
    if total is not None and total > MAX_ROUNDS * 8:
        return [item for item, _ in zip(items, range(STEADY))], Unknown("too many rounds to follow")
    return items, lost


def _kinds_in(value: Any, lost: Unknown) -> list[Any]:
    """What the items of a container of unknown length are: those in it, and any other."""
    try:
        return [kind_of_items(value, same)]
    except LookupError:
        return [*value, Unknown(lost.why)]


def items_of(env: Env, value: Any) -> tuple[Iterator[Any], int | None]:
    """The items of an iterable, and how many there are if that is known. Raises what `iter` raises."""
    if isinstance(value, torch.Tensor):
        if value.dim() == 0:
            raise TypeError("iteration over a 0-d tensor")
        return Rows(value), len(value)
    try:
        total: int | None = len(value)
    except Exception:
        total = None
    items = iter(value)
    return items, left(items) if total is None else total


def distinct(run: Run, items: list[Any]) -> list[Any]:
    """One value for each distinct set of facts among some: what differs within one is unknown."""
    kinds: dict[Any, list[Any]] = {}
    for item in items:
        kinds.setdefault(looks(run, item), []).append(item)
    return [_spread(some) for some in kinds.values()]


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
                return loop.known(items, total, [Unknown(lost.why)])

        return run

    stmt_AsyncFor = stmt_For

    def stmt_While(self, node: ast.While) -> Statement:
        test, body, orelse = self.expression(node.test), self.block(node.body), self.block(node.orelse)

        def run(env: Env) -> Signal | None:
            def conditions() -> Iterator[Any]:
                rounds = env.run.recorder.rounds
                for number in itertools.count():
                    rounds.append(number)  # the condition is read in each round, the first included
                    try:
                        known = env.run.decide(node, truth(env, test(env)))
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


class Loop:
    """One execution of a loop statement."""

    def __init__(self, env: Env, node: ast.AST, bind: Target, body: Statement, orelse: Statement) -> None:
        self.env = env
        self.node = node
        self.run: Run = env.run
        self.bind = bind
        self.body = body
        self.orelse = orelse
        self.growth = Growth(env.run)
        self.last: list[Any] | None = None
        """What the last round that was run wrote down."""

    def known(
        self, items: Iterator[Any], total: int | None, more: list[Any], drain: bool = True
    ) -> Signal | None:
        """Rounds over known items. `more`: items of further rounds that nobody can count.

        `drain`: whether the items of rounds that are cut off can be looked at beforehand.
        """
        run, end = self.run, Meeting(self.run.journal)
        left: Signal | None = None
        try:
            begun = run.budget.ops
            left, missing, order = self._rounds(items, total, more, end, drain)
            run.spent_on[self.node] = run.spent_on.get(self.node, 0) + run.budget.ops - begun
            if missing:
                self._uncounted(missing, end, order)
        finally:
            end.meet(same, left is None or left is BREAK)
        if left is None:
            return self._otherwise(end)
        if left is BREAK:
            return None
        if end.snapshots:  # another way broke out of the loop, and goes on
            run.leave(self.env, left)
            return None
        return left

    def _rounds(
        self, items: Iterator[Any], total: int | None, more: list[Any], end: Meeting, drain: bool
    ) -> tuple[Signal | None, list[Any], list[int] | None]:
        """Run rounds while they are cheap.

        Returns how the loop was left, what the rounds not run go over, and which of these each of
        them has, if that is known.
        """
        run = self.run
        previous, steady, begun, first, limits = None, 0, run.budget.ops, run.budget.steps, run.limits
        is_again = self.node in run.cut_loops
        cheap = max(limits.cheap - run.spent_on.get(self.node, 0), limits.cheap // 8)
        for number in itertools.count():
            try:
                item = next(items)
            except StopIteration:
                return None, more, None
            except Lost as error:
                return None, coming(items, error), None
            except Exception as error:
                return None, [run.absorb(error)], None
            start, ops = len(run.recorder.events), run.budget.ops
            heavy = run.budget.heavy
            segment = run.journal.open()
            try:
                signal = self._round(number, item, end)
            finally:
                run.journal.close(segment)
            if signal is not None:
                return signal, [], None
            signature = _signature(run.recorder.events[start:])
            steady = steady + 1 if signature == previous else 1
            previous = self.last = signature
            cost, spent = run.budget.ops - ops, run.budget.ops - begun
            rest = MAX_ROUNDS if total is None else total - number - 1
            share = 1 if rest <= limits.few_rounds else 4
            is_plain = run.budget.heavy == heavy
            if total is None:
                dear = spent > (limits.again if is_again else limits.uncounted)
            elif is_plain:
                dear = _is_long(run, run.budget.steps - first, number + 1, rest)
            else:
                dear = cost * rest > cheap // share
            few = total is not None and share == 1 and run.budget.ops + cost * rest < limits.growing
            restless = limits.growing if few else limits.restless // share
            longest = limits.plain_rounds if is_plain else MAX_ROUNDS
            left_early = bool(end.snapshots)  # on some way, so that nobody knows how many rounds there are
            enough = dear or (left_early and spent > (limits.again if is_again else limits.left))
            settled = steady >= STEADY and enough
            to_come = run.budget.ops + cost * rest
            own = 0 < rest <= limits.own_rounds and to_come < limits.own and _has_a_name(item)
            if rest and not own and (number >= longest or settled or (dear and spent > restless)):
                run.cut_loops.add(self.node)
                self._widen(segment, True, None if total is None else rest)
                kinds, order = self._kinds(item, items) if drain else ([item], [])
                if total is None or len(order) != rest or more or not drain:
                    return None, kinds + more, None
                return None, kinds, order
        raise AssertionError("a loop ends inside")

    def _kinds(self, last: Any, items: Iterator[Any]) -> tuple[list[Any], list[int]]:
        """The items that are left, one for each distinct set of facts: what differs within one is unknown.

        Also which of them each is, in order. Of more than DRAINED items the rest is taken to be like those.
        """
        if type(items) is Rows and items.alike:
            return [last], [0] * operator.length_hint(items)
        kinds: dict[Any, tuple[int, list[Any]]] = {}
        order: list[int] = []
        before, begun, whole = None, self.run.budget.ops, False
        try:
            for item in itertools.chain([last], itertools.islice(items, DRAINED)):
                if item is not before:
                    number, some = kinds.setdefault(plain(self.run.recorder.describe(item)), (len(kinds), []))
                    some.append(item)
                    before = item
                order.append(number)
                if self.run.budget.ops - begun > self.run.limits.uncounted:
                    break
            else:
                whole = len(order) <= DRAINED
        except Lost as error:
            kinds[None] = (-1, [Unknown(error.why)])
        except Exception as error:
            kinds[None] = (-1, [self.run.absorb(error)])
        return [_spread(some, whole) for _, some in kinds.values()], order[1:]

    def uncounted(self, value: Any, items: Iterator[Any]) -> Signal | None:
        """A loop over known items that has another number of rounds in another world."""
        if type(value) is range and value:
            return self.unknown(samples.item(Unknown(_DATA, sample=value)))
        first = next(items, MISSING)
        kinds = [Unknown(_DATA)] if first is MISSING else self._kinds(first, items)[0]
        return self.unknown(*kinds)

    def unknown(self, *items: Any) -> Signal | None:
        """A loop of nobody knows how many rounds over such items: none, one, or more."""
        end = Meeting(self.run.journal)
        try:
            self._uncounted(list(items), end)
        finally:
            end.meet(same)
        return self._otherwise(end)

    def _otherwise(self, end: Meeting) -> Signal | None:
        """The `else` of the loop, which is passed over where a round broke out of it: on some way, perhaps."""
        if not end.snapshots:
            return self.orelse(self.env)
        ways = [lambda: None, lambda: self.orelse(self.env)]
        return self.run.both(self.env, ways, doubts.ROUNDS)

    def _uncounted(self, items: list[Any], end: Meeting, order: list[int] | None = None) -> None:
        """Rounds of unknown number over such items: until what they write down no longer changes.

        `order`: which of the items each round has, where that is known.
        """
        growth = self.growth
        previous = None if growth.shapes else self.last
        for attempt in range(ATTEMPTS):
            if attempt == 1:
                growth.look_ahead()
            start = len(self.run.recorder.events)
            segment = self.run.journal.open()
            try:
                for kind, item in enumerate(items):
                    growth.begin()
                    ways = [lambda: None, functools.partial(self._maybe, kind, item, end)]
                    self.run.both(self.env, ways, doubts.ROUNDS)
                    growth.settle()
            finally:
                self.run.journal.close(segment)
            moved = self._widen(segment)
            signature = _signature(self.run.recorder.events[start:])
            if signature == previous and not moved:
                break
            previous = signature
        else:
            self._forget(segment)
        if end.snapshots:
            growth.give_up()
        growth.finish(order)

    def _maybe(self, kind: int, item: Any, end: Meeting) -> Signal | None:
        signal = self._round(MAX_ROUNDS, item, end)
        if signal is None:
            self.growth.end(kind)
        else:
            self.growth.give_up()
        return None if signal is BREAK else signal

    def _round(self, number: int, item: Any, end: Meeting) -> Signal | None:
        run = self.run
        run.budget.step()
        run.recorder.rounds.append(number)
        meeting = Meeting(run.journal)
        run.loops.append((meeting, end, []))
        signal: Signal | None = None
        beyond = run.beyond
        try:
            self.bind(self.env, admit(item))
            signal = self.body(self.env)
        finally:
            run.loops.pop()
            run.beyond = beyond
            run.recorder.rounds.pop()
            meeting.meet(same, signal is None or signal is CONTINUE)
        if signal is CONTINUE or (signal is DEAD and meeting.snapshots):
            return None
        return signal

    def _widen(self, segment: Segment, watched: bool = False, rest: int | None = None) -> bool:
        """What the last round changed will change again: from now on it is not known.

        `watched`: the round was really run, and `rest` are to come. Returns whether anything is known less than before.
        """
        doubts.choose(doubts.ROUNDS)
        moved = False
        for slot, entry in list(segment.entries.items()):
            kind, target, key, old = entry
            if kind == CONTENTS and self.run.journal.is_born_in(segment, target):
                continue  # it is another in each round
            if kind == CONTENTS:
                if len(old) != len(target) and id(target) not in self.growth.lists:
                    moved = moved or mark_of(target) is None
                    if watched and isinstance(target, list):
                        self.growth.list(target)
                    elif mark_of(target) is None and type(target) in DICTS:
                        more_alike(target, _GROWS, same)
                    elif mark_of(target) is None:
                        grown(target, _GROWS, alike=isinstance(target, deque))
                elif watched and isinstance(target, (list, dict)):
                    self._longer(slot, entry, target.copy(), rest)
                continue
            now = read(kind, target, key)
            if old is now or old is MISSING or now is MISSING:
                continue
            if watched:
                self.growth.number(slot, entry, now, rest)
            if type(now) is Unknown:
                continue
            joined = join(old, now, same)
            if watched and self._longer(slot, entry, now, rest):
                moved = True
            elif joined is old and type(joined) in JOINS:
                self.run.journal.note(kind, target, key)
                write(kind, target, key, old)
            elif type(joined) is Unknown or type(joined) in JOINS:
                moved = True
                if type(joined) is Unknown:
                    joined = _changing(old, now)
                self.run.journal.note(kind, target, key)
                write(kind, target, key, joined)
            elif not same(old, now):
                moved = moved or self._looks(old) != self._looks(now)
        doubts.choose(None)
        return moved

    def _longer(self, slot: Slot, entry: Entry, now: Any, rest: int | None) -> bool:
        """Whether what the last round changed became longer, and is watched."""
        if isinstance(now, (int, float)) or self._looks(entry[3]) == self._looks(now):
            return False
        return self.growth.shape(slot, entry, now, rest)

    def _looks(self, value: Any) -> Any:
        return looks(self.run, value)

    def _forget(self, segment: Segment) -> None:
        """The rounds do not come to rest: nothing they write is known."""
        self.growth.give_up()
        for kind, target, key, _ in list(segment.entries.values()):
            if kind == CONTENTS and self.run.journal.is_born_in(segment, target):
                continue
            self.run.journal.note(kind, target, key)
            if kind == CONTENTS:
                grown(target, _GROWS, alike=isinstance(target, deque))
            elif read(kind, target, key) is not MISSING:
                write(kind, target, key, Unknown(_CHANGES))


def _has_a_name(item: Any) -> bool:
    """Whether a round over it does what no other does: a word, a class, a function, a layer, perhaps with more."""
    if isinstance(item, tuple):
        return any(isinstance(part, _NAMED) for part in item)
    return isinstance(item, _NAMED)


def _is_long(run: Run, steps: int, rounds: int, rest: int) -> bool:
    """Whether so many rounds more take too many steps, if they take as many as those before: a few tell nothing."""
    most = run.limits.plain_steps
    left_over = min(most, (run.budget.WORLDS_STEPS - run.budget.steps) // 2)
    return steps > most // 10 and steps * rest > left_over * rounds


def _changing(old: Any, now: Any) -> Unknown:
    """What was one thing and then another: any number, if both are floats."""
    before = old.sample if type(old) is Unknown else old
    if type(before) is type(now) is float:
        return worlds.real(_CHANGES)
    return Unknown(_CHANGES, isinstance(now, torch.Tensor))


def _spread(items: list[Any], whole: bool = False) -> Any:
    """What is common to items of one kind: a number is somewhere between the lowest and the highest.

    `whole`: there are no other items, so that no comparison with a number beyond these two is open.
    """
    first = items[0]
    if len(items) == 1:
        return first
    if all(type(item) is int for item in items):
        low, high = min(items), max(items)
        if low == high:
            return first
        between = worlds.between(low, high, _CHANGES)
        between.limits = (low, high) if whole else None
        return between
    if type(first) is tuple and all(type(item) is tuple and len(item) == len(first) for item in items):
        return tuple(_spread(list(column), whole) for column in zip(*items))
    kind = first
    doubts.choose(doubts.ROUNDS)
    for item in {id(item): item for item in items}.values():
        kind = join(kind, item, same)
    doubts.choose(None)
    return kind


def _signature(log: list[events.Event]) -> list[Any]:
    """What some events say, without the identity of the tensors."""
    return [
        (event.span, _shapes(event))
        for event in log
        if not isinstance(event, events.Bound) or event.kind != "expression"
    ]


def _shapes(event: events.Event) -> Any:
    if isinstance(event, events.Bound):
        return plain(event.value)
    return (plain(event.result), event.failure)
