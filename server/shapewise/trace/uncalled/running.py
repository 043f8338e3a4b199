"""One run of a case: what was in the way, or what was written down."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from ...vocabulary.events import Event, Frame
from ..control import STOP, Budget, BudgetExhausted
from ..worlds import worlds
from ..worlds.apart import Apart
from .attempt import Attempt
from .searching.outcomes import Outcome, key_in
from .searching.trouble import Ended, Stopped, Trouble

if TYPE_CHECKING:
    from .case import Case


@dataclass
class Recorded:
    """What one run wrote down. `selves`: by frame, the object whose method ran.

    `broadcasts`: operations on tensors that had not the same number of dims.
    """

    frames: list[Frame]
    events: list[Event]
    selves: dict[int, Any]
    decisions: dict[Any, list[Any]] = field(default_factory=dict)
    broadcasts: int = 0
    unlike: tuple[tuple[str, str], ...] = ()
    """Parameters that were asked whether they are equal, and were made up so that they are not."""
    has_lengths: bool = False
    """Whether a length was given out that only data decides: `x[mask]`."""


class _Budget(Budget):
    """Of all that is made up in one trace."""

    MAX_STEPS = 1_000_000
    MAX_OPS = 150_000
    MAX_CALLS = 150_000
    MAX_SECONDS = 6.0


def budget(seconds: float | None) -> Budget:
    """A new one, standing still. `seconds` of this thread's time, if it is said how many."""
    made = _Budget(None if seconds is None else time.thread_time() + seconds)
    made.stop()
    return made


class Dear(BaseException):
    """One run takes so long that what is cheaper comes first; a BaseException so that no `except` of the file's sees it."""


@contextmanager
def _set_up(case: Case, attempt: Attempt, number: int, integers: bool) -> Iterator[None]:
    """The trace is on made-up inputs."""
    run = case.env.run
    recorder, world = run.recorder, worlds.here()
    apart = Apart(downward=number == 1) if case.is_apart else None
    worlds.enter(worlds.World(worlds.OF_RUNS[number], apart=apart))
    worlds.here().used = True  # so that decisions are written down
    before = (run.attempt, run.guard.run, recorder.integers, recorder.mute, run.site, run.conditions.outcomes)
    run.attempt, run.guard.run, recorder.integers, recorder.mute = attempt, run, integers, not integers
    run.conditions.outcomes, run.site = {}, None  # no call leads to it
    training = torch.is_grad_enabled()
    try:
        yield
    finally:
        run.attempt, run.guard.run, recorder.integers, recorder.mute, run.site, run.conditions.outcomes = (
            before
        )
        torch.set_grad_enabled(training)
        worlds.enter(world)


@contextmanager
def at_most(seconds: float, budget: Budget) -> Iterator[None]:
    """What is done takes no longer than so many seconds of this thread's time. Raises Dear where it would."""
    until, budget.until = budget.until, min(budget.until, time.thread_time() + seconds)
    try:
        yield
    except BudgetExhausted:
        if time.thread_time() < until and not STOP.is_set() and not budget.is_used_up():
            budget.out = False
            raise Dear from None
        raise
    finally:
        budget.until = until


def attempted(
    case: Case, number: int, keep: bool, looks: bool | None = None
) -> tuple[Attempt, Trouble | None, Recorded | None]:
    """One run: what was in the way, or what was written down (`keep`). Raises Dear where it takes too long.

    `looks`: it looks for inputs; if it is not said, what is not written down does.
    """
    looks = not keep if looks is None else looks
    key = key_in(case, number)
    found = None if key is None else case.outcomes.get(key, keep, looks)
    if found is None:
        found = _made(case, number, keep, looks)
        if key is not None:
            case.outcomes.put(key, keep, looks, found)
    case.declined = found.declined
    return found.attempt, found.trouble, found.recorded if keep else None


def _made(case: Case, number: int, keep: bool, looks: bool) -> Outcome:
    run = case.env.run
    attempt = Attempt(case.sizes, number, looks, case.ending, case.level)
    if case.ending is not None:
        case.ending.again()
    frames, events = len(run.recorder.frames), len(run.recorder.events)
    trouble: Trouble | None = None
    decisions: dict[Any, list[Any]] = {}
    lengths = False
    with _set_up(case, attempt, number, keep), at_most(case.most, run.budget):
        try:
            run.budget.look_at_the_clock()
            case.run(number)
            if case.ending is not None:
                case.ending.refuted = True
                trouble = Trouble(ValueError("it was not refused"))
        except Ended:
            pass
        except Stopped as stopped:
            trouble = stopped.trouble
        except BudgetExhausted:
            raise
        except Exception as error:  # sizes that cannot be
            trouble = Trouble(error)
        finally:
            decisions = run.conditions.outcomes
            lengths = bool(worlds.here().given)
            del run.frames[1:]
            taken = run.recorder.cut(frames, events)
    if trouble is not None:
        _forget_frames(trouble.error)
    if trouble is not None or not keep:
        return Outcome(attempt, trouble, None, case.declined)
    unlike = tuple(attempt.unlike)
    recorded = Recorded(*taken, attempt.selves, decisions, attempt.broadcasts, unlike, lengths)
    return Outcome(attempt, None, recorded, case.declined)


def _forget_frames(error: BaseException) -> None:
    """Let go of the frames that an error came through, and of the tensors there: there are many tries."""
    below: BaseException | None = error
    while below is not None:
        inner = below.__context__
        below.__traceback__ = below.__context__ = below.__cause__ = None
        below = inner
