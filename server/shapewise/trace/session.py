"""One trace from text to log, in a torch that is left as it was found."""

from __future__ import annotations

import ast
import builtins
import gc
import logging
import platform
import time
import typing
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

import torch
from torch import nn

from ..vocabulary.events import Event, Log, Op, Tensor
from . import (
    arrays,
    autocast,
    devices,
    doubts,
    expected,
    loaders,
    neighbours,
    patches,
    shims,
    stdlib,
    torch_classes,
    worlds,
)
from . import dependent as dependent  # registers its handlers
from . import sequences as sequences
from . import strides as strides
from .compiled import compile_text, repeats
from .compiler import Statement
from .control import BudgetExhausted
from .documentation import documentation as documentation
from .glimpses import Glimpses
from .measures import together
from .merging import Traced, merged
from .meter import Meter
from .modules import Module, Modules
from .names_by_data import is_open, named
from .own import INTERPRETED, MADE, NODES
from .remembered import Remembering
from .run import Run
from .sources import Sources
from .state import forget_grown
from .wall import allowed, audit, namespaces

_OTHERS = 3.0
"""Seconds of this thread's time that further worlds may take in addition to the first."""
_MEASURING = 8.0
"""Seconds of this thread's time for a trace that measures."""
_DENIED = frozenset("__build_class__ __debug__ __loader__ __spec__ copyright credits license".split())


_BETWEEN_FULL = 5.0
"""Seconds of this thread's time after which all is collected: some 0.3 seconds with large packages in memory."""


class _Tidied:
    at = 0.0


