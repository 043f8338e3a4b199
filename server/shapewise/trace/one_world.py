"""One run of a file, in one world and in a torch that is left as it was found."""

from __future__ import annotations

import ast
import builtins
import time
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

import torch
from torch import nn

from . import shims, stdlib
from .compiler import Statement
from .control import Budget, BudgetExhausted
from .fakes.remembered import Remembering
from .gate.own import CONSTRUCTORS, INTERPRETED, MADE, NODES
from .glimpses import Glimpses
from .limits import WHOLE, Limits
from .log.meter import Meter
from .run import AtOnce, Run
from .sources.compiled import repeats
from .sources.modules import Module, Modules
from .sources.sources import Sources
from .state import forget_unsure
from .unknowns import doubts, linked, records
from .unknowns.grown import forget_grown
from .untouched import forget
from .wall import allowed, audit
from .worlds import expected, worlds

_MEASURING = 8.0
"""Seconds of this thread's time for a trace that measures."""
_A_LINE = 0.001
"""Seconds that a line of the file adds to what a trace may take: a long file that is cut off has no hints at its end."""
_DENIED = frozenset("__build_class__ __debug__ __loader__ __spec__ copyright credits license".split())


class File(NamedTuple):
    """A text to be run, and how. `is_last`: what this run comes to is shown. `times`: see `control.Budget`."""

    name: str
    text: str
    broken: dict[int, tuple[str, ...]]
    body: Statement
    called: frozenset[str]
    patience: float | None
    measure: bool
    is_typed: bool = False
    glimpses: Glimpses | None = None
    at_once: AtOnce | None = None
    is_last: bool = False
    times: float = 1.0


def run_in(
    file: File,
    sources: Sources,
    world: worlds.World,
    undecided: set[ast.AST],
    until: float | None = None,
    card: bool = False,
    known: expected.Known = expected.NOTHING,
    like: Run | None = None,
    limits: Limits = WHOLE,
) -> Run:
    """Interpret the file in one world, in a torch that is left as it was found.

    `like`: a run that it must not take much longer than. `limits`: of its loops; with others than for the whole,
    nothing is tried that nobody calls.
    """
    worlds.enter(world)
    if file.measure and until is None:
        until = time.thread_time() + _MEASURING
    if until is None:
        seconds = Budget.MAX_SECONDS + _A_LINE * file.text.count("\n")
        until = time.thread_time() + file.times * seconds
    run = Run(_builtins(), until, card, file.times)
    run.budget.hurries = not file.is_last
    if like is not None:
        run.budget.follow(like.budget)
    run.conditions.undecided, run.conditions.known, run.limits = undecided, known, limits
    run.called, run.told.patience, run.told.is_typed = file.called, file.patience, file.is_typed
    run.glimpses = file.glimpses if world.number == 0 and not card else None
    run.at_once = file.at_once if world.number == 0 and not card else None
    run.repeats = repeats(file.text) and not file.measure
    meter = run.meter = Meter(run) if file.measure else None
    run.guard.measured = meter is not None
    main = Module("__main__", file.name, sources.package, True, file.text, file.broken)
    with ExitStack() as stack:
        stack.enter_context(_torch_as_it_was())
        run.modules = stack.enter_context(Modules(run, main, sources))
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        stack.enter_context(audit.Guarded())
        for kind in ("cpu", "cuda"):
            stack.enter_context(torch.autocast(kind, enabled=False))
        stack.enter_context(torch.inference_mode(False))
        run.fake = stack.enter_context(Remembering())
        stack.enter_context(run.guard)
        if meter is not None:
            stack.enter_context(meter.running())
        began = time.thread_time()
        try:
            stdlib.begin(file.name)
            _run_all(run, main, file.body)
        finally:
            run.seconds = time.thread_time() - began
            INTERPRETED.clear()
            NODES.clear()
            MADE.clear()
            CONSTRUCTORS.clear()
            forget_grown()
            linked.forget()
            records.forget()
            forget_unsure()
            doubts.forget()
            shims.enter(None)
    if run.untouched is not None and run.untouched.is_wrong and run.cut is None:
        forget(file.name)
        return run_in(file, sources, worlds.World(), undecided, until, card, known, like)
    run.numbers_met = world.met
    if meter is not None:
        run.measured = meter.measured()
    return run


def _run_all(run: Run, main: Module, body: Statement) -> None:
    try:
        run.execute(main, body)
    except BudgetExhausted as error:
        run.cut = str(error)
    except RecursionError:
        run.cut = "this file nests too deeply to follow"
    except BaseException as error:  # a SystemExit that the file threw into a generator, say
        run.recorder.note(f"the trace ended early: {type(error).__name__}")
    if run.cut is not None:
        run.recorder.note(run.cut)


def _builtins() -> dict[str, Any]:
    given: dict[str, Any] = {}
    for name, value in vars(builtins).items():
        if name in _DENIED:
            continue
        if not callable(value) or allowed.name_of(value) is not None or id(value) in shims.SHIMS:
            given[name] = shims.given_out(value)
    return {**given, "exit": stdlib.leave, "quit": stdlib.leave}


@contextmanager
def _torch_as_it_was() -> Iterator[None]:
    """Global state that a file may change, put back for the next one."""
    dtype, grad = torch.get_default_dtype(), torch.is_grad_enabled()
    anomaly = torch.is_anomaly_enabled()
    patched = dict(vars(nn.Module))
    try:
        yield
    finally:
        torch.set_default_dtype(dtype)
        torch.set_grad_enabled(grad)
        torch.autograd.set_detect_anomaly(anomaly)
        torch.clear_autocast_cache()
        for name, value in patched.items():
            if vars(nn.Module).get(name) is not value:
                setattr(nn.Module, name, value)
