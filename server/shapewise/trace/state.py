"""Writes that can be taken back, so that both ways of an unknown condition can be tried and joined.

Every write of the interpreted program (a name, an attribute, the contents of a container) is noted
in the innermost open segment of the journal together with what stood there before.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from .control import DEAD, Signal
from .unknowns import doubts
from .unknowns.alike import of_several_lengths
from .unknowns.grown import mark_of
from .unknowns.joining import Same, join
from .unknowns.linked import linked
from .unknowns.unknown import MISSING, Unknown

NAME, ATTRIBUTE, CONTENTS = "name", "attribute", "contents"
NUMBERS = "numbers"
"""The numbers of a tensor or an array. Of them stands in a slot only how often they were written; `key` says that, and voids them."""

Slot = tuple[int, str, Any]
Entry = tuple[str, Any, Any, Any]  # kind, target, key, the value that stood there


def read(kind: str, target: Any, key: Any) -> Any:
    """What stands in a slot."""
    if kind == NAME:
        return target.get(key, MISSING)
    if kind == ATTRIBUTE:
        lost = unsure(target, key)
        return _attribute(target, key) if lost is None else lost
    if kind == NUMBERS:
        return key.writes(target)
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
            if isinstance(target, nn.Module) and key in vars(target):
                del vars(target)[key]  # its own `delattr` wants what `Module.__init__` made
            elif _attribute(target, key) is not MISSING:
                delattr(target, key)
        elif type(value) is Unknown and isinstance(target, (torch.Tensor, nn.Module)):
            _lose(target, key, value)
        else:
            setattr(target, key, value)
    elif kind == NUMBERS:
        if type(value) is not int or value != key.writes(target):
            key.void(target)
    else:
        target.clear()
        target.extend(value) if isinstance(target, list) or not hasattr(target, "update") else target.update(
            value
        )


def _attribute(target: Any, key: str) -> Any:
    """What stands there. A `__getattr__` of the program's is not asked: it computes, and only the program asks it."""
    if isinstance(target, type) or not hasattr(type(target), "__getattr__"):
        return getattr(target, key, MISSING)
    try:
        return object.__getattribute__(target, key)
    except AttributeError:
        pass
    try:
        return nn.Module.__getattr__(target, key) if isinstance(target, nn.Module) else MISSING
    except AttributeError:
        return MISSING


_UNSURE: dict[tuple[int, str], tuple[Any, Unknown]] = {}
"""Attributes of torch's own objects that must have a value there and are not known here."""


def unsure(target: Any, key: str) -> Unknown | None:
    """An Unknown in place of an attribute that torch keeps and nobody knows, else None."""
    entry = _UNSURE.get((id(target), key)) if _UNSURE else None
    return entry[1] if entry is not None and entry[0] is target else None


def settle(target: Any, key: str) -> None:
    """An attribute is about to be known again."""
    _UNSURE.pop((id(target), key), None)


def is_unsure(target: Any) -> bool:
    """Whether an attribute of this is not known."""
    return bool(_UNSURE) and any(target is value for value, _ in _UNSURE.values())


def forget_unsure() -> None:
    """Called between traces."""
    _UNSURE.clear()


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

    __slots__ = ("entries", "since")

    def __init__(self, since: int = 0) -> None:
        self.entries: dict[Slot, Entry] = {}
        self.since = since
        """When it was opened, on the clock of its journal."""

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
        self.contrary: list[bool] = []
        """For each of them whether this world takes another way."""
        self._first = len(journal.segments) - 1

    def leave(self, contrary: bool = False) -> None:
        """Take a snapshot of everything written since the meeting was opened. `contrary`: of what this world does not do."""
        snapshot: dict[Slot, Any] = {}
        for segment in self.journal.segments[self._first :]:
            for slot, entry in segment.entries.items():
                self.segment.entries.setdefault(slot, entry)
                snapshot[slot] = read(*entry[:3])
        self.snapshots.append(snapshot)
        self.contrary.append(contrary)

    def meet(self, same: Same, reached: bool = True, contrary: bool = False) -> None:
        """Close the meeting and leave the join. `reached`: the plain way gets here too, and is `contrary`."""
        self.journal.close(self.segment)
        if not self.snapshots:
            return
        states = ([self.segment.after()] if reached else []) + self.snapshots
        entries = self.segment.entries
        own = _with_names(entries, own_of(states, ([contrary] if reached else []) + self.contrary), states)
        _leave_join(self.journal, entries, own, same, self._born(own))

    def _born(self, states: list[dict[Slot, Any]]) -> set[Slot]:
        """The attributes of objects that were made meanwhile, where every way has left before that or has them."""
        born = {
            slot
            for slot, (kind, target, _, _) in self.segment.entries.items()
            if kind == ATTRIBUTE and self.journal.is_born_in(self.segment, target)
        }
        if born:
            for state in states:
                made = {slot[0] for slot in state if slot[1] == ATTRIBUTE}
                born = {slot for slot in born if slot in state or slot[0] not in made}
        return born


