"""Both ways of what nobody knows: each is tried from the same state, and what they leave is joined."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from .conditions import Conditions
from .control import DEAD, BudgetExhausted, Return, Signal, thrown
from .log.facts import same
from .log.recorder import Recorder
from .state import CONTENTS, Journal, Meeting, alternatives
from .unknowns import doubts
from .unknowns.grown import grown
from .unknowns.joining import are_unlike_lists, join, one_of_lists
from .unknowns.linked import linked, others
from .unknowns.unknown import Lost, Unknown
from .worlds import worlds

if TYPE_CHECKING:
    from .run import Env


Against = tuple[int, bool]


def _has_a_size(returned: tuple[Any, bool]) -> bool:
    return not isinstance(returned[0], (str, int, float, bool, Unknown, type(None)))


class Ways:
    """The ways of unknown conditions in one trace. `spoiled` and `unfollowed` are those of `Run`."""

    journal: Journal
    recorder: Recorder
    attempt: Any
    conditions: Conditions
    frames: list[int]
    spoiled: int
    unfollowed: int

    def __init__(self) -> None:
        self.ways: list[int] = []
        """Those that are being tried: how many tensors there were when each began."""
        self.loops: list[tuple[Meeting, Meeting, Against]] = []
        """The loops being run: where a round ends, where the loop ends, and whether this world runs the round."""
        self.trials: list[tuple[tuple[type[BaseException], ...], Meeting]] = []
        """The `try` statements being run: what they catch, and where their bodies end."""
        self.contrary = 0
        """How many ways are under way that this world would not take, but another: what torch refuses there is no mistake."""
        self.open_conditions = 0
        """How many conditions that no world decides are under way, each on one of its ways."""
        self.beyond = False
        """Whether what runs now comes after a block that this world would have left."""
        self.aside, self.past = 0, False
        """Both again, of conditions of which each world only follows its own way: see `is_contrary`."""
        self._is_perhaps = False
        """Whether it is what may be the same container that is being changed."""

    def both(self, env: Env, ways: list[Any], condition: Any = None, own: int | None = None) -> Signal | None:
        """Try every way of an unknown condition from the same state, and join. `own`: the way that this world takes."""

        def guarded(way: Any) -> Any:
            def walk() -> Signal | None:
                self.ways.append(self.recorder.numbers())
                doubts.NOW.ways += 1
                grad, beyond, past = torch.is_grad_enabled(), self.beyond, self.past
                try:
                    signal: Signal | None = way()
                    if torch.is_grad_enabled() != grad:
                        doubts.open_context()
                    return signal
                except BudgetExhausted:
                    raise
                except Exception as error:
                    self.thrown(error)
                    return DEAD
                finally:
                    torch.set_grad_enabled(grad)
                    self.beyond, self.past = beyond, past
                    self.ways.pop()
                    doubts.NOW.ways -= 1

            return walk

        return alternatives(
            self.journal,
            same,
            [guarded(way) for way in ways],
            lambda signal, contrary: self.leave(env, signal, contrary),
            condition,
            own,
        )

    def either(
        self, env: Env, at: ast.AST, ways: list[Callable[[], Any]], condition: Any, outcome: bool | None
    ) -> Signal | None:
        """Try both ways of a condition. `outcome`: how it came out in this world, if it is open all the same.

        A number that nobody knows has one in each world, and so has a condition on it. Where worlds that are compared are known
        to differ, this one goes on with what its own way leaves, and what others have is held against that in the end.
        Where that way leaves the block, what follows it is as contrary as the other way.
        """
        leaning = condition.leaning if outcome is None and type(condition) is Unknown else None
        if leaning is not None and self.attempt is None:
            frame = self.frames[-1]
            if self.conditions.leans(at, frame, leaning) and self.conditions.is_told_apart(at, frame):
                return self.either(env, at, ways, condition, leaning)
            with self.leaning(env, at, condition):
                return self.both(env, [self._open(way) for way in ways], condition)
        if outcome is None:
            return self.both(env, [self._open(way) for way in ways], condition)
        if not worlds.used():
            self.spoiled += 1  # it is open for what a trace before had found
        own = None
        if self.attempt is None and self.conditions.is_told_apart(at, self.frames[-1]):
            with suppress(Lost):
                worlds.use()
                worlds.take()
                own = int(not outcome)
        ends: list[Signal | None] = []
        ways[outcome] = self._against(ways[outcome], own is not None)
        ways[not outcome] = self._noting(ways[not outcome], ends)
        signal = self.both(env, ways, condition, own)
        left = bool(ends) and ends[0] is not None
        self.past = self.past or (left and own is not None)
        self.beyond = self.beyond or left
        return signal

    @contextmanager
    def leaning(self, env: Env, at: ast.AST, condition: Any, may: bool = True) -> Iterator[None]:
        """Around the join of the ways of such a condition: where it leaves neither, other worlds may tell."""
        unlike, returned = doubts.NOW.unlike, len(env.pending)
        yield
        leaning = condition.leaning if may and type(condition) is Unknown and self.attempt is None else None
        if leaning is None or self.conditions.is_undecided(at):
            return
        if doubts.NOW.unlike > unlike or any(map(_has_a_size, env.pending[returned:])):
            self.conditions.lean(at, self.frames[-1], leaning)

    def _open(self, way: Callable[[], Any]) -> Callable[[], Any]:
        def walk() -> Any:
            self.open_conditions += 1
            try:
                return way()
            finally:
                self.open_conditions -= 1

        return walk

    def _noting(self, way: Callable[[], Any], ends: list[Signal | None]) -> Callable[[], Any]:
        def walk() -> Any:
            signal: Signal | None = way()
            ends.append(signal)
            return signal

        return walk

    def _against(self, way: Callable[[], Any], is_aside: bool) -> Callable[[], Any]:
        def walk() -> Any:
            self.contrary += 1
            self.aside += is_aside
            try:
                return way()
            finally:
                self.contrary -= 1
                self.aside -= is_aside

        return walk

    def thrown(self, error: Exception) -> None:
        """One way of an unknown condition throws: whoever catches it may have to go on from there."""
        for kinds, caught in reversed(self.trials):
            if isinstance(thrown(error), kinds):
                caught.leave()
                self.unfollowed += 1
                self.spoiled += 1
                return

    def is_own(self, tensor: torch.Tensor) -> bool:
        """Whether a tensor was made on the innermost way being tried, so that no other way knows it."""
        return not self.ways or self.recorder.is_since(tensor, self.ways[-1])

    def leave(self, env: Env, signal: Signal, contrary: bool = False) -> None:
        """One way of an unknown condition leaves its block. `contrary`: this world takes another."""
        if isinstance(signal, Return):
            contrary = contrary or self.is_contrary(env.against)
            env.pending.append((signal.value, contrary))
            if env.end is not None:
                env.end.leave(contrary)
        elif self.loops and signal is not DEAD:
            round_end, loop_end, against = self.loops[-1]
            if signal.name == "continue":
                round_end.leave(contrary or self.is_contrary(against))
            else:
                loop_end.leave()

    @property
    def against(self) -> Against:
        """How far what runs now is from what this world does."""
        return self.aside, self.past

    def is_contrary(self, before: Against) -> bool:
        """Whether this world does not do what runs now, though it did, for all that is known, what ran before."""
        return self.aside > before[0] or (self.past and not before[1])

    def join(self, values: list[Any], condition: Any = None) -> Any:
        """What is known of a value that is one of these. `condition`: the unknown value that decides which."""
        if are_unlike_lists(values):  # at once, or each is gone through with every one behind it
            return linked(one_of_lists(values), values)
        doubts.choose(condition)
        joined = values[0]
        for value in values[1:]:
            joined = join(joined, value, same)
        doubts.choose(None)
        return linked(joined, values)

    def perhaps(self, env: Env, container: Any, change: Callable[[Any], Any]) -> None:
        """A container is changed: what may be the same one is, or is not."""
        if self._is_perhaps:
            return
        self._is_perhaps = True
        try:
            for other in others(container):
                self.both(env, [partial(self._changed, other, change), lambda: None])
        finally:
            self._is_perhaps = False

    def _changed(self, container: Any, change: Callable[[Any], Any]) -> None:
        self.journal.note(CONTENTS, container)
        try:
            change(container)
        except Lost as error:
            grown(container, error.why)
