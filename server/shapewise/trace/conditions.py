"""How the conditions of one trace came out, and which of them are taken both ways however they come out."""

from __future__ import annotations

import ast
from typing import Any, NamedTuple

from .log.recorder import Recorder
from .worlds import worlds
from .worlds.expected import NOTHING, Condition, Decision, Undecided, condition, known_as


class Decided(NamedTuple):
    """How a condition, or the number of rounds of a loop, came out in a frame; None: nobody knows.

    `is_open`: it is taken both ways all the same, as other worlds have another outcome. `is_own`: of these it may go on with
    what its own leaves.
    """

    at: ast.AST
    frame: int
    outcome: Any
    is_open: bool
    is_own: bool = False


class Conditions:
    """Those of one trace. `made_up`: that it happens on inputs that are made up, of which nothing was expected."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self.outcomes: dict[Decision, list[Any]] = {}
        """How conditions came out, and how many rounds loops had, since the trace depends on its world."""
        self.undecided: set[ast.AST] = set()
        """The conditions and loops that other worlds decide otherwise."""
        self.known = NOTHING
        """Those that are taken to be so since they were in the last trace: see `worlds.expected`."""
        self.open_outcomes: dict[ast.AST, list[Any]] = {}
        """How both of these would have come out."""
        self.lost: set[Decision] = set()
        """Where nobody knew an outcome in the world of no rows: what led there may only have failed in it."""
        self.watched: list[Decided] | None = None
        """How conditions came out during a call that may be said again."""

    def decide(self, at: ast.AST, frame: int, outcome: Any, made_up: bool) -> Any:
        """The outcome of a condition, or the number of rounds of a loop: None where other worlds have another."""
        is_open = at in self.undecided or self._is_expected(at, frame, made_up)
        if is_open or outcome is not None:
            decided = Decided(at, frame, outcome, is_open, self._may_be_told_apart(at))
            if self.watched is not None:
                condition(at, self._recorder.frames[frame])
                self.watched.append(decided)
            self.note(decided, made_up)
        if outcome is None and not made_up and worlds.here().number == worlds.EMPTY:
            condition(at, self._recorder.frames[frame])
            self.lost.add((at, self._recorder.chain(frame)))
        return None if is_open else outcome

    @property
    def expected(self) -> frozenset[Condition]:
        return self.known.differing

    def is_told_apart(self, at: ast.AST, frame: int) -> bool:
        """Whether a condition that is taken both ways comes out differently in worlds that are compared: each has its own way, then."""
        if not self._may_be_told_apart(at):
            return False
        alike = self.undecided.alike if isinstance(self.undecided, Undecided) else ()
        return (at, self._recorder.chain(frame)) not in alike

    def _may_be_told_apart(self, at: ast.AST) -> bool:
        if isinstance(self.undecided, Undecided) and at in self.undecided:
            return at in self.undecided.told_apart
        return bool(self.expected) and hasattr(at, "_known_as") and known_as(at) in self.known.told_apart

    def leans(self, at: ast.AST, frame: int, outcome: bool) -> bool:
        """Whether it is known of a condition that nobody knows that other worlds have another outcome than this one."""
        is_open = at in self.undecided or self._is_expected(at, frame, False)
        if is_open:
            self.lean(at, frame, outcome, True)
        return is_open

    def lean(self, at: ast.AST, frame: int, outcome: bool, is_open: bool = False) -> None:
        """Its two ways have left what is known of neither: it matters whether other worlds have another outcome."""
        decided = Decided(at, frame, outcome, is_open, self._may_be_told_apart(at))
        condition(at, self._recorder.frames[frame])
        if self.watched is not None:
            self.watched.append(decided)
        if is_open:
            self.note(decided, False)
        else:
            self.outcomes.setdefault((at, self._recorder.chain(frame)), []).append(outcome)

    def note(self, decided: Decided, made_up: bool) -> None:
        """A condition came out so. Worlds are compared call by call: one of them may lack some."""
        at, frame, outcome, is_open, _ = decided
        if is_open:
            if outcome is not None and not made_up:
                self.open_outcomes.setdefault(at, []).append(outcome)
        elif worlds.used():
            condition(at, self._recorder.frames[frame])
            self.outcomes.setdefault((at, self._recorder.chain(frame)), []).append(outcome)

    def _is_expected(self, at: ast.AST, frame: int, made_up: bool) -> bool:
        if not self.expected or made_up:
            return False
        return condition(at, self._recorder.frames[frame]) in self.expected

    def is_as(self, decided: Decided) -> bool:
        """Whether a condition that was decided before is taken in this run as it was then."""
        at = decided.at
        return self.is_undecided(at) == decided.is_open and self._may_be_told_apart(at) == decided.is_own

    def is_undecided(self, at: ast.AST) -> bool:
        """Whether a condition that was decided before is taken both ways in this run, however it comes out."""
        return at in self.undecided or (
            bool(self.expected) and hasattr(at, "_known_as") and known_as(at) in self.expected
        )