def prepare() -> None:
    """Once a process: load what files may import, make the lists, patch torch, put up the walls."""
    warnings.simplefilter("ignore")
    for name in ("torch._subclasses.fake_tensor", "torch._dynamo", "torch"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    patches.install()
    torch_classes.install()
    loaders.install()
    autocast.install()
    allowed.build()
    stdlib.prepare()
    shims.prepare()
    arrays.list_stand_ins()
    neighbours.prepare()
    for path in namespaces.MODULES:
        namespaces.behind(path)
    warm_up()
    audit.install()
    gc.disable()  # see `tidy`
    gc.collect()
    gc.freeze()  # what torch consists of is there for good: 200 ms at every full collection


def tidy() -> None:
    """Between two traces, when nobody waits: free what the last one left in cycles.

    With collection off, all of it is still in the youngest generation, but for what something held
    until later: that goes when traces have taken a while.
    """
    for forget in getattr(typing, "_cleanups", ()):
        forget()  # `Optional[Block]` is kept there, and with a class of the file its whole trace
    gc.collect(1)
    if time.thread_time() > _Tidied.at + _BETWEEN_FULL:
        gc.collect()
        _Tidied.at = time.thread_time()


def warm_up() -> None:
    """The first fake ops cost most of a second and import half of torch: before anyone waits, before the walls."""
    trace("<warm-up>", _WARM_UP, {})


_WARM_UP = """
import torch, numpy as np
x = torch.randn(2, 3, 4, 4)
net = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(16, 5))
optimizer = torch.optim.AdamW(net.parameters())
loss = torch.nn.functional.cross_entropy(net(x), torch.randint(0, 5, (2,)))
loss.backward()
optimizer.step()
y = x.mean(dim=1).softmax(-1) @ torch.randn(4, 4)
"""


def trace(
    file: str,
    text: str,
    broken: dict[int, tuple[str, ...]],
    sources: Sources | None = None,
    called: frozenset[str] = frozenset(),
    patience: float | None = None,
    measure: bool = False,
    card: bool = False,
    early: Callable[[Log], None] | None = None,
) -> Log:
    """Interpret a text that parses. `broken`: line of a blanked statement -> names unknown from there.

    `sources`: where the modules come from that it imports. `called`: functions that other files
    call, by their scopes: no inputs are made up for them; for the others in `patience` seconds.
    `measure`: what its layers do is measured, and nothing is made up. `card`: as on a machine that has a
    card; nothing is written down but what leads to clashes of devices. `early` is told, now and then, what
    is known so far.
    Raises SyntaxError if the text does not parse after all.
    """
    started = time.perf_counter()
    body = compile_text(text, broken)
    sources = sources or Sources()

    def tell(run: Run) -> None:
        assert early is not None
        early(_log(file, run, run.recorder.events, sources, time.perf_counter() - started))

    glimpses = Glimpses(tell) if early is not None else None
    whole = _File(file, text, broken, body, called, patience, measure, glimpses)
    first, events = _on_a_card(whole, sources) if card else _in_all_worlds(whole, sources)
    return _log(file, first, events, sources, time.perf_counter() - started)


def _log(
    file: str,
    run: Run,
    events: Sequence[Event],
    sources: Sources,
    seconds: float,
) -> Log:
    return Log(
        file,
        platform.python_version(),
        torch.__version__.split("+")[0],
        seconds,
        tuple(run.recorder.frames),
        (*events, *run.assumed),
        tuple(run.recorder.notes),
        run.cut,
        sources.own,
        _asks_for_card(run),
        None,
        run.measured,
        run.recorder.weights.all(),
    )


class _File(NamedTuple):
    name: str
    text: str
    broken: dict[int, tuple[str, ...]]
    body: Statement
    called: frozenset[str]
    patience: float | None
    measure: bool
    glimpses: Glimpses | None = None


def _asks_for_card(run: Run) -> bool:
    """Whether the file asks for a card, none is here, and another run would not take too long."""
    return (
        run.asked_for_card
        and not run.card
        and not torch.cuda.is_available()
        and run.budget.light
        and run.modules.light
    )


def _on_a_card(file: _File, sources: Sources) -> tuple[Run, Sequence[Event]]:
    """Run the file as where there is a card. Nothing happens there that no rule asks for."""
    until = time.thread_time() + _OTHERS
    run = _world(file, sources, worlds.World(alone=True), set(), until, card=True)
    return run, run.recorder.events if any(map(_tells_of_the_card, run.recorder.events)) else ()


def _tells_of_the_card(event: Event) -> bool:
    """Whether devices clash in it, or a tensor is copied to the card that is not contiguous."""
    if not isinstance(event, Op):
        return False
    if event.failure is not None:
        return event.failure.message.startswith(devices.CLASH)
    given, made = event.args[0] if event.args else None, event.result
    if not isinstance(given, Tensor) or not isinstance(made, Tensor):
        return False
    return given.contiguous is False and given.device == "cpu" and made.device not in (None, "cpu", "meta")


def _in_all_worlds(file: _File, sources: Sources) -> tuple[Run, Sequence[Event]]:
    """Run the file in one world; in all, if anything in it depends on which one it is.

    What they decide differently (an `if` on a size that depends on the data) is taken both ways in
    a second attempt; at once, if it was so the last time.
    """
    known = expected.of_file(file.name)
    traced = _as_expected(file, sources, known) if known.differing else None
    return traced or _from_the_beginning(file, sources)


def _as_expected(file: _File, sources: Sources, known: expected.Known) -> tuple[Run, Sequence[Event]] | None:
    """As the last attempt of the last trace was; None if that is not what a trace from the beginning comes to."""
    run = _world(file, sources, worlds.World(), set(), None, known=known.differing)
    if not worlds.used() and not run.expected_outcomes:
        return run, run.recorder.events
    others = _others(file, sources, run, set(), known.differing) if worlds.used() else []
    if not others or not known.expects(expected.differing(run, others)):
        return None
    whole = _together(file, sources, run, others, set(), known.differing)
    if not known.expects(whole.differing) or not known.still_holds(
        run, [*others, *whole.apart], whole.events
    ):
        return None
    return run, whole.events


def _from_the_beginning(file: _File, sources: Sources) -> tuple[Run, Sequence[Event]]:
    undecided: set[ast.AST] = set()
    until = None
    for last in (False, True):
        run = _world(file, sources, worlds.World(), undecided, until)
        until = run.budget.until + _OTHERS
        if not worlds.used():
            expected.remember(file.name, run)
            return run, run.recorder.events
        others = _others(file, sources, run, undecided)
        if not others:
            until = time.thread_time() + _OTHERS
            run = _world(file, sources, worlds.World(alone=True), undecided, until)
            return run, run.recorder.events
        differing = expected.differing(run, others)
        if last or not differing:
            whole = _together(file, sources, run, others, undecided)
            differing |= whole.differing
            if last or not differing:
                break
        undecided |= differing
    expected.remember(file.name, run, [*others, *whole.apart], undecided, differing)
    return run, whole.events


def _others(
    file: _File,
    sources: Sources,
    first: Run,
    undecided: set[ast.AST],
    known: frozenset[expected.Condition] = frozenset(),
) -> list[Run]:
    """The runs in the other worlds that the first one asks for; none if they take too long.

    Of that of nothing a part will do: it only contradicts.
    """
    if not (first.budget.light and first.modules.light):
        return []
    until = first.budget.until + _OTHERS
    others = [
        _world(file, sources, worlds.World(number), undecided, until, known=known)
        for number in range(1, worlds.needed())
    ]
    return [] if others[0].budget.out else others


class _Whole(NamedTuple):
    """What all worlds say together. `apart`: the runs in which every size is another, if there were any.

    `differing`: the conditions that only those decide otherwise.
    """

    events: Sequence[Event]
    apart: tuple[Run, ...] = ()
    differing: frozenset[ast.AST] = frozenset()


def _together(
    file: _File,
    sources: Sources,
    run: Run,
    others: Sequence[Run],
    undecided: set[ast.AST],
    known: frozenset[expected.Condition] = frozenset(),
) -> _Whole:
    """What is equal in all worlds, and names for what is not."""
    run.measured = together(run.measured, [one.measured for one in others])
    events = merged(_traced(run), list(map(_traced, others)))
    if file.measure or not is_open(events):
        return _Whole(events)
    until = run.budget.until + _OTHERS
    pair = worlds.apart()
    far = [_world(file, sources, world, undecided, until, known=known, like=run) for world in pair]
    events = named(
        events, list(map(_traced, (run, others[0], *far))), [world.apart for world in pair if world.apart]
    )
    differing = {
        at
        for at, found in run.decisions.items()
        if any(set(one.decisions.get(at, ())) - set(found) for one in far)
    }
    return _Whole(events, tuple(far), frozenset(differing))


def _traced(run: Run) -> Traced:
    recorder = run.recorder
    return Traced(recorder.frames, recorder.events, recorder.words, recorder.selves, recorder.alike)


def _world(
    file: _File,
    sources: Sources,
    world: worlds.World,
    undecided: set[ast.AST],
    until: float | None = None,
    card: bool = False,
    known: frozenset[expected.Condition] = frozenset(),
    like: Run | None = None,
) -> Run:
    """Interpret the file in one world, in a torch that is left as it was found.

    `like`: a run that it must not take much longer than.
    """
    worlds.enter(world)
    if file.measure and until is None:
        until = time.thread_time() + _MEASURING
    run = Run(_builtins(), until, card)
    if like is not None:
        run.budget.follow(like.budget)
    run.undecided, run.expected = undecided, known
    run.called, run.patience = file.called, file.patience
    run.glimpses = file.glimpses if world.number == 0 and not card else None
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
        try:
            stdlib.begin(file.name)
            _run_all(run, main, file.body)
        finally:
            INTERPRETED.clear()
            NODES.clear()
            MADE.clear()
            forget_grown()
            doubts.forget()
            shims.enter(None)
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
