"""Who is tried when: what is known is written down, then what was edited last, what is cheap, what is dear, what only makes a model."""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from ..control import BudgetExhausted
from ..log.numbering import Count
from . import at_once, memory
from .case import Case
from .definitions import Definitions
from .doubting.edited import Before
from .options import numbers_of, with_filled, with_needed, with_options, with_prepared
from .running import Dear, at_most
from .targets import CALLED, Target, scopes_run, targets
from .write import keep, write_refused, written

if TYPE_CHECKING:
    from ..run import Env

Methods = tuple[memory.Worked, ...]

_TRIES = 30
"""Runs that a definition takes at least: one of which there would never be time for so many waits until the others are done."""
_BRIEF = 0.05
"""Seconds of the thread's time: what took less as it is need not wait for the others to be tried with its options."""
_SHARE = 1.5
"""Seconds that what is dear has at least: what takes `_LONG` and is not done makes room for the others the next time."""
_LONG = 1.0
"""Seconds after which a definition is given up until it changes, or there is more time: at the next keystroke it would take as long."""

_AT_ONCE = 0.2
"""Seconds that what was edited may take to be run as it was found before: if it takes longer, it is not dear alone."""
_SOON = 0.05
"""Seconds that what hangs on an edit, and has not been edited itself, makes somebody wait who types."""


@dataclass(eq=False)
class Turn:
    """A definition to be tried: as it is, then with what else may be given. Of a layer `forward`, or the `others`.

    `methods`: those that could be run as they are, None as long as that is not known.
    """

    target: Target
    others: bool = False
    methods: Methods | None = None
    is_begun: bool = False
    is_done: bool = False
    is_dear: bool = False
    is_given_up: bool = False
    """Whether it took too long before, and there is no more time for it now; or nests too deeply to be tried."""

    @property
    def suffix(self) -> str:
        """What tells it from the other turn of a definition."""
        return " beside forward" if self.others else ""


