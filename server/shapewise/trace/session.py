"""One trace from text to log, in a torch that is left as it was found."""

from __future__ import annotations

import functools
import gc
import logging
import platform
import time
import typing
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace

import torch

from ..vocabulary.clash import is_clash
from ..vocabulary.events import SHORT, STOPPED, Event, Frame, Log, Op, Tensor
from . import arrays, neighbours, shims, stdlib, untouched
from .all_worlds import OTHERS, in_all_worlds
from .fakes import autocast, grouped, patches, torch_classes
from .fakes import dependent as dependent  # these register their handlers
from .fakes import moving as moving
from .fakes import sequences as sequences
from .fakes import sparse as sparse
from .fakes import strides as strides
from .glimpses import Glimpses
from .loading import loaders
from .log.documentation import documentation as documentation
from .naming.names_by_calls import with_names
from .one_world import File, run_in
from .outline import Outline
from .refusals import checked_by_data as checked_by_data
from .run import Run
from .sources.compiled import compile_text
from .sources.sources import Sources
from .wall import allowed, audit, namespaces
from .worlds import worlds

_BETWEEN_FULL = 5.0
"""Seconds of this thread's time after which all is collected: some 0.3 seconds with large packages in memory."""


class _Tidied:
    at = 0.0


@functools.cache
def prepare() -> None:
    """Once a process, however often it is asked for: load what files may import, patch torch, put up the walls."""
    warnings.simplefilter("ignore")
    for name in ("torch._subclasses.fake_tensor", "torch._dynamo", "torch"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    patches.install()
    grouped.install()
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
    """Between two traces, when nobody waits: prepare for the next edit, and free what the last trace left in cycles.

    With collection off, all of it is still in the youngest generation, but for what something held
    until later: that goes when traces have taken a while.
    """
    untouched.look_ahead()
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
    typed: bool = False,
    times: float = 1.0,
) -> Log:
    """Interpret a text that parses. `broken`: line of a blanked statement -> names unknown from there.

    `sources`: where the modules come from that it imports. `called`: functions that other files
    call, by their scopes: no inputs are made up for them; for the others in `patience` seconds; where somebody
    waits who has `typed`, for what was edited itself and little more.
    `measure`: what its layers do is measured, and nothing is made up. `card`: as on a machine that has a
    card; nothing is written down but what leads to clashes of devices. `early` is told, now and then, what
    is known so far; of an edit of a file that takes long, once (`outline`). With so many `times` the usual time
    it need not be short.
    Raises SyntaxError if the text does not parse after all.
    """
    started = time.perf_counter()
    body = compile_text(text, broken)
    sources = sources or Sources()

    def tell(run: Run, events: Sequence[Event]) -> None:
        assert early is not None
        early(_log(file, run, events, sources, time.perf_counter() - started))

    def tell_at_once(run: Run, frames: Sequence[Frame], events: Sequence[Event]) -> None:
        assert early is not None
        early(_part(file, frames, events, sources, time.perf_counter() - started))

    whole = File(file, text, broken, body, called, patience, measure, typed, times=times)
    outline = Outline(whole, sources, tell) if early is not None else None
    if early is not None:
        whole = whole._replace(at_once=tell_at_once) if typed else whole._replace(glimpses=Glimpses(tell))
    first, events = _on_a_card(whole, sources) if card else in_all_worlds(whole, sources, outline)
    if outline is not None and first.cut != STOPPED:
        outline.done(first)
    if first.is_short and times == 1.0 and first.cut != STOPPED:
        first.recorder.note(SHORT)
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
        (*with_names(run.recorder, events), *run.told.events),
        tuple(run.recorder.notes),
        run.cut,
        sources.own,
        _asks_for_card(run),
        None,
        run.measured,
        run.recorder.weights.all(),
        run.told.unfinished,
    )


def _part(
    file: str, frames: Sequence[Frame], events: Sequence[Event], sources: Sources, seconds: float
) -> Log:
    """A log of some events alone. `frames`: theirs among them."""
    spoken_of = {event.frame for event in events}
    own = [frame for frame in frames if frame.id in spoken_of]
    numbers = {frame.id: at for at, frame in enumerate(own)}
    return Log(
        file,
        platform.python_version(),
        torch.__version__.split("+")[0],
        seconds,
        tuple(replace(frame, id=at, parent=None, site=None) for at, frame in enumerate(own)),
        tuple(replace(event, frame=numbers[event.frame]) for event in events),
        files=sources.own,
    )


def _asks_for_card(run: Run) -> bool:
    """Whether the file asks for a card, none is here, and another run would not take too long."""
    return (
        run.switched.asked_for_card
        and not run.card
        and not torch.cuda.is_available()
        and run.budget.light
        and run.modules.light
    )


def _on_a_card(file: File, sources: Sources) -> tuple[Run, Sequence[Event]]:
    """Run the file as where there is a card. Nothing happens there that no rule asks for."""
    until = time.thread_time() + OTHERS
    run = run_in(file, sources, worlds.World(alone=True), set(), until, card=True)
    return run, run.recorder.events if any(map(_tells_of_the_card, run.recorder.events)) else ()


def _tells_of_the_card(event: Event) -> bool:
    """Whether devices clash in it, numpy is asked for what lies on the card, or what is not contiguous copied to it."""
    if not isinstance(event, Op):
        return False
    if event.name == "numpy" and event.args and isinstance(event.args[0], Tensor):
        return event.args[0].device not in (None, "cpu", "meta")
    if event.failure is not None:
        return is_clash(event.failure.message)
    given, made = event.args[0] if event.args else None, event.result
    if not isinstance(given, Tensor) or not isinstance(made, Tensor):
        return False
    return given.contiguous is False and given.device == "cpu" and made.device not in (None, "cpu", "meta")
