"""Names for the sizes of made-up inputs: a row of numbers, one a run, becomes an expression over the code's words.

A row is named only by what it is: a number of the code's own (a variable, a parameter, a dim of a
parameter), or what one op or operator made of such, of its own operands and of nothing else.
"""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from ...vocabulary.events import (
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
from ..agreed import agreed_by_all
from . import algebra
from .bound import without_the_unbound
from .coincidence import given_twice, torn
from .covering import UNSURE, agreed, alike, both, laid, lost, same, told, widened, without
from .derive import Step, derivation
from .rows import Aligned, Row, aligned, keys_of, rows_of, tensors_of
from .solve import Solved
from .specs import MadeUpKey
from .steps import LETTERS, LONG, Steps
from .targets import functions_of


def named(solved: Solved) -> tuple[list[Frame], list[Event], dict[Any, Value]]:
    """What the runs wrote down as one, with names for sizes, and what each event tells by itself."""
    namer = _Namer(solved)
    namer.learn()
    frames = [replace(frame, assumed=True) for frame in solved.recorded[0].frames]
    return frames, without_the_unbound(list(namer.events()), namer.of_dims), namer.said


class _Namer:
    def __init__(self, solved: Solved) -> None:
        self.solved = solved
        first = solved.recorded[0]
        self.frames = {frame.id: frame for frame in first.frames}
        self.selves = first.selves
        self.aligned = aligned(solved.recorded)
        self.steps = Steps()
        self.bases = solved.words
        self.local: dict[int, dict[str, set[Row]]] = defaultdict(lambda: defaultdict(set))
        """By frame: its integers."""
        self.given: dict[int, dict[str, set[Row]]] = defaultdict(lambda: defaultdict(set))
        """By frame: the integers among its parameters."""
        self.of_object: dict[int, dict[str, set[Row]]] = defaultdict(lambda: defaultdict(set))
        """By object: the integers that it was made of, and keeps."""
        self.of_dims: dict[int, dict[Row, str]] = defaultdict(dict)
        """By frame: names of dims of its parameters."""
        self.used: set[str] = set()
        self.torn = torn(self.aligned)
        """By frame: sizes that no name says."""
        self.key = dict(zip(map(id, first.events), keys_of(first)))
        self.otherwise = [dict(zip(keys_of(run), run.events)) for run in solved.otherwise]
        self.turned = [dict(zip(keys_of(run), run.events)) for run in solved.turned]
        self.ranks = [dict(zip(keys_of(one.first), one.first.events)) for one in solved.ranks]
        self.of_ranks = [_values(one.solved) for one in solved.ranks if one.solved is not None]
        self.elsewise = [_Elsewise(one) for one in solved.elsewise]
        self.like: Value | None = None
        """What the value that is to be named is called in the runs before these."""
        self.said: dict[Any, Value] = {}

    # ------------------------------------------------------------ learning

    def learn(self) -> None:
        """Collect the words of the code, and how sizes came about."""
        for event, runs in self.aligned:
            if runs is None:
                continue
            if isinstance(event, Bound) and isinstance(event.value, Scalar):
                row = _scalar(runs)
                if row is not None:
                    self._word(event, row)
            elif isinstance(event, Op):
                self._derive(event, runs)

    def _word(self, event: Bound, row: Row) -> None:
        name = event.name
        own = self.selves.get(event.frame)
        if name.startswith("self."):
            name = name.removeprefix("self.")
        else:
            self.local[event.frame][name].add(row)
            if event.kind == "parameter":
                self.given[event.frame][name].add(row)
        if own is not None and (event.name != name or self.frames[event.frame].scope.endswith(".__init__")):
            self.of_object[id(own)][name].add(row)
        self.used.add(name)

    def _derive(self, event: Op, runs: Aligned) -> None:
        results = [getattr(run, "result", None) for run in runs]
        if all(isinstance(result, Scalar) for result in results):
            row = _scalar_values(results)
            operands = [_scalar_values([run.args[i] for run in runs]) for i in range(len(event.args))]  # type: ignore[union-attr]
            if row is not None and len(set(row)) > 1 and all(one is not None for one in operands):
                self._learn_step(row, (event.name, tuple(operands)))
            return
        for parts in tensors_of(results):
            shape = rows_of(parts)
            if shape is None:
                continue
            for at, row in enumerate(shape):
                if len(set(row)) > 1 and not self._known(row, event.frame):
                    step = derivation(event, runs, shape, at)
                    if step is not None:
                        self._learn_step(row, step)

    def _learn_step(self, row: Row, step: Step) -> None:
        if row not in self.bases:
            self.steps.learn(row, step)

    def _known(self, row: Row, frame: int) -> bool:
        return (
            row in self.bases or row in self.steps or any(row in rows for rows in self.local[frame].values())
        )

    # ------------------------------------------------------------ naming

    def _name(self, row: Row, frame: int) -> str | None:
        """The one word that stands for a row in a function."""
        if row in self.torn[frame] or self._is_given_twice(row, frame):
            return None
        for name, rows in self.local[frame].items():
            if rows == {row} and not name.startswith("_"):
                return name
        if row in self.of_dims[frame]:
            return self.of_dims[frame][row]
        own = self.selves.get(frame)
        taken = self.local[frame]
        if own is not None:
            for name, rows in self.of_object.get(id(own), {}).items():
                if name in self.solved.absent and self._is_outermost(frame):
                    continue
                if rows == {row} and name not in taken and not name.startswith("_"):
                    return name
        label = self.bases.get(row)
        if label is not None and label not in taken:
            if self._is_outermost(frame) or self._is_given(self.solved.fields.get(label), frame):
                return label
        return None

    def _is_given_twice(self, row: Row, frame: int) -> bool:
        return not self._is_outermost(frame) and given_twice(
            row, self.given[frame], self.selves.get(frame), self.of_object
        )

    def _is_given(self, config: str | None, frame: int) -> bool:
        """Whether the object whose method runs was made of the same config: its constructor calls it so."""
        own = self.selves.get(frame)
        init = functions_of(type(own)).get("__init__") if config is not None else None
        return init is not None and config in inspect.signature(init).parameters

    def _is_outermost(self, frame: int) -> bool:
        """Whether a function is the one that is tried, or another method of the same object.

        A layer further in has words of its own: it is used elsewhere, too.
        """
        own = self.selves.get(frame)
        roots = [one for one, found in self.frames.items() if found.parent not in self.frames]
        return frame in roots or (own is not None and any(self.selves.get(one) is own for one in roots))

    def _sized(self, row: Row, frame: int) -> algebra.Size | None:
        return self.steps.size(row, lambda one: self._name(one, frame))

    def dim(self, row: Row, frame: int) -> int | str | None:
        """A size as it is shown in a function: a number, an expression, or None."""
        shown = self.steps.shown(row, lambda one: self._name(one, frame))
        return None if self.torn[frame] and isinstance(shown, str) and not shown.isidentifier() else shown

    def _means(self, text: Any, row: Row, frame: int) -> bool:
        """Whether an expression over words of a function has these numbers."""
        if not isinstance(text, str):
            return False
        own = self.of_object.get(id(self.selves.get(frame)), {})
        words: dict[str, Row] = {label: one for one, label in self.bases.items() if label is not None}
        for rows in (own, self.local[frame]):
            words.update((name, next(iter(found))) for name, found in rows.items() if len(found) == 1)
        words.update((name, one) for one, name in self.of_dims[frame].items())
        numbers = ({name: one[run] for name, one in words.items()} for run in range(len(row)))
        return tuple(algebra.meaning(text, each) for each in numbers) == row

    def _letters(self, frame: int, event: Bound, shape: tuple[Row, ...]) -> None:
        """Give names to the dims of a parameter that have none."""
        letters = LETTERS.get(len(shape), "")
        words: tuple[str | None, ...] = ()
        array = self.solved.arrays.get(event.name)
        if array is not None and self.frames[frame].parent not in self.frames:
            words = array.words if array.stated else ()
        for at, row in enumerate(shape):
            if len(set(row)) == 1 or self._sized(row, frame) is not None:
                continue
            caller = self.frames[frame].parent
            name = words[at] if at < len(words) else None
            if isinstance(self.like, Tensor) and len(self.like.shape) == len(shape):
                text = self.like.shape[at]
                name = text if isinstance(text, str) and text.isidentifier() else name
            if name is None and caller in self.frames:
                name = self._name(row, caller)
            if name is None or self._is_taken(name, frame):
                name = letters[at] if at < len(letters) else "N"
                number = 1
                while self._is_taken(name, frame):
                    number += 1
                    name = f"{name.rstrip('0123456789')}{number}"
            self.of_dims[frame][row] = name

    def _is_taken(self, name: str, frame: int) -> bool:
        own = self.selves.get(frame)
        return (
            name in self.local[frame]
            or name in self.solved.assigned.get(self.frames[frame].scope, ())
            or name in self.of_dims[frame].values()
            or (own is not None and name in self.of_object.get(id(own), {}))
        )

    # ------------------------------------------------------------ events

    def events(self) -> Iterator[Event]:
        """The events as one run, in the order of the first; what other ranks make of them taken into account."""
        for original, runs in self.aligned:
            key = self.key[id(original)]
            self.like = self.solved.like.get(key)
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
                    self._letters(event.frame, event, part)
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
        key, mine_named = self.key[id(event)], value
        for others in self.otherwise:
            value = agreed(value, mine, told(others.get(key)))
        for others in self.turned:
            value = laid(value, mine, told(others.get(key)))
        for elsewhere in self.elsewise:
            other = elsewhere.told(key, value)
            value = value if other is None else both(value, other)
        wide = value
        for others in self.ranks:
            wide = widened(wide, mine, told(others.get(key)))
        if wide == value:
            return value, ()
        each = (
            value,
            *[without(values[key], mine_named, value) for values in self.of_ranks if key in values],
        )
        if isinstance(wide, Unknown) and len(each) == 1 + len(self.ranks):
            wide = alike(each) or wide
        return wide, tuple(one for one in dict.fromkeys(each) if not isinstance(one, Unknown))

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
            row = _scalar_values(values)
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
            dims = tuple(one if self._means(one, row, frame) else mine for one, mine, row in theirs)
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


def _has_made_up_keys(value: Any) -> bool:
    return isinstance(value, Group) and any(isinstance(key, MadeUpKey) for key in value.keys or ())


class _Elsewise:
    """Other runs of the same, asked in the words of the first: a size that these mean there too is called so."""

    def __init__(self, solved: Solved) -> None:
        self._namer = _Namer(solved)
        self._namer.learn()
        self._events = {self._namer.key[id(event)]: (event, runs) for event, runs in self._namer.aligned}

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
        size = namer._sized(row, frame)
        step = None if step is None or size is None else algebra.times(step, size)
    return steps[::-1]


def _scalar(runs: Aligned) -> Row | None:
    return _scalar_values([getattr(run, "value", None) for run in runs])


def _scalar_values(values: Iterable[Any]) -> Row | None:
    found = tuple(value.value if isinstance(value, Scalar) else None for value in values)
    return found if all(type(value) in (int, float) for value in found) else None  # type: ignore[return-value]


def _holds(value: Value) -> bool:
    return isinstance(value, (Tensor, Unknown)) or (
        isinstance(value, Group) and any(map(_holds, value.items))
    )