class Turns:
    """All that is to be tried in one trace."""

    def __init__(self, env: Env) -> None:
        self._env, self._file = env, env.module.file
        self._most = env.run.budget.left() / _TRIES
        self._dear: set[str] = set()
        self._before: dict[str, Before | None] = {}
        self._all = [Turn(one) for one in targets(env)]
        is_recalled = all(one.target.instance is None for one in self._all)
        env.run.told.untried = frozenset(one.target.name for one in self._all) if is_recalled else None
        self._all += [Turn(one.target, others=True) for one in self._all if one.target.has_forward]

    @functools.cached_property
    def _text(self) -> Definitions:
        module = self._env.module
        return Definitions(module.text, module.broken, self._env.run.modules.sources.state)

    def key(self, turn: Turn) -> Any:
        """What decides about a definition."""
        return self._text.key(turn.target.name)

    def before(self, turn: Turn) -> Before | None:
        """What was told of a definition before it was edited, if no more than that has happened to it since all was tried."""
        name = turn.target.name
        if name not in self._before:
            self._before[name] = self._before_edit(name, self.key(turn))
        return self._before[name]

    def _before_edit(self, name: str, key: Any) -> Before | None:
        extent = self._text.extents.get(name)
        suffixes = [one.suffix for one in self._all if one.target.name == name]
        for suffix in suffixes:
            memory.set_aside(self._file, name + suffix, _AS_IT_IS, _WITH_OPTIONS)
        kept = [entry for suffix in suffixes for entry in memory.whole(self._file, name + suffix)]
        kept = [entry for entry in kept if entry.key == kept[0].key]  # of one text, the edit is one
        if extent is None or not kept or name not in kept[0].extents:
            return None
        before = Before(name, kept, key, extent.text, extent.first)
        return before if before.holds else None

    @property
    def cut(self) -> list[Turn]:
        """What is not done."""
        return [turn for turn in self._all if not turn.is_done]

    def take(self) -> None:
        """Try what was edited last, which is shown before others are gone on with; all, if nothing was. Raises BudgetExhausted."""
        if not self._all:
            return  # of a long file even to ask what was edited takes its time
        for turn in self._all:
            self._recall(turn)
        if self.cut and (untouched := self._env.run.untouched) is not None:
            untouched.need_all()
            if untouched.is_wrong:
                return
        self._look()
        keys = {turn.target.name: self._text.key(turn.target.name) for turn in self._all}
        texts = {name: extent.text for name, extent in self._text.extents.items()}
        edits = memory.edited(self._file, self._env.module.text, keys, texts)
        waiting = [turn for turn in self.cut if not turn.is_given_up]
        latest = max((edits.when[turn.target.name] for turn in waiting), default=0)
        newest = [turn for turn in waiting if edits.when[turn.target.name] == latest]
        if edits.is_new and self._env.run.told.is_typed:
            self._try_soon(newest, edits.direct)
        else:
            self._try(newest)

    def _try_soon(self, newest: list[Turn], direct: frozenset[str]) -> None:
        """Try what was edited itself as it is, and only what is over soon of the rest: that is gone on with while nobody edits."""
        edited = [one for one in newest if one.target.name in direct and not self._only_makes(one.target)]
        for turn in edited:
            self._tell_at_once(turn)
        self._try_dear([turn for turn in edited if not self._begins(turn)])
        self._look()
        if direct:
            with suppress(Dear), at_most(_SOON, self._env.run.budget):
                self._try(newest)

    def _tell_at_once(self, turn: Turn) -> None:
        """Tell what the function that was edited tells on the inputs that did for it before, as far as that holds."""
        run = self._env.run
        tell, before = run.at_once, self.before(turn)
        whole = memory.whole(self._file, turn.target.name + turn.suffix)
        if tell is None or before is None or not whole or not before.is_of(whole[0].key):
            return
        with suppress(Dear), at_most(_AT_ONCE, run.budget):
            for worked in whole[0].methods or ():
                told = at_once.told(self._env, turn.target, worked, before)
                if told is not None:
                    tell(run, *told)

    def _try(self, waiting: list[Turn]) -> None:
        dear: list[Turn] = []
        makers: list[Turn] = []
        for _, alike in groupby(waiting, lambda turn: turn.others):
            begun: list[Turn] = []
            for turn in alike:
                if self._only_makes(turn.target):
                    makers.append(turn)
                elif not self._begins(turn):
                    dear.append(turn)
                elif not turn.is_done:
                    begun.append(turn)
                self._look()
            for turn in begun:
                self._finish(turn)
                self._look()
        dear.sort(key=lambda turn: not turn.target.has_forward)
        self._try_dear(dear)
        self._try_dear(makers)

    def _try_dear(self, turns: list[Turn]) -> None:
        """Try what takes long, each with its share of the time."""
        for at, turn in enumerate(turns):
            share = max(self._env.run.budget.left() / (len(turns) - at), _SHARE)
            with suppress(Dear), at_most(share, self._env.run.budget):
                self._begin(turn, math.inf)
                self._finish(turn)

    def _look(self) -> None:
        if self._env.run.glimpses is not None:
            self._env.run.glimpses.look(self._env.run)

    def _only_makes(self, target: Target) -> bool:
        """Whether this is a function that is given no tensor, and that no other uses: `def resnet50(**options)`."""
        if isinstance(target.value, type) or target.used:
            return False
        return not Case(self._env, target, None, numbers_of(target)).has_tensors

    # ------------------------------------------------------------ one turn

    def _recall(self, turn: Turn) -> None:
        """Write down what was found out before."""
        turn.methods = self._remembered(turn, _AS_IT_IS)
        if turn.methods is not None:
            turn.is_done = self._remembered(turn, _WITH_OPTIONS) is not None

    def _begins(self, turn: Turn) -> bool:
        """Try a definition as it is, and at once with what else may be given where others use it and it is brief. False: it is dear."""
        began = time.thread_time()
        if turn.is_dear:
            return False
        try:
            self._begin(turn, self._most if self._dear.isdisjoint(turn.target.uses) else 0)
        except Dear:
            turn.is_dear = True
            self._dear.add(turn.target.name)
            return False
        if turn.target.used and time.thread_time() < began + _BRIEF:
            self._finish(turn)
        return True

    def _begin(self, turn: Turn, most: float) -> None:
        """Try a definition as it is. Raises Dear."""
        turn.is_begun = True
        if turn.methods is None:
            memory.set_aside(self._file, turn.target.name + turn.suffix, _AS_IT_IS, _WITH_OPTIONS)
            turn.methods = self._made(turn, _AS_IT_IS, lambda: _as_it_is(self._env, turn, most))
        if not turn.methods:
            self._finish(turn)

    def _finish(self, turn: Turn) -> None:
        """Try it with what else may be given."""
        methods = turn.methods
        if methods is not None and not turn.is_done:
            options = functools.partial(with_options, self._env, turn.target, methods)
            self._made(turn, _WITH_OPTIONS, options)
            turn.is_done = not turn.is_given_up

    def _remembered(self, turn: Turn, step: str) -> Methods | None:
        """What a step found out when last all that it depends on was the same, and wrote down; None if it did not end."""
        if turn.target.instance is not None:
            return None
        recorder = self._env.run.recorder
        recorder.leave_room()  # what comes behind one that is edited keeps its numbers
        name, left = turn.target.name, self._env.run.budget.left()
        found = memory.get(
            self._file, name + turn.suffix + step, self._text.key(name), self._text, recorder, left
        )
        if found is None:
            return None
        keep(self._env, turn.target, found.frames, found.events)
        turn.is_begun = True
        turn.is_given_up = found.methods is None
        return found.methods

    def _made(self, turn: Turn, step: str, make: Callable[[], Methods]) -> Methods:
        """What a step finds out now, kept for the next trace. Raises BudgetExhausted and Dear."""
        recorder, run = self._env.run.recorder, self._env.run
        recorder.leave_room()
        count, before, started = Count.of(recorder), len(run.told.events), time.thread_time()

        def put(methods: Methods | None, gave_up_after: float = 0.0) -> None:
            name = turn.target.name
            frames, events = tuple(recorder.frames[count.frames :]), tuple(run.told.events[before:])
            entry = memory.Entry(
                self._text.key(name),
                count,
                Count.of(recorder),
                self._text.extents,
                frames,
                events,
                methods,
                gave_up_after,
            )
            memory.put(self._file, name + turn.suffix + step, entry)

        try:
            methods = make()
        except BudgetExhausted:
            took = time.thread_time() - started
            if took >= _LONG:  # else it came late, and has its turn in the next trace
                put(None, took)
            raise
        except RecursionError:  # it costs what is tried here, not all that the file tells
            del run.told.events[before:]
            put(None, math.inf)
            turn.is_given_up = True
            return ()
        put(methods)
        return methods


