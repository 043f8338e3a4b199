"""Names for sizes that differ between the calls of a function: each is a row of numbers, one a call.

A row has the word that the function has for it in every call: a variable, what its layer was made of, a dim of a
parameter; or it is what one op made of such. Where two words have the same numbers each time, they stand for as many
dims of one tensor, in their order, and for no other.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ...vocabulary.events import Bound, Event, Frame, Group, Op, Size, Tensor, Value
from ..log.recorder import Recorder
from .derive import Step, derivation
from .rows import Row, is_known, rows_of, tensors_of
from .steps import Steps, letters

_MOST = 64
"""Calls with unlike sizes of which rows are made."""

Numbers = dict[str, set[int]]
"""All that each name ever is."""
_Key = tuple[Any, ...]


def with_names(recorder: Recorder, events: Sequence[Event]) -> Sequence[Event]:
    """The events of a trace; those of functions that are called with unlike sizes say what their calls have in common."""
    made: list[Event] | None = None
    words: _Words | None = None
    for frames, ats in _calls(recorder, events):
        calls = [_Call(frame.id, [events[at] for at in own]) for frame, own in zip(frames, ats)]
        firsts = _unlike(calls)
        if not firsts:
            continue
        words = words or _Words(recorder)
        said = _said(firsts, words)
        made = made or list(events)
        for call, own in zip(calls, ats):
            for key, at in zip(call.keys, own):
                if key in said:
                    made[at] = _saying(made[at], said[key])
    return events if made is None else made


def _calls(recorder: Recorder, events: Sequence[Event]) -> Iterator[tuple[list[Frame], list[list[int]]]]:
    """The calls of each function that was called several times, and where in the log the events of each are."""
    functions: dict[tuple[str, str], list[Frame]] = defaultdict(list)
    for frame in recorder.frames:
        if frame.scope != "<module>" and not frame.installed:
            functions[frame.file, frame.scope].append(frame)
    several = [
        frames for frames in functions.values() if sum(one.id not in recorder.alike for one in frames) > 1
    ]
    if not several:
        return  # a long file's events are thousands, at every keystroke
    ats: dict[int, list[int]] = {frame.id: [] for frames in several for frame in frames}
    for at, event in enumerate(events):
        own = ats.get(event.frame)
        if own is not None:
            own.append(at)
    for frames in several:
        used = [frame for frame in frames if ats[frame.id]]
        if len(used) > 1 and not any(frame.id in recorder.alike for frame in used):
            yield used, [ats[frame.id] for frame in used]


class _Call:
    """One call: its events by what names them in each call, and the sizes in them."""

    def __init__(self, frame: int, events: list[Event]) -> None:
        self.frames = [frame]
        """It, and those with the same sizes."""
        times: dict[_Key, int] = defaultdict(int)
        self.keys: list[_Key] = []
        for event in events:
            place = (event.span, event.kind if isinstance(event, Bound) else "op", event.name)
            times[place] += 1
            self.keys.append((*place, times[place]))
        self.events = dict(zip(self.keys, events))
        self.sizes = tuple(map(_sizes, events))


def _unlike(calls: Sequence[_Call]) -> list[_Call]:
    """One call of each set of sizes; none if there is one such set, or too many."""
    found: dict[Any, _Call] = {}
    for call in calls:
        first = found.setdefault((call.sizes, tuple(call.keys)), call)
        if first is not call:
            first.frames += call.frames
    return [*found.values()] if 1 < len(found) <= _MOST else []


def _said(calls: Sequence[_Call], words: _Words) -> dict[_Key, Any]:
    """By event: the shapes of its value in words, as deep as it is. What not all calls do is told of those that do it.

    A read of the same facts as the one before is not written down (`Recorder.bound`): of reads that not all calls have it is
    not known who else made them. They are told what is told of what was bound to the name.
    """
    those: dict[tuple[int, ...], list[_Key]] = defaultdict(list)
    for key in dict.fromkeys(key for call in calls for key in call.keys):
        those[tuple(at for at, call in enumerate(calls) if key in call.events)].append(key)
    said: dict[_Key, Any] = {}
    reads: list[tuple[_Key, list[_Call]]] = []
    for ats, keys in those.items():
        some = [calls[at] for at in ats]
        if len(some) < len(calls):
            reads += [(key, some) for key in keys if key[1] == "expression"]
            keys = [key for key in keys if key[1] != "expression"]
        if len(some) > 1 and keys:
            namer = _Namer(some, words)
            said.update((key, found) for key in keys if (found := namer.said(key)) is not None)
    for key, some in reads:
        bound = [one for one in said if one[1] in ("binding", "parameter") and one[2] == key[2]]
        bound = [one for one in bound if all(one in call.events for call in calls)]
        alike = [one for one in bound if all(_reads(call, key, one) for call in some)]
        if alike and all(said[one] == said[alike[0]] for one in alike):
            said[key] = said[alike[0]]
    return said


def _reads(call: _Call, read: _Key, bound: _Key) -> bool:
    """Whether what was read has the sizes of what was bound."""
    return bound in call.events and _sizes(call.events[read]) == _sizes(call.events[bound])


class _Words:
    """The integers of functions, and those that layers are made of and keep."""

    def __init__(self, recorder: Recorder) -> None:
        self._selves, self._frames = recorder.selves, recorder.frames
        self._local: dict[int, Numbers] = defaultdict(lambda: defaultdict(set))
        self._own: dict[int, Numbers] = defaultdict(lambda: defaultdict(set))
        self._near: dict[int, Numbers] = defaultdict(lambda: defaultdict(set))
        for _, bound in recorder.words:
            layer = recorder.selves.get(bound.frame)
            number = bound.value.value  # type: ignore[union-attr]
            of_self = bound.name.startswith("self.")
            if not of_self:
                self._local[bound.frame][bound.name].add(number)  # type: ignore[arg-type]
            if layer is not None:
                self._near[layer][bound.name.removeprefix("self.")].add(number)  # type: ignore[arg-type]
            if layer is not None and (of_self or recorder.frames[bound.frame].scope.endswith(".__init__")):
                self._own[layer][bound.name.removeprefix("self.")].add(number)  # type: ignore[arg-type]

    def local(self, calls: Sequence[_Call]) -> dict[str, Row]:
        """Of a function: those that are one number in each of its calls."""
        return _rows([[self._local[frame] for frame in call.frames] for call in calls])

    def callers(self, calls: Sequence[_Call]) -> dict[str, Row]:
        """The same of what calls it: what all of them have."""
        parents = [[self._frames[one].parent for one in call.frames] for call in calls]
        return _rows([[self._local[one] for one in above if one is not None] for above in parents])

    def own(self, calls: Sequence[_Call]) -> dict[str, Row]:
        """The same of the layers whose method it is."""
        return _rows([[self._own[layer] for layer in self._layers(call)] for call in calls])

    def near(self, calls: Sequence[_Call]) -> Numbers:
        """All that the methods of those layers call anything: who reads one of them knows the words of the others."""
        found: Numbers = defaultdict(set)
        for layer in {layer for call in calls for layer in self._layers(call)}:
            for name, numbers in self._near[layer].items():
                found[name] |= numbers
        return found

    def _layers(self, call: _Call) -> list[int]:
        return [self._selves[one] for one in call.frames if one in self._selves]


def _rows(calls: list[list[Numbers]]) -> dict[str, Row]:
    found: dict[str, Row] = {}
    for name in calls[0][0] if calls[0] else ():
        numbers = [set[int]().union(*(words.get(name, ()) for words in call)) for call in calls]
        if name.isidentifier() and not name.startswith("_") and all(len(one) == 1 for one in numbers):
            found[name] = tuple(next(iter(one)) for one in numbers)
    return found


class _Namer:
    """Calls of one function that all have some events."""

    def __init__(self, calls: Sequence[_Call], words: _Words) -> None:
        self._local, self._own, self._callers = words.local(calls), words.own(calls), words.callers(calls)
        self._near = words.near(calls)
        self._letters: dict[Row, str] = {}
        self._steps = Steps()
        self._runs: dict[_Key, list[Any]] = {}
        for key in calls[0].keys:
            runs = [call.events.get(key) for call in calls]
            if None in runs:
                continue
            self._runs[key] = runs
            event = runs[0]
            if isinstance(event, Op):
                self._derive(event, runs)
            elif event.kind == "parameter":  # type: ignore[union-attr]
                self._name_dims([run.value for run in runs])  # type: ignore[union-attr]

    def said(self, key: _Key) -> Any:
        """The shapes in what an event gives, in words; None where there is nothing to be said."""
        return self._told([run.value if isinstance(run, Bound) else run.result for run in self._runs[key]])

    def _name_dims(self, values: list[Any]) -> None:
        """Name the dims of a parameter for which the function has no word: as its callers do, or by a letter."""
        for parts in tensors_of(values):
            shape = rows_of(parts) or ()
            for at, row in enumerate(shape):
                if _differs(row) and not self._is_worded(row):
                    theirs = [name for name, one in self._callers.items() if one == row]
                    named = itertools.chain(theirs if len(theirs) == 1 else (), letters(len(shape), at))
                    self._letters[row] = next(name for name in named if not self._is_taken(name, row))

    def _is_worded(self, row: Row) -> bool:
        """Whether a word of the function's own may stand for a row, or one of its layer alone does, or an expression."""
        return row in self._local.values() or self._steps.size(row, self._name) is not None

    def _is_taken(self, name: str, row: Row) -> bool:
        if name in self._local or name in self._own or name in self._letters.values():
            return True
        return name in self._near and not self._near[name].issuperset(row)

    def _derive(self, event: Op, runs: Any) -> None:
        """How an op made sizes of others."""
        for parts in tensors_of([run.result for run in runs]):
            shape = rows_of(parts) or ()
            if not all(map(is_known, shape)):
                continue
            for at, row in enumerate(shape):
                if _differs(row) and row not in self._steps and not self._words_for(row):
                    step = derivation(event, runs, shape, at) or self._by_a_word(runs, shape, at)
                    if step is not None:
                        self._steps.learn(row, step)

    def _by_a_word(self, runs: Any, shape: tuple[Row, ...], at: int) -> Step | None:
        """The same dim of what the op was given, by the one word that makes this of it: a stride that only its layer knows."""
        given = rows_of([next((arg for arg in run.args if isinstance(arg, Tensor)), None) for run in runs])
        if given is None or len(given) != len(shape) or not is_known(given[at]):
            return None
        found = []
        for word in {*self._own.values(), *self._local.values()}:
            if _differs(word) and all(word):
                if all(size == of // by and not of % by for size, of, by in zip(shape[at], given[at], word)):
                    found.append(("//", (given[at], word)))
                elif all(size == of * by for size, of, by in zip(shape[at], given[at], word)):
                    found.append(("*", (given[at], word)))
        return found[0] if len(found) == 1 else None

    # ------------------------------------------------------------ naming

    def _words_for(self, row: Row) -> list[str]:
        """The words that stand for a row: the function's own before those of its layer."""
        found = [name for name, one in self._local.items() if one == row]
        if not found and row in self._letters:
            found = [self._letters[row]]
        return found or [name for name, one in self._own.items() if one == row and name not in self._local]

    def _name(self, row: Row) -> str | None:
        found = self._words_for(row) if _differs(row) else []
        return found[0] if len(found) == 1 else None

    def _told(self, values: list[Any]) -> Any:
        """Shapes in words; None where there is nothing to be said."""
        first = values[0]
        if isinstance(first, Group):
            if not all(isinstance(one, Group) and _is_like(one, first) for one in values):
                return None
            items = tuple(self._told([*column]) for column in zip(*[one.items for one in values]))
            return items if any(item is not None for item in items) else None
        shape = rows_of(values)
        if shape is None or not all(map(is_known, shape)):
            return None
        dims: list[Size] = []
        for at, row in enumerate(shape):
            if not _differs(row):
                dims.append(row[0])
                continue
            words = self._words_for(row)
            if len(words) > 1 and len(words) == shape.count(row):
                dims.append(words[shape[:at].count(row)])
            else:
                dims.append(self._steps.shown(row, self._name))
        return _Shape(dims) if any(isinstance(dim, str) for dim in dims) else None


class _Shape(tuple[Size, ...]):
    """The shape of one tensor, as opposed to what is said of several."""

    __slots__ = ()


def _saying(event: Event, said: Any) -> Event:
    if isinstance(event, Bound):
        return replace(event, value=_with(event.value, said))
    return replace(event, result=_with(event.result, said))


def _with(value: Value, said: Any) -> Value:
    if isinstance(value, Tensor) and isinstance(said, _Shape):
        return replace(value, over_calls=tuple(said))
    if isinstance(value, Group) and said is not None:
        return replace(value, items=tuple(map(_with, value.items, said)))
    return value


def _sizes(event: Event) -> Any:
    return _shapes(event.value if isinstance(event, Bound) else event.result)


def _shapes(value: Value) -> Any:
    if isinstance(value, Tensor):
        return value.shape
    return tuple(map(_shapes, value.items)) if isinstance(value, Group) else None


def _is_like(one: Group, other: Group) -> bool:
    return (one.kind, one.keys, len(one.items)) == (other.kind, other.keys, len(other.items))


def _differs(row: Row) -> bool:
    return len(set(row)) > 1
