"""Writes that can be taken back, so that both ways of an unknown condition can be tried and joined.

Every write of the interpreted program (a name, an attribute, the contents of a container) is noted
in the innermost open segment of the journal together with what stood there before.
"""

from __future__ import annotations

import builtins
import itertools
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from torch import nn

from . import doubts, values, worlds
from .control import DEAD, Signal
from .unknown import TRUTH, Unknown, find_unknown, likely

MISSING = object()

NAME, ATTRIBUTE, CONTENTS = "name", "attribute", "contents"

Slot = tuple[int, str, Any]
Entry = tuple[str, Any, Any, Any]  # kind, target, key, the value that stood there
Same = Callable[[Any, Any], bool]


def read(kind: str, target: Any, key: Any) -> Any:
    """What stands in a slot."""
    if kind == NAME:
        return target.get(key, MISSING)
    if kind == ATTRIBUTE:
        lost = unsure(target, key)
        return getattr(target, key, MISSING) if lost is None else lost
    return target.copy()


def write(kind: str, target: Any, key: Any, value: Any) -> None:
    """Put a value into a slot."""
    if kind == NAME:
        if value is MISSING:
            target.pop(key, None)
        else:
            target[key] = value
    elif kind == ATTRIBUTE:
        _UNSURE.pop((id(target), key), None)
        if value is MISSING:
            if hasattr(target, key):
                delattr(target, key)
        elif type(value) is Unknown and isinstance(target, (torch.Tensor, nn.Module)):
            _lose(target, key, value)
        else:
            setattr(target, key, value)
    else:
        target.clear()
        target.extend(value) if isinstance(target, list) or not hasattr(target, "update") else target.update(
            value
        )


_UNSURE: dict[tuple[int, str], tuple[Any, Unknown]] = {}
"""Attributes of torch's own objects that must have a value there and are not known here."""


def unsure(target: Any, key: str) -> Unknown | None:
    """An Unknown in place of an attribute that torch keeps and nobody knows, else None."""
    entry = _UNSURE.get((id(target), key)) if _UNSURE else None
    return entry[1] if entry is not None and entry[0] is target else None


def settle(target: Any, key: str) -> None:
    """An attribute is about to be known again."""
    _UNSURE.pop((id(target), key), None)


def _lose(target: Any, key: str, value: Unknown) -> None:
    """An attribute of a tensor or a module is not known from here on."""
    if isinstance(target, torch.Tensor):
        if key == "requires_grad":
            doubts.unsettle(target)
        elif key == "data":
            doubts.lose(target)
        else:
            _UNSURE[id(target), key] = (target, value)
    elif key == "training":
        _UNSURE[id(target), key] = (target, value)
    else:
        target._modules.pop(key, None)
        target._parameters.pop(key, None)
        target._buffers.pop(key, None)
        setattr(target, key, value)


class Segment:
    """What was overwritten since the segment was opened: one entry a slot, with its first old value."""

    __slots__ = ("entries",)

    def __init__(self) -> None:
        self.entries: dict[Slot, Entry] = {}

    def after(self) -> dict[Slot, Any]:
        """The values that stand in the touched slots now."""
        return {slot: read(kind, target, key) for slot, (kind, target, key, _) in self.entries.items()}

    def undo(self) -> None:
        """Put the old values back."""
        for kind, target, key, old in self.entries.values():
            write(kind, target, key, old)


class Meeting:
    """A point where ways come together later: the end of a loop round, or of the whole loop.

    A way that leaves early under an unknown condition (`if unknown: break`) leaves a snapshot here;
    `meet` joins the snapshots into what stands there when the point is reached.
    """

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.segment = journal.open()
        self.snapshots: list[dict[Slot, Any]] = []
        self._first = len(journal.segments) - 1

    def leave(self) -> None:
        """Take a snapshot of everything written since the meeting was opened."""
        snapshot: dict[Slot, Any] = {}
        for segment in self.journal.segments[self._first :]:
            for slot, entry in segment.entries.items():
                self.segment.entries.setdefault(slot, entry)
                snapshot[slot] = read(*entry[:3])
        self.snapshots.append(snapshot)

    def meet(self, same: Same, reached: bool = True) -> None:
        """Close the meeting and leave the join. `reached`: the plain way gets here too."""
        self.journal.close(self.segment)
        if not self.snapshots:
            return
        states = ([self.segment.after()] if reached else []) + self.snapshots
        _leave_join(self.journal, self.segment.entries, states, same)


