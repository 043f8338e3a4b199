"""Parts of a file that an edit has not touched: what they wrote down the last time is written down again, and nothing is run.

Right because a part shares no name with any other but libraries and constants (`parts`), ran to its end without a failure, a
way that is not known, or a number that only data decides, and left all that is switched on as it was. What switches something
is run each time, and decides about every part. Nobody reads the names that a part would bind: a part with functions that have
not run is run, and where one of these is to be tried, with whatever the file has (`uncalled`), everything is.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import torch

from .fakes.torch_versions import has_any_global_hook
from .limits import WHOLE
from .log.numbering import Count, Numbering
from .said import Moves, Row, Said, Spent
from .sources.parts import Block, Key, binds, parts
from .unknowns import doubts
from .worlds import worlds

if TYPE_CHECKING:
    from .compiler import Statement
    from .control import Signal
    from .run import Env, Run

_FILES = 4
_KEPT: OrderedDict[str, _File] = OrderedDict()


@dataclass
class _File:
    """Of the last trace of a file: its blocks, and what each said. `dirty`: those that say something else the next time.

    `switches`: the blocks that switch something, with how all was then. `called`: the functions that others were known to call.
    `untried`: the blocks of functions that had not run: all that is known of them is remembered.
    """

    blocks: Sequence[Block]
    said: list[Said]
    dirty: set[int]
    switches: dict[Block, Any]
    called: frozenset[str]
    untried: frozenset[Block]
    rows: dict[int, Row]

    @cached_property
    def parts(self) -> dict[Key, list[Said]]:
        """What each part said. It takes as long as a short trace: the first time that a text is traced somebody waits for its hints."""
        of, keys = parts(self.blocks, [*self.switches])
        dirty = {of[at] for at in self.dirty}
        found: dict[int, list[Said]] = {part: [] for part in keys if part not in dirty}
        for part, said in zip(of, self.said):
            if part is not None and part in found:
                found[part].append(said)
        return {keys[part]: said for part, said in found.items()}


class Untouched:
    """The top of one file while it is run."""

    def __init__(self, run: Run, file: str, blocks: Sequence[Block]) -> None:
        self._run, self._file, self._blocks = run, file, blocks
        self._before: dict[Block, Any] = {}
        self._known: dict[int, Row] = {}
        self._rows: dict[int, Row] = {}
        self._again = self._take_over(_KEPT.get(file))
        self._said: list[Said] = []
        self._dirty: set[int] = set()
        self._switches: dict[Block, Any] = {}
        self._moves = Moves()
        self._is_wrong = False

    def _take_over(self, before: _File | None) -> Sequence[Said | None]:
        """For each block what it is to say again."""
        nothing = [None] * len(self._blocks)
        if before is None or before.called != self._run.called:
            return nothing
        if before.untried and not before.untried.issubset(self._blocks):
            return nothing
        around = [*before.switches]
        if around and [block for block in self._blocks if block in before.switches] != around:
            return nothing
        self._before, self._known = before.switches, before.rows
        of, keys = parts(self._blocks, around)
        known = {part: before.parts.get(key) for part, key in keys.items()}
        again: dict[int | None, Iterator[Said]] = {
            part: iter(said) for part, said in known.items() if said is not None
        }
        return [next(again[part]) if part in again else None for part in of]

    @property
    def is_wrong(self) -> bool:
        """Whether what was taken for settled is not: nothing should have been said again."""
        return bool(self._moves) and (self._is_wrong or worlds.used())

    def need_all(self) -> None:
        """Something is to be tried with whatever the file has: if anything was said again, the file has to be run again."""
        self._is_wrong = True

    def go(self, at: int, step: Statement, env: Env) -> Signal | None:
        """Run a block."""
        block = self._blocks[at]
        recorder, run = self._run.recorder, self._run
        before, spent = Count.of(recorder), Spent.of(run.budget)
        switched, clean = switched_on(run), clean_so_far(run)
        events, words, layers = len(recorder.events), len(recorder.words), recorder.weights.count()
        signal = step(env)
        now = switched_on(run)
        if now != switched:
            self._switches[block] = now
        if now != self._before.get(block, switched):
            self._is_wrong = True
        if now != switched or clean_so_far(run) != clean or signal is not None:
            self._dirty.add(at)
        frames = range(before.frames, len(recorder.frames))
        self._said.append(
            Said(
                before,
                Count.of(recorder),
                tuple(recorder.frames[before.frames :]),
                tuple(recorder.quiet[before.frames :]),
                tuple(recorder.events[events:]),
                tuple((count - events, bound) for count, bound in recorder.words[words:]),
                {one: recorder.selves[one] for one in frames if one in recorder.selves},
                tuple(one for one in frames if one in recorder.alike),
                recorder.weights.met_since(layers),
                Spent.of(run.budget).since(spent),
                run.site,
            )
        )
        return signal

    def keep(self) -> None:
        """What was said is said again the next time."""
        run = self._run
        forget(self._file)
        if self.is_wrong or worlds.used() or run.handed or run.modules.sources.own:
            return
        if run.told.untried is None or run.told.unfinished:
            return  # more is to be tried
        untried = [at for at, block in enumerate(self._blocks) if binds(block, run.told.untried)]
        self._dirty.update(
            untried, range(len(self._said), len(self._blocks))
        )  # a `return` at the top ends it early
        weights = {one.id: one for one in run.recorder.weights.all()}

        def weighed(said: Said) -> Said:
            if not said.layers:
                return said
            own = tuple(weights[one] for one in said.layers if one in weights)
            return replace(said, weights=own, layers=())

        _KEPT[self._file] = _File(
            self._blocks,
            [*map(weighed, self._said)],
            self._dirty,
            self._switches,
            run.called,
            frozenset(self._blocks[at] for at in untried),
            self._rows,
        )
        while len(_KEPT) > _FILES:
            _KEPT.popitem(last=False)

    # ------------------------------------------------------------ said again

    def say(self, at: int) -> int:
        """Say again what the blocks from this one on said. Returns the number of the first that has to be run."""
        recorder, first = self._run.recorder, at
        began = now = Count.of(recorder)
        row = self._known.get(at)
        if row is not None and now == row.said[0].before and self._again[at : at + len(row.said)] == row.said:
            self._moves.add(now, now)
            self._write(row.whole, len(row.said))
            self._said += row.said
            now = row.said[-1].after
            at += len(row.said)
        for before in islice(self._again, at, None):
            if before is None:
                break
            self._moves.add(before.before, now)
            said = before if now == before.before else self._moved(before, now)
            self._write(said)
            self._said.append(said)
            now = said.after
            at += 1
        if at > first:
            again = row is not None and len(row.said) == at - first
            self._rows[first] = row if again and row is not None else Row(self._said[first - at :])
        recorder.skip(now.numbers - began.numbers, now.memories - began.memories)
        return at

    def _write(self, said: Said, blocks: int = 1) -> None:
        recorder, budget = self._run.recorder, self._run.budget
        if said.words:
            recorder.words += [(len(recorder.events) + count, bound) for count, bound in said.words]
        recorder.events += said.events
        if said.frames:
            recorder.frames += said.frames
            recorder.quiet += said.quiet
            recorder.selves.update(said.selves)
            recorder.alike.update(said.alike)
        if said.weights:
            recorder.weights.keep(said.weights)
        self._run.site = said.site
        budget.spend(*said.spent)
        budget.spend(blocks - 1, 0, 0, 0)
        budget.step()

    def _moved(self, said: Said, now: Count) -> Said:
        """The same between other frames and numbers; all that it speaks of is its own part's."""
        shift = now.frames - said.before.frames
        number = self._moves.number
        numbering = Numbering(number, self._moves.memory)
        inside = said.before.frames

        def frame(one: int) -> int:
            return one + shift if one >= inside else one

        def event(one: Any) -> Any:
            return numbering.event(one, frame(one.frame), one.modes)

        return replace(
            said,
            before=now,
            after=Count(
                said.after.frames + shift,
                said.after.numbers + now.numbers - said.before.numbers,
                said.after.memories + now.memories - said.before.memories,
            ),
            frames=tuple(
                replace(one, id=frame(one.id), parent=None if one.parent is None else frame(one.parent))
                for one in said.frames
            ),
            events=tuple(map(event, said.events)),
            words=tuple((count, event(bound)) for count, bound in said.words),
            selves={frame(one): number(layer) for one, layer in said.selves.items()},
            alike=tuple(map(frame, said.alike)),
            weights=tuple(replace(one, id=number(one.id)) for one in said.weights),
        )


