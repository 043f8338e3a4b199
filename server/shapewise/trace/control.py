"""How statements end, and what stops a trace.

A compiled statement returns None when control simply goes on, else one of the signals below.
"""

from __future__ import annotations

import threading
import time
from typing import Any

from ..vocabulary.events import STOPPED

STOP = threading.Event()
"""Set by whoever reads requests, when the trace that is under way is wanted no more."""
HURRY = threading.Event()
"""Set before STOP where time is short, and what is known so far is wanted."""


class Signal:
    """A way of leaving a block."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


BREAK = Signal("break")
CONTINUE = Signal("continue")
DEAD = Signal("dead")
"""No way leads on from here: every alternative has left the block."""


class Return(Signal):
    """The function returns `value`."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        super().__init__("return")
        self.value = value


def leaves_nothing(signal: Signal) -> bool:
    """Whether it would, at the top of a file, leave a function or a loop: there is none, the text is being typed."""
    return signal in (BREAK, CONTINUE) or isinstance(signal, Return)


class BudgetExhausted(BaseException):
    """The trace took too many steps or too long; a BaseException so that no `except` of the user's sees it."""


class Thrown(Exception):
    """What the file throws that `except Exception` does not catch (SystemExit, KeyboardInterrupt), on its way.

    The interpreter's own clauses go by Exception: only those of the file look inside.
    """

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error))
        self.error = error


def thrown(error: BaseException) -> BaseException:
    """The exception as the file sees it."""
    return error.error if isinstance(error, Thrown) else error


def kinds_of(value: Any) -> tuple[type[BaseException], ...]:
    """The exception classes of an `except` clause; an unknown one catches nothing that we know of."""
    if isinstance(value, tuple):
        return tuple(kind for item in value for kind in kinds_of(item))
    return (value,) if isinstance(value, type) and issubclass(value, BaseException) else ()


_SOME = 200
"""Steps that a trace of next to nothing may take more than another."""


class Budget:
    """Counts the work of one trace, in steps: deterministic, so that equal texts get equal logs.

    `ops` counts native calls (a step each, more where torch does more, less where it is plain Python: `heavy` leaves these out), `calls`
    those of interpreted functions, `depth` how deep they are nested.
    """

    MAX_STEPS = 250_000
    MAX_OPS: float = 30_000
    MAX_CALLS = 20_000
    MAX_DEPTH = 90
    MAX_SECONDS = 5.0
    """Of this thread's own time, for steps that are long in themselves; the counts come first."""
    WORLDS_STEPS = 150_000
    WORLDS_OPS = 16_000
    """A file that takes more is traced in one world only."""

    def __init__(self, until: float | None = None, times: float = 1.0) -> None:
        """`until` of this thread's time; without it `times` the usual seconds, as it has `times` the usual work."""
        if times != 1.0:
            self.MAX_STEPS, self.MAX_CALLS = int(self.MAX_STEPS * times), int(self.MAX_CALLS * times)
            self.WORLDS_STEPS, self.WORLDS_OPS = int(self.WORLDS_STEPS * times), int(self.WORLDS_OPS * times)
            self.MAX_OPS *= times
        self.times = times
        self.steps = 0
        self.ops = 0.0
        self.heavy = 0.0
        self.depth = 0
        self.calls = 0
        self.out = False
        self.hurries = True
        """Whether it ends where time is short: not the run that is to tell what is known until then."""
        self.until = time.thread_time() + self.MAX_SECONDS * times if until is None else until
        self._left = 0.0

    @property
    def light(self) -> bool:
        """Whether so little was done that the file can be traced some more times."""
        return self.steps < self.WORLDS_STEPS and self.ops < self.WORLDS_OPS and not self.out

    def follow(self, other: Budget) -> None:
        """About as much as another trace of the same file took, and not much more."""
        self.MAX_STEPS = min(self.MAX_STEPS, other.steps * 5 // 4 + _SOME)
        self.MAX_OPS = min(self.MAX_OPS, other.ops * 5 // 4 + _SOME)
        self.MAX_CALLS = min(self.MAX_CALLS, other.calls * 5 // 4 + _SOME)

    def stop(self) -> None:
        """The clock stands still from now on."""
        self._left = self.until - time.thread_time()

    def go(self) -> None:
        """The clock runs again."""
        self.until = time.thread_time() + self._left

    def is_used_up(self) -> bool:
        """Whether no step more may be taken, whatever time there is."""
        return self.steps > self.MAX_STEPS or self.calls > self.MAX_CALLS or self.ops > self.MAX_OPS

    def left(self) -> float:
        """Seconds of this thread's time."""
        return self.until - time.thread_time()

    def spend(self, steps: int, ops: float, heavy: float, calls: int) -> None:
        """What took so much of it is not done again: it counts all the same."""
        self.steps += steps
        self.ops += ops
        self.heavy += heavy
        self.calls += calls

    def step(self) -> None:
        """One statement or loop round. Raises BudgetExhausted at the limit."""
        self.steps += 1
        if STOP.is_set():
            if not self.hurries and HURRY.is_set():
                STOP.clear()  # the next one is the last
                self.hurries = True
            else:
                self.out = True
                raise BudgetExhausted(STOPPED)
        if self.steps > self.MAX_STEPS:
            raise BudgetExhausted("this file takes too many steps to follow to its end")
        if not self.steps % 256:
            self.look_at_the_clock()

    def look_at_the_clock(self) -> None:
        """Raises BudgetExhausted where the time is over."""
        if time.thread_time() > self.until:
            self.out = True
            raise BudgetExhausted("this file takes too long to follow to its end")

    def call(self) -> None:
        """One call of an interpreted function. Raises BudgetExhausted at the limit."""
        self.calls += 1
        if self.calls > self.MAX_CALLS:
            raise BudgetExhausted("this file calls its functions too often to follow to its end")

    def op(self, weight: float = 1) -> None:
        """One native call. Raises BudgetExhausted at the limit."""
        self.ops += weight
        self.heavy += weight if weight >= 1 else 0
        if self.ops > self.MAX_OPS:
            raise BudgetExhausted("this file makes too many torch calls to follow to its end")