class Journal:
    """The open segments, innermost last. With none open nothing is noted and writes are free."""

    def __init__(self) -> None:
        self.segments: list[Segment] = []
        self.writes = 0
        """How often something was written that is no name."""
        self._clock = 0
        self._born: dict[int, int] = {}

    def born(self, container: Any) -> Any:
        """This container, or object of a class of the program's, was just made."""
        if self.segments:
            self._born[id(container)] = self._clock
        return container

    def is_born_in(self, segment: Segment, container: Any) -> bool:
        """Whether it was made since the segment was opened: another that has its `id` now was made later still."""
        return self._born.get(id(container), -1) >= segment.since

    def note(self, kind: str, target: Any, key: Any = None) -> None:
        """About to write there."""
        if kind != NAME:
            self.writes += 1
        if self.segments:
            entries = self.segments[-1].entries
            slot = (id(target), kind, key)
            if slot not in entries:
                entries[slot] = (kind, target, key, read(kind, target, key))

    def note_numbers(self, target: Any, key: Any) -> None:
        """About to compute in place, with the numbers that are known: what is taken back later is then not known."""
        if self.segments:
            self.note(NUMBERS, target, key)

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
        self._clock += 1
        segment = Segment(self._clock)
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
    on_leave: Callable[[Signal, bool], None],
    condition: Any = None,
    own: int | None = None,
) -> Signal | None:
    """Run each way from the same state and leave the join of those that go on.

    `condition`: the unknown value that decides between two of them, if it is one value. `own`: the way that this
    world takes. What the others leave is what other worlds have, then, and is held against this when worlds are compared.

    A way that leaves the block (break, return, raise) is reported to `on_leave` while its state
    still stands, and does not flow into the join. Returns None, or DEAD if no way goes on.
    """
    going: list[dict[Slot, Any]] = []
    contrary: list[bool] = []
    entries: dict[Slot, Entry] = {}
    born: set[Slot] = set()
    for number, way in enumerate(ways):
        is_contrary = own is not None and number != own
        segment = journal.open()
        try:
            signal = way()
            if signal is not None:
                on_leave(signal, is_contrary)
        finally:
            journal.close(segment)
        if signal is None:
            going.append(segment.after())
            contrary.append(is_contrary)
            for slot, entry in segment.entries.items():
                entries.setdefault(slot, entry)
                if entry[0] in (CONTENTS, ATTRIBUTE) and journal.is_born_in(segment, entry[1]):
                    born.add(slot)
        segment.undo()
    if not going:
        return DEAD
    doubts.choose(condition)
    _leave_join(journal, entries, _with_names(entries, own_of(going, contrary), going), same, born)
    doubts.choose(None)
    return None


def own_of(values: list[Any], contrary: list[bool]) -> list[Any]:
    """Those that this world has, of some of which others have those that are `contrary`; all, if it has none."""
    return [value for value, other in zip(values, contrary) if not other] or values


def _with_names(
    entries: dict[Slot, Entry], own: list[dict[Slot, Any]], states: list[dict[Slot, Any]]
) -> list[dict[Slot, Any]]:
    """The states that this world leaves, with the names that only others bind: ways that it does not take read them."""
    if own is states or len(own) == len(states):
        return own
    bound = {}
    for slot, (kind, _, _, old) in entries.items():
        if kind == NAME and all(state.get(slot, old) is MISSING for state in own):
            bound[slot] = next(
                (value for state in states if (value := state.get(slot, old)) is not MISSING), MISSING
            )
    return [{**state, **bound} for state in own] if bound else own


def _leave_join(
    journal: Journal,
    entries: dict[Slot, Entry],
    states: list[dict[Slot, Any]],
    same: Same,
    born: Container[Slot] = (),
) -> None:
    """`born`: containers, and attributes of objects, that one of the ways has made, and no other knows of.

    They are whole again before anything that holds them is joined.
    """
    for slot, (kind, target, key, old) in sorted(entries.items(), key=lambda entry: entry[0] not in born):
        values = [state.get(slot, old) for state in states if slot not in born or slot in state]
        if kind == NUMBERS:
            if any(value != values[0] for value in values):
                journal.note(kind, target, key)
                key.void(target)
            continue
        if kind == NAME and not hasattr(builtins, key):  # code that goes on to read it knows that it is bound
            values = [value for value in values if value is not MISSING] or [MISSING]
        joined = values[0]
        for value in values[1:]:
            joined = join(joined, value, same)
        if kind != CONTENTS:
            joined = linked(joined, values)
        journal.note(kind, target, key)
        lost = joined if type(joined) is Unknown else mark_of(joined) if type(joined) is list else None
        if kind == CONTENTS and lost is not None:
            of_several_lengths(target, values, lost.why, same)
        else:
            write(kind, target, key, joined)
