"""One execution of a loop: round by round while that is cheap, then once more with what changes unknown."""

from __future__ import annotations

import ast
import functools
import itertools
import types
from collections.abc import Iterator
from typing import Any

import torch

from ...vocabulary import events
from ..control import BREAK, CONTINUE, DEAD, Signal
from ..gate.admitted import admit
from ..limits import TO_ITS_END, WHOLE
from ..log.facts import same
from ..log.recorder import MAX_ROUNDS
from ..run import Env, Run
from ..state import Meeting
from ..unknowns import doubts, samples
from ..unknowns.counted import coming
from ..unknowns.unknown import MISSING, Lost, Unknown
from . import Statement, Target
from .growth import Growth, plain
from .loop_items import BY_DATA, kinds_left
from .widening import forget, widen

ATTEMPTS = 4
"""Rounds that do not come to rest after so many attempts are lost."""
TRIED = 2
"""Rounds that are left are tried so often at least: so few are run, if they are cheap."""
STEADY = 2
"""This many rounds in a row that wrote down the same are a fixed point."""
_NAMED = (str, type, types.FunctionType, torch.nn.Module)


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
        self.mixed = False
        """Whether one round that is not run stands for several that do something of their own: what torch refuses there is no mistake."""

    def known(
        self, items: Iterator[Any], total: int | None, more: list[Any], drain: bool = True
    ) -> Signal | None:
        """Rounds over known items. `more`: items of further rounds that nobody can count.

        `drain`: whether the items of rounds that are cut off can be looked at beforehand.
        """
        run, end = self.run, Meeting(self.run.journal)
        left: Signal | None = None
        try:
            begun, first = run.budget.ops, run.budget.steps
            left, missing, order = self._rounds(items, total, more, end, drain)
            run.spent_on[self.node] = run.spent_on.get(self.node, 0) + run.budget.ops - begun
            run.steps_in[self.node] = run.steps_in.get(self.node, 0) + run.budget.steps - first
            if missing:
                run.contrary += self.mixed
                try:
                    self._uncounted(missing, end, order)
                finally:
                    run.contrary -= self.mixed
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
        previous, steady, begun, first = None, 0, run.budget.ops, run.budget.steps
        limits = WHOLE if run.limits is TO_ITS_END and run.is_constructing() else run.limits
        is_again = self.node in run.cut_loops
        spent_before = run.spent_on.get(self.node, 0)
        cheap = max(limits.cheap - spent_before, limits.cheap // 8)
        plain_steps = max(limits.plain_steps - run.steps_in.get(self.node, 0), limits.plain_steps // 32)
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
            signature = signature_of(run.recorder.events[start:])
            steady = steady + 1 if signature == previous else 1
            previous = self.last = signature
            cost, spent = run.budget.ops - ops, run.budget.ops - begun
            rest = MAX_ROUNDS if total is None else total - number - 1
            share = 1 if rest <= limits.few_rounds else 4
            is_plain = run.budget.heavy == heavy
            if total is None:
                dear = spent > (limits.again if is_again else limits.uncounted)
            elif is_plain:
                dear = _is_long(run, plain_steps, run.budget.steps - first, number + 1, rest)
            else:
                dear = cost * rest > cheap // share
            few = total is not None and share == 1 and run.budget.ops + cost * rest < limits.growing
            restless: float = limits.growing if few else limits.restless // share
            restless = max(restless - spent_before, restless // 8)
            longest = limits.plain_rounds if is_plain else MAX_ROUNDS
            left_early = bool(end.snapshots)  # on some way, so that nobody knows how many rounds there are
            enough = dear or (left_early and spent > (limits.again if is_again else limits.left))
            settled = steady >= STEADY and enough
            to_come = run.budget.ops + cost * rest
            own = rest <= limits.own_rounds and to_come < limits.own and _has_a_name(item)
            last = rest <= TRIED and cost * rest <= limits.cheap
            if (
                rest
                and not own
                and not last
                and (number >= longest or settled or (dear and spent > restless))
            ):
                run.cut_loops.add(self.node)
                self.mixed = _has_a_name(item)
                widen(run, self.growth, segment, True, None if total is None else rest)
                kinds, order = kinds_left(self.run, item, items) if drain else ([item], [])
                if total is None or len(order) != rest or more or not drain:
                    return None, kinds + more, None
                return None, kinds, order
        raise AssertionError("a loop ends inside")

    def uncounted(self, value: Any, items: Iterator[Any]) -> Signal | None:
        """A loop over known items that has another number of rounds in another world."""
        if type(value) is range and value:
            return self.unknown(samples.item(Unknown(BY_DATA, sample=value)))
        first = next(items, MISSING)
        kinds = [Unknown(BY_DATA)] if first is MISSING else kinds_left(self.run, first, items)[0]
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
            moved = widen(self.run, self.growth, segment)
            signature = signature_of(self.run.recorder.events[start:])
            if signature == previous and not moved:
                break
            previous = signature
        else:
            forget(self.run, self.growth, segment)
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
        against = run.against
        run.loops.append((meeting, end, against))
        signal: Signal | None = None
        beyond, past = run.beyond, run.past
        try:
            self.bind(self.env, admit(item))
            signal = self.body(self.env)
        finally:
            run.loops.pop()
            contrary = run.is_contrary(against)
            run.beyond, run.past = beyond, past
            run.recorder.rounds.pop()
            meeting.meet(same, signal is None or signal is CONTINUE, contrary)
        if signal is CONTINUE or (signal is DEAD and meeting.snapshots):
            return None
        return signal


def _has_a_name(item: Any) -> bool:
    """Whether a round over it does what no other does: a word, a class, a function, a layer, perhaps with more."""
    if isinstance(item, tuple):
        return any(isinstance(part, _NAMED) for part in item)
    return isinstance(item, _NAMED)


def _is_long(run: Run, most: int, steps: int, rounds: int, rest: int) -> bool:
    """Whether so many rounds more take too many steps, if they take as many as those before: a few tell nothing."""
    left_over = min(most, (run.budget.WORLDS_STEPS - run.budget.steps) // 2)
    return steps > most // 10 and steps * rest > left_over * rounds


def signature_of(log: list[events.Event]) -> list[Any]:
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