class Journal:
    """The open segments, innermost last. With none open nothing is noted and writes are free."""

    def __init__(self) -> None:
        self.segments: list[Segment] = []

    def note(self, kind: str, target: Any, key: Any = None) -> None:
        """About to write there."""
        if self.segments:
            entries = self.segments[-1].entries
            slot = (id(target), kind, key)
            if slot not in entries:
                entries[slot] = (kind, target, key, read(kind, target, key))

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Around writes that last whatever becomes of the way that makes them: a module is imported once."""
        segments, self.segments = self.segments, []
        try:
            yield
        finally:
            self.segments = segments

    def leave(self, names: dict[str, Any]) -> None:
        """A call is over: what it wrote into its own names, nobody will ask to have undone."""
        if self.segments:
            entries = self.segments[-1].entries
            for key in names:
                entries.pop((id(names), NAME, key), None)

    def open(self) -> Segment:
        """Begin to note what is overwritten."""
        segment = Segment()
        self.segments.append(segment)
        return segment

    def close(self, segment: Segment) -> None:
        """End it; what it overwrote counts as overwritten in the segment around it."""
        self.segments.remove(segment)
        if self.segments:
            outer = self.segments[-1].entries
            for slot, entry in segment.entries.items():
                outer.setdefault(slot, entry)


def alternatives(
    journal: Journal,
    same: Same,
    ways: list[Callable[[], Signal | None]],
    on_leave: Callable[[Signal], None],
    condition: Any = None,
) -> Signal | None:
    """Run each way from the same state and leave the join of those that go on.

    `condition`: the unknown value that decides between two of them, if it is one value.

    A way that leaves the block (break, return, raise) is reported to `on_leave` while its state
    still stands, and does not flow into the join. Returns None, or DEAD if no way goes on.
    """
    going: list[dict[Slot, Any]] = []
    entries: dict[Slot, Entry] = {}
    for way in ways:
        segment = journal.open()
        try:
            signal = way()
            if signal is not None:
                on_leave(signal)
        finally:
            journal.close(segment)
        if signal is None:
            going.append(segment.after())
            for slot, entry in segment.entries.items():
                entries.setdefault(slot, entry)
        segment.undo()
    if not going:
        return DEAD
    doubts.choose(condition)
    _leave_join(journal, entries, going, same)
    doubts.choose(None)
    return None


def _leave_join(
    journal: Journal, entries: dict[Slot, Entry], states: list[dict[Slot, Any]], same: Same
) -> None:
    for slot, (kind, target, key, old) in entries.items():
        values = [state.get(slot, old) for state in states]
        if kind == NAME and not hasattr(builtins, key):  # code that goes on to read it knows that it is bound
            values = [value for value in values if value is not MISSING] or [MISSING]
        joined = values[0]
        for value in values[1:]:
            joined = join(joined, value, same)
        journal.note(kind, target, key)
        lost = joined if type(joined) is Unknown else mark_of(joined) if type(joined) is list else None
        if kind == CONTENTS and lost is not None:
            _of_several_lengths(target, values, lost.why, same)
        else:
            write(kind, target, key, joined)


def _of_several_lengths(target: Any, states: list[Any], why: str, same: Same) -> None:
    """A container that has other items on each way: of a list every item is like one of those."""
    mark = mark_of(target)
    if type(target) in DICTS:
        of, key = (MISSING, MISSING) if mark is None else (mark.of, mark.key)
        values = [value for state in states for value in state.values()]
        keys = [key for state in states for key in state]
        grown(
            target,
            why,
            of=_common(values, of, mark is not None, same),
            key=_common(keys, key, mark is not None, same),
        )
        return
    lists = isinstance(target, (list, deque, set))
    if lists:
        items = {id(item): item for state in states for item in state}
        target.clear()
        (target.update if isinstance(target, set) else target.extend)(items.values())
    grown(target, why, alike=lists and (mark is None or mark.alike))


def _common(items: list[Any], more: Any, marked: bool, same: Same) -> Any:
    """What all of these are, and what more of them is, where some are marked to be there; MISSING if nobody knows."""
    every = items if more is MISSING else [*items, more]
    if not every or len(every) > _LOOKED_AT or (marked and more is MISSING):
        return MISSING
    kind = every[0]
    for item in every[1:]:
        kind = join(kind, item, same)
    return kind


_DEEP = 6
"""Containers nested deeper than this are not joined item by item: a list of itself twice doubles with each."""


JOINS: dict[type, Callable[[Any, Any], Any]] = {}
"""Types of values whose join is more than one of the two or an Unknown: numpy's."""