_AS_IT_IS, _WITH_OPTIONS = "", " with options"


def _has_run(env: Env, method: str, scope: str) -> bool:
    """Whether a method has run; a helper (`_split_heads`) also where another definition that was tried called it."""
    if scope in scopes_run(env.run, env.module.file):
        return True
    helps = method.startswith("_") and method not in CALLED
    file = env.module.file
    return helps and any(
        frame.scope == scope and frame.file == file and not frame.blind for frame in env.run.recorder.frames
    )


def _as_it_is(env: Env, turn: Turn, most: float) -> Methods:
    """Run a function, or a class with its methods. Returns those that could be run.

    Raises Dear where a run of the first one takes more than `most` seconds; 0 is less than any takes.
    """
    target = turn.target
    methods: list[str | None] = (
        [*target.methods] if isinstance(target.value, type) and target.methods else [None]
    )
    if target.has_forward and "forward" in methods:
        methods = [method for method in methods if (method == "forward") != turn.others]
    elif target.has_forward and not turn.others:
        return ()
    worked: list[memory.Worked] = []
    for method in methods:
        scope = target.name if method is None else f"{target.name}.{method}"
        if method is None or not _has_run(env, method, scope):
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
            if found is None and not (with_prepared(env, case) or with_needed(env, case)):
                write_refused(env, case)
            if found is not None:
                worked.append(
                    memory.Worked(
                        method, found.settled, found.filled, at_once.inputs_of(found), tuple(found.ways)
                    )
                )
                with_filled(env, target, worked[-1])
    return tuple(worked)
