"""The runs put together: each size a row of numbers, one a run, and each row an expression over the code's words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ....vocabulary.events import (
    Bound,
    Event,
    Failure,
    Frame,
    Group,
    Op,
    Other,
    Scalar,
    Tensor,
    Unknown,
    Value,
)
from ...naming import algebra
from ...naming.rows import Aligned, frame_keys, keys_of, rows_of, tensors_of
from ...naming.steps import LONG
from ...worlds.agreed import agreed_by_all
from ..doubting.covering import (
    UNSURE,
    agreed,
    alike,
    both,
    grown,
    in_place,
    is_of_any_rank,
    laid,
    lost,
    moving,
    same,
    tells_as_much,
    told,
    uncounted,
    unfixed,
    widened,
    without,
)
from ..inputs.specs import MadeUpKey
from ..running import Recorded
from ..solve import Solved
from .bound import without_the_unbound, without_words
from .own_words import Own
from .words import Words, scalar


def named(
    solved: Solved, own: Own | None = None, scope: str | None = None
) -> tuple[list[Frame], list[Event], dict[Any, Value]]:
    """What the runs wrote down as one, with names for sizes, and what each event tells by itself.

    `own`: what other definitions of the file tell where they are tried by themselves. `scope`: of that function only,
    if it is the one that was tried: what it calls says nothing to its words.
    """
    namer = _Namer(solved, own)
    namer.learn()
    frames = [replace(frame, assumed=True) for frame in solved.recorded[0].frames]
    return frames, without_the_unbound(list(namer.events(scope)), namer.of_dims), namer.said


class _Namer(Words):
    def __init__(self, solved: Solved, own: Own | None = None) -> None:
        super().__init__(solved)
        self.own = own
        first = solved.recorded[0]
        self.key = dict(zip(map(id, first.events), keys_of(first)))
        self.otherwise = [dict(zip(keys_of(run), run.events)) for run in solved.otherwise]
        self.listed = [(count, dict(zip(keys_of(run), run.events))) for count, run in solved.listed]
        self.worded = [dict(zip(keys_of(run), run.events)) for run in solved.worded]
        self.turned = [dict(zip(keys_of(run), run.events)) for run in solved.turned]
        self.ranks = [dict(zip(keys_of(one.first), one.first.events)) for one in solved.ranks]
        self.of_ranks = [_values(one.solved) for one in solved.ranks if one.solved is not None]
        self.elsewise = [_Elsewise(one) for one in solved.elsewise]
        self.longer = [_Elsewise(one) for one in solved.longer]
        for one in self.longer:
            one.see(first)
        self.grown = None if solved.grown is None else _Elsewise(solved.grown)
        self.like: Value | None = None
        """What the value that is to be named is called in the runs before these."""
        self.said: dict[Any, Value] = {}
        self.moving: dict[int, set[str]] = defaultdict(set)
        """By frame: words that are dims of an input counted from its end, whatever rank that has."""

    def events(self, scope: str | None = None) -> Iterator[Event]:
        """The events as one run, in the order of the first; what other ranks make of them taken into account."""
        for original, runs in self.aligned:
            if scope not in (None, self.frames[original.frame].scope):
                continue
            key = self.key[id(original)]
            self.like = self.solved.like.get(key) or self._own(original)
            if isinstance(original, Bound):
                if isinstance(original.value, Scalar):
                    continue
                found = self.said[key] = self._bound(original, runs)
                value, others = self._in_all(original, original.value, found)
                yield replace(original, value=value, others=others)
            elif _holds(original.result) or any(map(_holds, original.args)):
                made = self._op(original, runs)
                self.said[key] = made.result
                yield replace(made, result=self._in_all(original, original.result, made.result)[0])

    def _own(self, event: Event) -> Value | None:
        """What a function that is called tells by itself at this place: its words are used where they mean the same."""
        if self.own is None or self.is_outermost(event.frame):
            return None
        return self.own.told(event, self.frames[event.frame])

    def values(self) -> dict[Any, Value]:
        """What each event tells of a tensor."""
        self.learn()
        found: dict[Any, Value] = {}
        for event, runs in self.aligned:
            value = self.valued(event, runs)
            if value is not None:
                found[self.key[id(event)]] = value
        return found

    def valued(self, event: Event, runs: Aligned | None) -> Value | None:
        """What an event tells; None of a number."""
        if isinstance(event, Op):
            return self._op(event, runs).result
        return None if isinstance(event.value, Scalar) else self._bound(event, runs)

    def _bound(self, event: Bound, runs: Aligned | None) -> Value:
        if runs is None:
            return lost(event.value)
        values = [getattr(run, "value", None) for run in runs]
        if event.kind == "parameter" and not _has_made_up_keys(values[0]):
            for parts in tensors_of(values):
                if (part := rows_of(parts)) is not None:
                    self.letters(event.frame, event, part, self.like)
        value = self._value(values, event.frame)
        if event.kind == "parameter" and isinstance(value, Tensor):
            return replace(value, contiguous=None, stride=None)  # how it lies in memory, its caller decides
        return value

    def _op(self, event: Op, runs: Any) -> Op:
        if runs is None:
            return replace(event, result=lost(event.result), failure=None)
        args = (
            self._value([run.args[at] if at < len(run.args) else None for run in runs], event.frame)
            for at in range(len(event.args))
        )
        kwargs = (
            (name, self._value([dict(run.kwargs).get(name) for run in runs], event.frame))
            for name, _ in event.kwargs
        )
        result = self._value([getattr(run, "result", None) for run in runs], event.frame)
        failure = self._failure([run.failure for run in runs], event.frame)
        return replace(event, args=tuple(args), kwargs=tuple(kwargs), result=result, failure=failure)

    def _failure(self, failures: list[Failure | None], frame: int) -> Failure | None:
        """What all runs are refused with, without the numbers that were made up."""
        first = failures[0]
        if any(one is None or one.caught for one in failures):
            return None
        found = agreed_by_all([one for one in failures if one is not None])
        if found is None or first is None:
            return None
        columns = zip(*[one.operands for one in failures if one is not None])
        named = (self._value(list(column), frame) for column in columns)
        return replace(found, operands=tuple(one for one in named if isinstance(one, Tensor)))

    def _in_all(self, event: Event, mine: Value, value: Value) -> tuple[Value, tuple[Value, ...]]:
        """A value as it is whatever is otherwise, and what it is with each rank of the inputs that was tried."""
        key = self.key[id(event)]
        told_grown = None if self.grown is None else self.grown.told(key, value)
        longer = self._in_each(self.longer, key, value)  # asked of each event, as that tells them the letters
        if told_grown is not None and tells_as_much(value, told_grown):
            value = grown(value, told_grown)
        else:
            value = longer
        for elsewhere in self.longer:
            for other in elsewhere.beyond(place_of(event, self.frames), value):
                value = both(value, other)
        mine_named = value = unfixed(value, self.solved.fixed)
        for others in self.otherwise:
            value = agreed(value, mine, told(others.get(key)))
        for count, others in self.listed:
            value = uncounted(value, mine, told(others.get(key)), count)
        usual = value
        for others in self.worded:
            if key in others:
                value = laid(agreed(value, mine, told(others[key])), mine, told(others[key]))
        for others in self.turned:
            value = laid(value, mine, told(others.get(key)))
        value = self._in_each(self.elsewise, key, value)
        by_word = is_of_any_rank(value)  # `reduction="none"` beside `"mean"`
        first = laid(self._in_each(self.elsewise, key, usual), mine, None) if by_word else value
        wide = value
        for others in self.ranks:
            wide = widened(wide, mine, told(others.get(key)))
        if wide == value and not by_word:
            return value, ()
        each = (
            first,
            *[
                unfixed(without(values[key], mine_named, first), self.solved.fixed)
                for values in self.of_ranks
                if key in values
            ],
        )
        if isinstance(wide, Unknown) and len(each) == 1 + len(self.ranks):
            # counted from the front it is the dim of another rank that is called so
            wide = without_words(alike(each) or wide, self.moving[event.frame])
        wide = in_place(wide, each)
        if isinstance(event, Bound) and event.kind == "parameter":
            self.moving[event.frame] |= moving(wide, each)
        return wide, tuple(one for one in dict.fromkeys(each) if not isinstance(one, Unknown))

    @staticmethod
    def _in_each(runs: list[_Elsewise], key: Any, value: Value) -> Value:
        """What holds of a value in other runs, too."""
        for elsewhere in runs:
            other = elsewhere.told(key, value)
            value = value if other is None else both(value, other)
        return value

    def _value(self, values: list[Any], frame: int) -> Value:
        first = values[0]
        unknown = next((value for value in values if isinstance(value, Unknown)), None)
        if unknown is not None:
            return unknown
        if any(type(value) is not type(first) for value in values):
            return lost(first)
        if isinstance(first, Tensor):
            return self._tensor(values, frame)
        if isinstance(first, Group):
            if any(
                (v.kind, v.keys, len(v.items)) != (first.kind, first.keys, len(first.items)) for v in values
            ):
                return Unknown(UNSURE.why)
            if _has_made_up_keys(first):
                return Other("dict")  # nobody has said what is in it
            like = self.like.items if isinstance(self.like, Group) else ()
            items = []
            for at, column in enumerate(zip(*[value.items for value in values])):
                self.like = like[at] if at < len(like) else None
                items.append(self._value(list(column), frame))
            return replace(first, items=tuple(items))
        if isinstance(first, Scalar):
            row = scalar(values)
            if row is not None and len(set(row)) > 1:
                shown = self.dim(row, frame)
                return Other("int", "" if shown is None else str(shown))
            return first if all(value == first for value in values) else Unknown(UNSURE.why)
        return first

    def _tensor(self, values: list[Tensor], frame: int) -> Value:
        first, shape = values[0], rows_of(values)
        if shape is None:
            return UNSURE
        dims = tuple(self.dim(row, frame) for row in shape)
        if isinstance(self.like, Tensor) and len(self.like.shape) == len(dims):
            theirs = zip(self.like.shape, dims, shape)
            dims = tuple(one if self.means(one, row, frame) else mine for one, mine, row in theirs)
        contiguous = same(values, "contiguous")
        parameter = first.leaf is True and same(values, "requires_grad") is True
        return replace(
            first,
            shape=dims,
            dtype=same(values, "dtype"),
            device=None,
            stride=self._stride(values, dims, contiguous, frame) if contiguous else None,
            contiguous=contiguous,
            requires_grad=True if parameter else None,
            leaf=True if parameter else None,
            offset=same(values, "offset"),
            itemsize=same(values, "itemsize"),
        )

    def _stride(self, values: list[Tensor], dims: Any, contiguous: bool | None, frame: int) -> Any:
        if any(value.stride is None for value in values):
            return None
        rows = list(zip(*[value.stride for value in values]))
        made: list[int | str | None] = []
        for row in rows:
            if None in row:
                made.append(None)
            else:
                made.append(self.dim(row, frame))
        if contiguous and None in made:
            made = _plain(self, values, frame) or made
        return tuple(made)


def place_of(event: Event, frames: Mapping[int, Frame]) -> Any:
    """Where an event stands, whichever call it is of."""
    kind = event.kind if isinstance(event, Bound) else "op"
    return frames[event.frame].scope, event.span, kind, event.name


def _has_made_up_keys(value: Any) -> bool:
    return isinstance(value, Group) and any(isinstance(key, MadeUpKey) for key in value.keys or ())


class _Elsewise:
    """Other runs of the same, asked in the words of the first: a size that these mean there too is called so."""

    def __init__(self, solved: Solved) -> None:
        self._namer = _Namer(solved)
        self._namer.learn()
        self._events = {self._namer.key[id(event)]: (event, runs) for event, runs in self._namer.aligned}
        self._beyond: dict[Any, list[Any]] = defaultdict(list)

    def see(self, first: Recorded) -> None:
        """The calls that the first runs had, and the rounds of their loops: the others are beyond them.

        Where rounds tell of several shapes, each is told as what it is, and a further one is no news.
        """
        had, rounds = set(frame_keys(first.frames).values()), set(keys_of(first))
        frames, shapes = {frame.id: frame for frame in first.frames}, defaultdict[Any, set[Any]](set)
        for event in first.events:
            shapes[place_of(event, frames)].add(getattr(told(event), "shape", None))
        mine = frame_keys(self._namer.frames.values())
        for event, runs in self._namer.aligned:
            place = place_of(event, self._namer.frames)
            is_bound = isinstance(event, Bound) and not isinstance(event.value, Scalar)
            is_new = is_bound and self._namer.key[id(event)] not in rounds and len(shapes[place]) == 1
            if mine[event.frame] not in had or is_new:
                self._beyond[place].append((event, runs))

    def beyond(self, place: Any, like: Value) -> Iterator[Value]:
        """What the calls and the rounds tell there that come where a loop goes round more often."""
        for event, runs in self._beyond.get(place, ()):
            self._namer.like = like
            value = self._namer.valued(event, runs)
            if value is not None:
                yield value

    def told(self, key: Any, like: Value) -> Value | None:
        """What an event tells here, which told the first runs `like`; None if it did not happen, or is a number."""
        if key not in self._events:
            return None
        self._namer.like = like
        return self._namer.valued(*self._events[key])


def _values(solved: Solved) -> dict[Any, Value]:
    return _Namer(solved).values()


def _plain(namer: _Namer, values: list[Tensor], frame: int) -> list[int | str | None] | None:
    """The stride of a contiguous tensor, by the names of its dims."""
    shape = rows_of(values)
    steps: list[int | str | None] = []
    step: algebra.Size | None = algebra.number(1)
    for row in reversed(shape or ()):
        text = None if step is None else step.number() if step.number() is not None else str(step)
        text = None if isinstance(text, str) and len(text) > LONG else text
        steps.append(text)
        size = namer.sized(row, frame)
        step = None if step is None or size is None else algebra.times(step, size)
    return steps[::-1]


def _holds(value: Value) -> bool:
    return isinstance(value, (Tensor, Unknown)) or (
        isinstance(value, Group) and any(map(_holds, value.items))
    )