def join(left: Any, right: Any, same: Same, depth: int = _DEEP) -> Any:
    """What is known when a value is one of two. `same` compares two values that are not containers."""
    if left is right:
        return left
    if type(left) is Unknown or type(right) is Unknown:
        return _with_unknown(left, right, same)
    if type(left) in JOINS and type(right) in JOINS:
        return JOINS[type(left)](left, right)
    if left is MISSING or right is MISSING:
        return Unknown("bound on one way only")
    if type(left) is type(right) and depth:
        if type(left) is list and (len(left) != len(right) or mark_of(left) or mark_of(right)):
            return _one_of_two_lists(left, right)
        if type(left) in (tuple, list) and len(left) == len(right):
            joined = [join(a, b, same, depth - 1) for a, b in zip(left, right)]
            if all(a is b for a, b in zip(left, joined)):
                return left
            return type(left)(joined)
        if isinstance(left, tuple) and hasattr(type(left), "_fields") and len(left) == len(right):
            return tuple.__new__(type(left), [join(a, b, same, depth - 1) for a, b in zip(left, right)])
        if type(left) in (dict, OrderedDict) and left.keys() == right.keys():
            return type(left)((key, join(left[key], right[key], same, depth - 1)) for key in left)
        if same(left, right):
            if isinstance(left, torch.Tensor) and not values.alike(left, right):
                values.strip(left)
                values.strip(right)
            return left
    if isinstance(left, torch.Tensor) and isinstance(right, torch.Tensor):
        met = doubts.meet(left, right)
        return Unknown("differs between two ways", True) if met is None else met
    if type(left) in _NUMBERS and type(right) in _NUMBERS:
        return worlds.either(left, right, "differs between two ways")
    if (left is None) != (right is None) and not callable(left) and not callable(right):
        return _unless_none(left, right, "may be None", same)
    made = Unknown("differs between two ways", False, _options(left, right))
    made.kind = _kind(left) if _kind(left) == _kind(right) else None
    return made


def _kind(value: Any) -> str | None:
    """That a value, known or not, is a text or a truth value."""
    if type(value) is Unknown:
        return value.kind
    return "text" if isinstance(value, str) else TRUTH if type(value) is bool else None


_NUMBERS = (int, float)


def _one_of_two_lists(left: list[Any], right: list[Any]) -> list[Any]:
    """What is one of two lists that are not equally long: of nobody knows how many items like those in either."""
    marks = [mark for one in (left, right) if (mark := mark_of(one)) is not None]
    made = list({id(item): item for item in (*left, *right)}.values())
    why = marks[0].why if marks else "differs between two ways"
    grown(made, why, alike=all(mark.alike for mark in marks))
    return made


def _with_unknown(left: Any, right: Any, same: Same) -> Any:
    """The join of two values of which one is not known: a way that may be anything makes it anything."""
    lost, other = (left, right) if type(left) is Unknown else (right, left)
    tensor = lost.tensor and (other.tensor if type(other) is Unknown else isinstance(other, torch.Tensor))
    numbers = [value.sample if type(value) is Unknown else value for value in (left, right)]
    if all(type(number) in _NUMBERS for number in numbers):
        # one of more than two: what picks among them could pick the same in every world
        return worlds.real(lost.why) if float in map(type, numbers) else worlds.number(lost.why)
    if likely(lost) is not lost or likely(other) is not other:
        return _unless_none(likely(left), likely(right), lost.why, same)
    made = Unknown(lost.why, tensor, _options(left, right))
    made.kind = _kind(left) if _kind(left) == _kind(right) else None
    return made


def _unless_none(left: Any, right: Any, why: str, same: Same) -> Any:
    """What is one of two, or None."""
    if left is None or right is None:
        return Unknown(why, sample=left if right is None else right)
    joined = join(left, right, same)
    return joined if type(joined) is Unknown else Unknown(why, sample=joined)


_CHOICE = 4
"""A value that may be one of more than this is not followed."""


def _options(left: Any, right: Any) -> tuple[Any, ...]:
    """What may be called where one of two is."""
    found: list[Any] = []
    for value in (left, right):
        some = value.options if type(value) is Unknown else (value,) if callable(value) else ()
        if not some:
            return ()
        found.extend(one for one in some if not any(one is known for known in found))
    return tuple(found) if len(found) <= _CHOICE else ()