Top = tuple[Block, "Statement"]
"""A block of the top of a file, and what runs it."""


def top(blocks: Sequence[Top]) -> Statement:
    """The top of a file: its blocks one after the other, but those that an edit has not touched."""
    texts = [block for block, _ in blocks]

    def run(env: Env) -> Signal | None:
        own = env.run.untouched = (
            Untouched(env.run, env.module.file, texts) if _is_looked_for(env, len(texts)) else None
        )
        at = 0
        while (at := at if own is None else own.say(at)) < len(blocks):
            step = blocks[at][1]
            signal = step(env) if own is None else own.go(at, step, env)
            if signal is not None:
                return signal
            at += 1
        return None

    return run


_MOST_BLOCKS = 4_000
"""Of a file: to look for the parts of more takes as long as to run them."""


def _is_looked_for(env: Env, blocks: int) -> bool:
    run, world = env.run, worlds.here()
    is_plain = world.number == 0 and world.apart is None and not world.alone and not run.card
    is_main = env.module.name == "__main__" and run.meter is None and run.repeats
    return is_main and is_plain and run.limits is WHOLE and blocks <= _MOST_BLOCKS


def look_ahead() -> None:
    """While nobody waits: the parts of the files that were traced last, which the next edit asks for."""
    for file in [*_KEPT.values()]:
        _ = file.parts


def forget(file: str) -> None:
    """Nothing is known of a file."""
    _KEPT.pop(file, None)


def switched_on(run: Run) -> tuple[Any, ...]:
    """All that a part may leave to others without a name."""
    return (
        *run.switched.state(),
        run.guard.foreign,
        run.guard.shortened,
        str(run.guard.default),
        doubts.NOW.active,
        bool(doubts.NOW.contexts),
        len(doubts.NOW.written),
        len(run.handed),
        run.random.held is None,
        run.numpy_random.held is None,
        len(run.disk.holds),
        len(vars(run.disk.there)),
        run.disk.made,
        torch.is_grad_enabled(),
        torch.is_inference_mode_enabled(),
        torch.get_default_dtype(),
        torch.is_autocast_enabled("cpu"),
        torch.is_autocast_enabled("cuda"),
        has_any_global_hook(),
    )


def clean_so_far(run: Run) -> tuple[Any, ...]:
    """What stays as it is while nothing fails, nothing is drawn, and no way is unknown."""
    return (
        run.spoiled,
        len(run.raised),
        len(run.undecorated),
        len(run.recorder.notes),
        id(run.random.held),
        id(run.numpy_random.held),
        len(run.uncounted),
        worlds.used(),
    )
