"""Functions and classes that nothing in the file calls, run on made-up inputs.

    targets   what has not run
    usage     what the text of a function says of its parameters (`reads`, `arithmetic`; `arguments`: of a constructor's,
              `alternatives`: what else may be given, `tensors`: how tensors begin), `said` what it states of their shapes
    specs     what is made up for them, `sizes` which numbers
    handed_in what a constructor is handed of the file's own
    case      one of them to be run, with its constructor
    attempt   one run, until the first thing that does not fit; `made` how torch makes sizes of others
    demands   what that asks for (`asked`: by torch's functions; `of_python`: by Python; `equal`: which of two sizes
              gives way, `paired`: and which of two sums of two)
    search    the way to inputs that all runs take
    solve     what the runs then write down; `write` does
    options   what need not be given, and is
    untried   what may be otherwise where an option is given that was not tried
    refusal   a call that torch refuses whatever is given, where nothing was found (`ending`: where it stands)
    vary      what would be otherwise: with other ranks, dtypes, layouts, one more round of a loop (`decided`: where
              another of two numbers is the larger, where a dim is one)
    covering  what holds for all of these
    coincidence sizes that are equal only in what was tried
    used      what a definition tells where others of the file use it
    naming    the runs put together: each size a row of numbers, each row a name or an expression (`words`: which one,
              `bound`: by what, `own_words`: those of a layer that another uses)
    tried     the inputs as text, so that a real run can be given the same
    memory    what was found out of a definition, until it changes; `definitions`: what that depends on

What is assumed this way is marked (`Frame.assumed`), and a finding only where torch refuses it whatever is given.
"""

from __future__ import annotations

import functools
import math
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from ...vocabulary.events import UNFINISHED
from ..control import BudgetExhausted
from . import memory
from .case import Case, Dear, at_most, budget
from .definitions import Definitions
from .options import is_filled, numbers_of, settled, with_filled, with_needed, with_options
from .targets import Target, scopes_run, targets
from .untried import without_untried
from .used import as_used
from .write import keep, write_refused, written

if TYPE_CHECKING:
    from ..run import Env

_Methods = tuple[memory.Worked, ...]
_Begun = list[tuple[Target, _Methods]]
_Cut = dict[tuple[str, str], tuple[Target, _Methods | None]]
"""What is not done, by its name and step: what could be run so far, None if not all was."""


def run_uncalled(env: Env) -> None:
    """At the end of the file: run what has not run, first as it is, then with what else may be given.

    The other methods of layers come after every `forward`.
    """
    env.run.recorder.weights.is_closed = True
    with env.run.spending(budget(env.run.patience)):
        turns = _Turns(env)
        try:
            turns.take()
            if turns.cut:
                env.run.recorder.note(UNFINISHED)
        except BudgetExhausted:
            env.run.recorder.note(UNFINISHED)
        finally:
            _open(env, turns.cut)
            env.run.assumed[:] = as_used(env)


class _Turn(NamedTuple):
    target: Target
    others: bool
    """Whether it is about the methods beside `forward`."""
    suffix: str
    """What tells it from the other turn of a definition."""


class _Turns:
    """Who is tried when: what is cheap, then what is dear, and last what only makes a model. `cut`: what is not done."""

    def __init__(self, env: Env) -> None:
        module = env.module
        self.cut: _Cut = {}
        self._env = env
        self._text = functools.cache(
            lambda: Definitions(module.text, module.broken, env.run.modules.sources.state)
        )
        self._most = env.run.budget.left() / _TRIES
        self._dear: set[str] = set()

    def take(self) -> None:
        """Try all. Raises BudgetExhausted."""
        env, later, makers = self._env, list[_Turn](), list[_Turn]()
        for others, suffix in ((False, ""), (True, " beside forward")):
            last: _Begun = []
            for one in targets(env):
                turn = _Turn(one, others, suffix)
                if others and not one.has_forward:
                    continue
                if self._only_makes(one):
                    makers.append(turn)
                    continue
                try:
                    last += self._begun(turn, self._most if self._dear.isdisjoint(one.uses) else 0)
                except Dear:
                    self._dear.add(one.name)
                    later.append(turn)
                if one.used:  # it takes less, and more hangs on it
                    self._optional(last, suffix)
                if env.run.glimpses is not None:
                    env.run.glimpses.look(env.run)
            self._optional(last, suffix)
        later.sort(key=lambda turn: not turn.target.has_forward)
        for turns in (later, makers):
            for at, turn in enumerate(turns):
                share = max(env.run.budget.left() / (len(turns) - at), _SHARE)
                with suppress(Dear), at_most(share, env.run.budget):
                    self._optional(self._begun(turn, math.inf), turn.suffix)

    def _only_makes(self, target: Target) -> bool:
        """Whether this is a function that is given no tensor, and that no other uses: `def resnet50(**options)`."""
        if isinstance(target.value, type) or target.used:
            return False
        return not Case(self._env, target, None, numbers_of(target)).has_tensors

    def _begun(self, turn: _Turn, most: float) -> _Begun:
        """Try a definition as it is."""
        name, suffix = turn.target.name, turn.suffix
        self.cut[name, suffix] = turn.target, None
        step = functools.partial(_as_it_is, others=turn.others, most=most)
        methods = _remembered(self._env, self._text(), turn.target, suffix, step)
        if methods is None:
            return []
        self.cut[name, suffix] = turn.target, methods
        return [(turn.target, methods)]

    def _optional(self, waiting: _Begun, suffix: str) -> None:
        """Try what waits for it with what else may be given; what is done is `cut` off no more."""
        while waiting:
            target, methods = waiting.pop(0)
            options = functools.partial(with_options, methods=methods)
            step = f"{suffix} with options"
            if _remembered(self._env, self._text(), target, step, options) is not None:
                del self.cut[target.name, suffix]