class Mark(NamedTuple):
    """That nobody knows how many items a container has, and `alike`: that all are like those in it."""

    container: Any
    why: str
    alike: bool
    of: Any
    """What each value of a dict is that is not among those in it."""
    key: Any
    """And its key."""


_GROWN: dict[int, Mark] = {}
_LOOKED_AT = 2_000
"""Items of one container that are looked at for one of unknown length."""


DICTS = (dict, OrderedDict, defaultdict, Counter)
"""Those of which it is known what their keys and values are when their number is not."""


def grown(container: Any, why: str, alike: bool = False, of: Any = MISSING, key: Any = MISSING) -> None:
    """From now on nobody knows how many items this container has. `alike`: but all are like those in it.

    `of`: what the values of a dict are that are not in it, `key` their keys.
    """
    _GROWN[id(container)] = Mark(container, why, alike, of, key)


def value_in(container: dict[Any, Any], same: Same) -> Any:
    """What a value of a dict of unknown length is. Raises LookupError where they differ."""
    mark = mark_of(container)
    if mark is None or mark.of is MISSING:
        raise LookupError
    kind = mark.of
    for item in itertools.islice(container.values(), _LOOKED_AT):
        kind = join(kind, item, same)
    return kind


def fill(container: dict[Any, Any], why: str, of: Any, key: Any, same: Same) -> None:
    """A dict gets nobody knows how many more items such as this one."""
    mark = mark_of(container)
    if mark is not None:
        of = MISSING if mark.of is MISSING else join(mark.of, of, same)
        key = MISSING if mark.key is MISSING else join(mark.key, key, same)
    grown(container, why, of=of, key=key)


def more_alike(container: dict[Any, Any], why: str, same: Same) -> None:
    """A dict gets nobody knows how many more items such as those in it."""
    of, key = (_common([*items], MISSING, False, same) for items in (container.values(), container))
    grown(container, why, of=of, key=key)


def key_in(container: dict[Any, Any], same: Same) -> Any:
    """What a key of a dict of unknown length is. Raises LookupError where nothing is known of it."""
    mark = mark_of(container)
    if mark is None or mark.key is MISSING:
        raise LookupError
    kind = mark.key
    for key in itertools.islice(container, _LOOKED_AT):
        kind = join(kind, key, same)
    return kind


def mark_of(container: Any) -> Mark | None:
    """The mark of a container of unknown length: a new one each time that it changes in an unknown way."""
    mark = _GROWN.get(id(container))
    return mark if mark is not None and mark.container is container else None


def put_mark(container: Any, mark: Mark | None) -> None:
    """Give a container the mark that it had."""
    if mark is None:
        _GROWN.pop(id(container), None)
    else:
        _GROWN[id(container)] = mark


def kind_of_items(container: Any, same: Same) -> Any:
    """What every item of a container of unknown length is. Raises LookupError where they differ."""
    mark = mark_of(container)
    if isinstance(container, dict):
        kind = key_in(container, same)
    elif mark is None or not mark.alike or not container:
        raise LookupError
    elif isinstance(container, (list, tuple, deque, set)):
        items = iter(container)
        kind = next(items)
        for item in items:
            kind = join(kind, item, same)
    else:
        raise LookupError
    if type(likely(kind)) is Unknown and kind.kind is None and type(kind.sample) not in _NUMBERS:
        raise LookupError
    return kind


def is_grown(value: Any) -> Unknown | None:
    """An Unknown in place of a container whose length is not known, else None."""
    if isinstance(value, nn.Module):
        value = value.__dict__.get("_modules")
    mark = mark_of(value) if _GROWN else None
    return None if mark is None else Unknown(mark.why)


def forget_grown() -> None:
    """Called between traces."""
    _GROWN.clear()
    _UNSURE.clear()


def unknown_in(value: Any, undecided: bool = True) -> Unknown | None:
    """An Unknown anywhere in a value: itself, an item, or a container of unknown length."""
    found = grown_in(value) if _GROWN else None
    return find_unknown(value, undecided) if found is None else found


def grown_in(value: Any, depth: int = 3) -> Unknown | None:
    """An Unknown in place of a container of unknown length: the value itself, or one in it to a depth of three."""
    found = is_grown(value)
    if found is not None or not depth:
        return found
    items = value if isinstance(value, (tuple, list)) else value.values() if type(value) is dict else ()
    for item in itertools.islice(items, _LOOKED_AT):
        if isinstance(item, (tuple, list, dict, set, deque, nn.Module)):
            found = grown_in(item, depth - 1)
            if found is not None:
                return found
    return None
