"""Names for sizes that only data decides, where the code has a word for them.

A size is a row of numbers: what it was in two worlds where all lengths are equal, and in two where
every one is another (see `apart`). So two sizes of one row are one size. It has a name where a name
of the code is bound to it: a variable, a dim of a parameter, what a layer was made of; or where one op made it of such.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ...vocabulary.events import Bound, Event, Group, Op, Scalar, Tensor, Value
from ..worlds.apart import Apart
from ..worlds.merging import Traced, unlike
from .derive import derivation
from .lost_dims import LostDims
from .rows import Row, frame_keys, keys_of, rows_of, tensors_of
from .steps import Steps, letters


def is_open(events: Sequence[Event]) -> bool:
    """Whether a size in what is shown is not known."""
    return any(isinstance(event, Bound) and _is_open(event.value) for event in events)


def _is_open(value: Value) -> bool:
    if isinstance(value, Group):
        return any(map(_is_open, value.items))
    return isinstance(value, Tensor) and None in value.shape


def named(events: Sequence[Event], runs: Sequence[Traced], apart: Sequence[Apart]) -> list[Event]:
    """The merged `events` of the first of four runs with names. The last two are those `apart`.

    A size that is another one there was the same only because all such numbers are.
    """
    return list(_Names(runs, apart).events(events))


class _Names:
    def __init__(self, runs: Sequence[Traced], apart: Sequence[Apart]) -> None:
        self.runs = runs
        self.apart = apart
        first = runs[0]
        self.selves = first.selves
        self.top = {frame.file: frame.id for frame in first.frames if frame.scope == "<module>"}
        self.frames = {frame.id: frame for frame in first.frames}
        self.steps = Steps()
        self.lost = LostDims(self._may_be_named)
        self.local: dict[int, dict[str, Row]] = defaultdict(dict)
        """By frame: its integers, as they are where the events have come to."""
        self.of_object: dict[int, dict[str, Row]] = defaultdict(dict)
        """By layer: the integers that it was made of, and keeps."""
        self.of_dims: dict[int, dict[Row, str]] = defaultdict(dict)
        """By frame: names of dims of its parameters."""
        self.all_local: dict[int, dict[str, set[Row | None]]] = defaultdict(lambda: defaultdict(set))
        """By frame: all that its integers ever are."""
        self.all_near: dict[int, dict[str, set[Row | None]]] = defaultdict(lambda: defaultdict(set))
        """By layer: the same of all its methods. Who reads one of them knows the words of the others."""

    def events(self, merged: Sequence[Event]) -> Iterator[Event]:
        """Each event, after the words that were bound before it."""
        others = [dict(zip(keys_of(run), run.events)) for run in self.runs[1:]]
        numbers = self._numbers()
        for bound, row in itertools.chain.from_iterable(numbers.values()):
            self.all_local[bound.frame][bound.name].add(row)
            if bound.frame in self.selves:
                self.all_near[self.selves[bound.frame]][bound.name].add(row)
        for at, (key, event, original) in enumerate(zip(keys_of(self.runs[0]), merged, self.runs[0].events)):
            for bound, row in numbers[at]:
                self._word(bound, row if len(self.all_local[bound.frame][bound.name]) == 1 else None)
            found = [run.get(key) for run in others]
            for apart, other in zip(self.apart, found[-len(self.apart) :]):
                event = event if other is None else unlike(event, other, apart.chosen)
            if any(other is None for other in found) or event.frame in self.runs[0].alike:
                yield event
                continue
            runs: Any = (original, *found)
            if isinstance(event, Op):
                self._learn(event, runs)
                failure = self.lost.failure(event, runs)
                self.lost.learn(event, runs)
                event = event if failure is None else replace(event, failure=failure)
            elif isinstance(event, Bound):
                if event.kind == "binding":
                    self.local[event.frame].pop(event.name, None)
                values = [run.value for run in runs]
                if event.kind == "parameter":
                    self._name_dims(event.frame, event.value, values)
                value = self._value(event.value, values, event.frame)
                event = event if value is event.value else replace(event, value=value)
            yield event

    # ------------------------------------------------------------ words

    def _numbers(self) -> dict[int, list[tuple[Bound, Row | None]]]:
        """What names took numbers, by how many events came before."""
        found: dict[int, list[tuple[Bound, Row | None]]] = defaultdict(list)
        rows = [self._keyed(run) for run in self.runs]
        for key, (at, bound) in rows[0].items():
            others = [run[key] for run in rows[1:] if key in run]
            row = (_number(bound), *[_number(one) for _, one in others])
            found[at].append((bound, row if len(row) == len(rows) else None))
        return found

    @staticmethod
    def _keyed(run: Traced) -> dict[Any, tuple[int, Bound]]:
        frames = frame_keys(run.frames)
        times: dict[Any, int] = defaultdict(int)
        found = {}
        for at, bound in run.words:
            key = (frames.get(bound.frame), bound.span, bound.kind, bound.name)
            times[key] += 1
            found[key, times[key]] = (at, bound)
        return found

    def _word(self, bound: Bound, row: Row | None) -> None:
        name, own = bound.name, self.selves.get(bound.frame)
        of_self = name.startswith("self.")
        homes = [] if of_self else [self.local[bound.frame]]
        if own is not None and (of_self or self.frames[bound.frame].scope.endswith(".__init__")):
            homes.append(self.of_object[own])
        for home in homes:
            if row is None:
                home.pop(name.removeprefix("self."), None)
            else:
                home[name.removeprefix("self.")] = row

    def _name_dims(self, frame: int, value: Value, values: Sequence[Any]) -> None:
        """Give names to the dims of a parameter that data decides and that have none."""
        tensors = [*_open_tensors(value, values)]
        if isinstance(value, Group) and value.kind == "list" and len(set(tensors)) > 1:
            return  # items of unlike sizes: a word would be that of one
        for tensor in tensors:
            for dim, row in enumerate(tensor):
                if not self._may_be_named(row) or self.steps.size(row, lambda one: self._name(one, frame)):
                    continue
                free = letters(len(tensor), dim)
                self.of_dims[frame][row] = self._later_word(row, frame) or self._free_word(row, frame, free)

    def _later_word(self, row: Row, frame: int) -> str | None:
        """The variable that a function is going to bind to it, and to nothing else (`B, T = x.shape`)."""
        words = self.all_local[frame].items()
        name = next((name for name, rows in words if rows == {row}), "")
        return name if name.isidentifier() and not name.startswith("_") else None

    def _free_word(self, row: Row, frame: int, free: Iterator[str]) -> str:
        """What its caller calls it, else a letter, if it means nothing else in the function."""
        caller = self.frames[frame].parent
        name = None if caller is None else self._name(row, caller)
        if name is not None and not self._is_taken(name, frame, row):
            return name
        return next(name for name in free if not self._is_taken(name, frame, row))

    def _is_taken(self, name: str, frame: int, row: Row) -> bool:
        own = self.selves.get(frame)
        return (
            name in self.all_local[frame]
            or name in self.of_dims[frame].values()
            or (own is not None and name in self.of_object[own])
            or (own is not None and name in self.all_near[own] and self.all_near[own][name] != {row})
        )

    def _name(self, row: Row, frame: int) -> str | None:
        """The word that stands for a row in a function."""
        if not self._may_be_named(row):
            return None
        local, own = self.local[frame], self.selves.get(frame)
        name = _word_for(row, local)
        if name is None:
            name = self.of_dims[frame].get(row)
        if name is None and own is not None:
            name = _word_for(row, self.of_object[own], without=local)
        top = self.top.get(self.frames[frame].file)
        if name is None and top is not None:
            name = _word_for(row, self.local[top], without=local)
        return name

    def _may_be_named(self, row: Row) -> bool:
        """Whether data decides it, and it is told from all others."""
        if row[0] == row[1]:
            return False
        return not any(one.is_shared(size) for one, size in zip(self.apart, row[2:]))

    # ------------------------------------------------------------ sizes

    def _learn(self, event: Op, runs: Any) -> None:
        """How an op made sizes of others."""
        for parts in tensors_of([getattr(run, "result", None) for run in runs]):
            shape = rows_of(parts)
            for at, row in enumerate(shape or ()):
                if self._may_be_named(row) and row not in self.steps and self._name(row, event.frame) is None:
                    assert shape is not None
                    step = derivation(event, runs, shape, at)
                    if step is not None:
                        self.steps.learn(row, step)

    def _value(self, value: Value, values: Sequence[Any], frame: int) -> Value:
        """What is shown, with names for its sizes."""
        if isinstance(value, Tensor):
            shape = rows_of(values) if None in value.shape else None
            if shape is None or len(shape) != len(value.shape):
                return value
            names = tuple(
                self._shown(row, frame) if size is None else size for size, row in zip(value.shape, shape)
            )
            return value if names == value.shape else replace(value, names=names)
        if isinstance(value, Group) and _is_open(value) and _are_alike(value, values):
            columns = zip(*[one.items for one in values])
            items = tuple(self._value(one, column, frame) for one, column in zip(value.items, columns))
            return replace(value, items=items)
        return value

    def _shown(self, row: Row, frame: int) -> int | str | None:
        if not self._may_be_named(row):
            return None
        return self.steps.shown(row, lambda one: self._name(one, frame))


def _open_tensors(value: Value, values: Sequence[Any]) -> Iterator[tuple[Row, ...]]:
    """The shapes in a value of which some size is not known."""
    if isinstance(value, Tensor) and None in value.shape:
        shape = rows_of(values)
        if shape is not None:
            yield shape
    elif isinstance(value, Group) and _are_alike(value, values):
        for one, column in zip(value.items, zip(*[other.items for other in values])):
            yield from _open_tensors(one, column)


def _are_alike(value: Group, values: Sequence[Any]) -> bool:
    return all(isinstance(one, Group) and len(one.items) == len(value.items) for one in values)


def _word_for(row: Row, words: dict[str, Row], without: dict[str, Row] | None = None) -> str | None:
    return next(
        (
            name
            for name, one in words.items()
            if one == row and not name.startswith("_") and (without is None or name not in without)
        ),
        None,
    )


def _number(bound: Bound) -> int:
    assert isinstance(bound.value, Scalar) and type(bound.value.value) is int
    return bound.value.value