_TRIES = 30
"""Runs that a definition takes at least: one of which there would never be time for so many waits until the others are done."""


def _remembered(
    env: Env, text: Definitions, target: Target, suffix: str, step: Callable[[Env, Target], _Methods]
) -> _Methods | None:
    """What a step wrote down when last all that it depends on was the same, else what it does now. None if it was cut off."""
    recorder, file, name = env.run.recorder, env.module.file, target.name + suffix
    recorder.leave_room()  # what comes behind one that is edited keeps its numbers
    count, before = memory.Count.of(recorder), len(env.run.assumed)
    key = text.key(target.name)
    left = env.run.budget.left()
    found = memory.get(file, name, key, text, recorder, left) if target.instance is None else None
    if found is not None:
        keep(env, target, found.frames, found.events)
        return found.methods
    methods: _Methods | None = None
    started = time.thread_time()
    try:
        methods = step(env, target)
    except BudgetExhausted:
        took = time.thread_time() - started
        if took < _LONG:
            raise  # it came late: it has its turn in the next trace
        memory.put(file, name, _entry(env, key, count, before, text, methods, took))
        raise
    memory.put(file, name, _entry(env, key, count, before, text, methods))
    return methods


def _open(env: Env, cut: _Cut) -> None:
    """Of what was cut off not all options were tried: what may be otherwise with others is not known."""
    assumed, tried_for = env.run.assumed, env.run.tried
    places: dict[str | None, list[int]] = defaultdict(list)
    for at, event in enumerate(assumed) if cut else ():
        places[tried_for.get(event.frame)].append(at)
    for target, methods in cut.values():
        own = places[target.name]
        every: list[str | None] = [*target.methods] or [None]
        options = {
            one.method: [
                option for option in settled(env, target, one).options() if not is_filled(option, one)
            ]
            for one in (methods or [memory.Worked(method, {}) for method in every] if own else ())
        }
        if any(options.values()):
            events = [assumed[at] for at in own]
            frames, names = env.run.recorder.frames, set(tried_for.values())
            for at, event in zip(own, without_untried(events, frames, target, options, names)):
                assumed[at] = event


_SHARE = 1.5
"""Seconds that what is dear has at least: what takes `_LONG` and is not done makes room for the others the next time."""
_LONG = 1.0
"""Seconds after which a definition is given up until it changes, or there is more time: at the next keystroke it would take as long."""


def _entry(
    env: Env,
    key: Any,
    count: memory.Count,
    before: int,
    text: Definitions,
    methods: _Methods | None,
    gave_up_after: float = 0.0,
) -> memory.Entry:
    recorder = env.run.recorder
    frames, events = tuple(recorder.frames[count.frames :]), tuple(env.run.assumed[before:])
    return memory.Entry(
        key, count, memory.Count.of(recorder), text.extents, frames, events, methods, gave_up_after
    )


def _as_it_is(env: Env, target: Target, others: bool, most: float) -> _Methods:
    """Run a function, or a class with its methods; of a layer `forward`, or the `others`. Returns those that could be run.

    Raises Dear where a run of the first one takes more than `most` seconds; 0 is less than any takes.
    """
    methods: list[str | None] = (
        [*target.methods] if isinstance(target.value, type) and target.methods else [None]
    )
    if target.has_forward and "forward" in methods:
        methods = [method for method in methods if (method == "forward") != others]
    elif target.has_forward and not others:
        return ()
    worked: list[memory.Worked] = []
    for method in methods:
        scope = target.name if method is None else f"{target.name}.{method}"
        if method is None or scope not in scopes_run(env.run, env.module.file):
            case = Case(env, target, method, numbers_of(target))
            case.most = math.inf if worked else most  # what was written down stays
            try:
                if not most:
                    raise Dear
                found = written(env, case)
            except Dear:
                if case.has_tensors:
                    raise
                return ()  # all that it does is to make a model, which is tried by itself
            if found is None and not with_needed(env, case):
                write_refused(env, case)
            if found is not None:
                worked.append(memory.Worked(method, found.settled, found.filled))
                with_filled(env, target, worked[-1])
    return tuple(worked)
