"""What a loop that is cut off grows by in each round: lists that are appended to, numbers that are counted up.

While its rounds are tried with what changes unknown, each list and number that moved in the last
round is watched. If every kind of round surely appends the same items and adds the same number, and
the number of rounds is known, what stands there in the end follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ...vocabulary import events
from .. import arrays
from ..log.facts import same
from ..run import Run
from ..state import CONTENTS, Entry, Slot, read, write
from ..unknowns import doubts
from ..unknowns.grown import grown, mark_of, put_mark
from ..unknowns.unknown import Unknown
from ..worlds import worlds

_WHY = "changes from round to round"
_LONGEST = 200_000
_LONGEST_OF_TENSORS = 2_000
"""A list that gets longer than this keeps its length unknown."""
_ITEMS = 64
_LATER = 1_000
"""Rounds after which a number that is counted up is looked at where nobody knows how many there are."""


class _List:
    """A list that grows."""

    def __init__(self, target: list[Any]) -> None:
        self.target = target
        self.base = list(target)
        self.before = mark_of(target)
        grown(target, "grows from round to round", alike=self.before is None or self.before.alike)
        self.mark = mark_of(target)
        self.effects: dict[int, list[Any]] = {}

    def begin(self) -> None:
        self.target[:] = self.base + [item for items in self.effects.values() for item in items]
        put_mark(self.target, self.mark)
        self._found = list(self.target)

    def end(self, kind: int) -> bool:
        """Note what a round of this kind appended. False if it did anything else."""
        count = len(self._found)
        if mark_of(self.target) is not self.mark or len(self.target) < count:
            return False
        if any(now is not then for now, then in zip(self.target, self._found)):
            return False
        self.effects[kind] = self.target[count:]
        return True

    def finish(self, run: Run, kinds: Sequence[int] | None) -> None:
        """What it holds after rounds of these kinds, in order; None where they are not known."""
        run.journal.note(CONTENTS, self.target)
        put_mark(self.target, self.mark)
        every = [item for items in self.effects.values() for item in items]
        if kinds is not None and all(is_plain(item) for item in every):
            length = len(self.base) + sum(len(self.effects[kind]) for kind in kinds)
            tensors = any(isinstance(item, (torch.Tensor, arrays.Array)) for item in every)
            if length <= (_LONGEST_OF_TENSORS if tensors else _LONGEST):
                self.target[:] = self.base + [_another(item) for kind in kinds for item in self.effects[kind]]
                put_mark(self.target, self.before)
                return
        self.target[:] = self.base + every


class _Number:
    """A number that is counted up: an integer, or what a loop around this one already counts up."""

    def __init__(self, entry: Entry, now: int | Unknown, step: int, rest: int | None) -> None:
        self.kind, self.target, self.key, _ = entry
        self.base = now
        self.now = now.sample if type(now) is Unknown else now
        self.later = self.now + step * (_LATER if rest is None else rest)
        self.effects: dict[int, int] = {}

    def begin(self, run: Run) -> None:
        self.token = object()
        moving = Unknown(_WHY, sample=worlds.picked(self.now, self.later))
        moving.drift = (self.token, 0)
        run.journal.note(self.kind, self.target, self.key)
        write(self.kind, self.target, self.key, moving)

    def end(self, kind: int) -> bool:
        """Note what a round of this kind added. False if it did anything else."""
        value = (
            self.target.get(self.key)
            if isinstance(self.target, dict)
            else getattr(self.target, self.key, None)
        )
        if type(value) is not Unknown or value.drift is None or value.drift[0] is not self.token:
            return False
        self.effects[kind] = value.drift[1]
        return True

    def finish(self, run: Run, kinds: Sequence[int] | None) -> None:
        """Where it stands after rounds of these kinds, in order; None where they are not known."""
        if kinds is None:
            return
        more = sum(self.effects[kind] for kind in kinds)
        end: Any = self.now + more
        if type(self.base) is Unknown and self.base.drift is not None:
            end = Unknown(_WHY, sample=end)
            end.drift = (self.base.drift[0], self.base.drift[1] + more)
        run.journal.note(self.kind, self.target, self.key)
        write(self.kind, self.target, self.key, end)


class _Shape:
    """A tensor, or a container of some, that is longer by as much in each round: `x = torch.cat([x, y], 1)`.

    Rounds are tried with what it is when the loop is cut off, then with what it is at its end.
    """

    def __init__(self, run: Run, entry: Entry, now: Any, rest: int) -> None:
        self.run = run
        self.kind, self.target, self.key, self.old = entry
        self.now = now
        self.rest = rest
        self.ahead = 0

    def begin(self) -> None:
        self.run.journal.note(self.kind, self.target, self.key)
        write(self.kind, self.target, self.key, ahead(self.old, self.now, self.ahead))

    def end(self) -> bool:
        """Whether a round made it as much longer as the last one did."""
        wanted = ahead(self.old, self.now, self.ahead + 1)
        return looks(self.run, read(self.kind, self.target, self.key)) == looks(self.run, wanted)

    def finish(self, known: bool) -> None:
        self.run.journal.note(self.kind, self.target, self.key)
        end = (
            ahead(self.old, self.now, self.rest)
            if known
            else Unknown(_WHY, isinstance(self.now, torch.Tensor))
        )
        if self.kind == CONTENTS and not known:
            grown(self.target, _WHY)
        else:
            write(self.kind, self.target, self.key, end)


def ahead(old: Any, now: Any, rounds: int) -> Any:
    """What a value that was `old` and then `now` is after more rounds that change it by as much.

    Raises LookupError where that is not known.
    """
    if old is now or same(old, now):
        return now
    if type(old) is not type(now):
        raise LookupError
    if isinstance(now, torch.Tensor):
        return doubts.longer(old, now, rounds)
    if type(now) is int:
        return now + (now - old) * rounds
    if isinstance(now, (tuple, list)) and len(old) == len(now) <= _ITEMS:
        return type(now)([ahead(one, other, rounds) for one, other in zip(old, now)])
    if type(now) is dict and old.keys() == now.keys() and len(now) <= _ITEMS:
        return {key: ahead(old[key], value, rounds) for key, value in now.items()}
    raise LookupError


def looks(run: Run, value: Any) -> Any:
    """The facts of a value, without the identity of its tensors."""
    return plain(run.recorder.describe(value))


def plain(value: events.Value) -> Any:
    """The facts of a described value, without the identity of its tensors."""
    if type(value) is events.Tensor:
        return (value.shape, value.dtype, value.stride, value.device, value.requires_grad)
    if type(value) is events.Group:
        return tuple(map(plain, value.items))
    return type(value)


class Growth:
    """All that is watched in one loop."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.lists: dict[int, _List] = {}
        self.numbers: dict[Slot, _Number] = {}
        self.shapes: dict[Slot, _Shape] = {}
        self.lost: list[_Shape] = []

    def list(self, target: list[Any]) -> None:
        """This list became longer in the last round that was run."""
        self.lists.setdefault(id(target), _List(target))

    def number(self, slot: Slot, entry: Entry, now: Any, rest: int | None) -> None:
        """Watch what moved in the last round that was run, if it is a number; `rest` rounds are to come."""
        old = entry[3]
        if type(now) is int and type(old) is int:
            self.numbers[slot] = _Number(entry, now, now - old, rest)
        elif type(now) is Unknown and type(old) is Unknown and now.drift and old.drift:
            if now.drift[0] is old.drift[0] and type(now.sample) is int:
                self.numbers[slot] = _Number(entry, now, now.drift[1] - old.drift[1], rest)

    def shape(self, slot: Slot, entry: Entry, now: Any, rest: int | None) -> bool:
        """Watch what became longer in the last round that was run, if `rest` rounds are to come. Whether it is."""
        if rest is None:
            return False
        try:
            ahead(entry[3], now, rest + 1)
        except (LookupError, RuntimeError):
            return False
        self.shapes[slot] = _Shape(self.run, entry, now, rest)
        return True

    def look_ahead(self) -> None:
        """From now on try the last round."""
        for shape in self.shapes.values():
            shape.ahead = shape.rest - 1

    def begin(self) -> None:
        """A round is about to be tried."""
        for shape in self.shapes.values():
            shape.begin()
        for one in self.lists.values():
            one.begin()
        for number in self.numbers.values():
            number.begin(self.run)

    def end(self, kind: int) -> None:
        """A round of this kind was tried and came to its end."""
        self.lists = {at: one for at, one in self.lists.items() if one.end(kind)}
        self.numbers = {slot: number for slot, number in self.numbers.items() if number.end(kind)}
        self._only({slot: shape for slot, shape in self.shapes.items() if shape.end()})

    def _only(self, shapes: dict[Slot, _Shape]) -> None:
        self.lost += [shape for slot, shape in self.shapes.items() if slot not in shapes]
        self.shapes = shapes

    def settle(self) -> None:
        """The ways of a round were joined: what does not grow as it did is not known from here on."""
        for shape in self.lost:
            shape.finish(False)
        self.lost = []

    def give_up(self) -> None:
        """A round ends otherwise than by its end: nothing is counted on any more."""
        self.lists, self.numbers = {}, {}
        self._only({})

    def finish(self, kinds: Sequence[int] | None) -> None:
        """All rounds are over: leave what stands there then."""
        for one in self.lists.values():
            one.finish(self.run, kinds)
        for number in self.numbers.values():
            number.finish(self.run, kinds)
        for shape in self.shapes.values():
            shape.finish(kinds is not None)
        self.settle()


_ROW = 64
"""Items of a list that is one of many such: each gets a list of its own."""


def _another(item: Any) -> Any:
    return list(item) if type(item) is list else item


def is_plain(item: Any, in_list: bool = True) -> bool:
    """Whether one object may stand for many: nothing that is written to later on its own, but a list of such."""
    if type(item) is tuple or (isinstance(item, tuple) and hasattr(type(item), "_fields")):
        return all(is_plain(part, False) for part in item)
    if type(item) is list and in_list:
        return len(item) <= _ROW and mark_of(item) is None and all(is_plain(part, False) for part in item)
    return isinstance(item, (torch.Tensor, arrays.Array, int, float, str, bool, type(None), Unknown))
