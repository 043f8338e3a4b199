"""What a row of numbers is called in a function: by the words that its code has there.

A row is named only by what it is: a number of the code's own (a variable, a parameter, a dim of a
parameter), or what one op or operator made of such, of its own operands and of nothing else.
"""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from ....vocabulary.events import Bound, Op, Scalar, Tensor, Value
from ...naming import algebra
from ...naming.derive import Step, derivation
from ...naming.rows import Aligned, Row, aligned, rows_of, tensors_of
from ...naming.steps import Steps, letters
from ..doubting.coincidence import given_twice, torn
from ..solve import Solved
from ..targets import functions_of

_TINY = 8
"""What is left of a division, and other numbers below this, are as large as others by chance: a constructor's `w % patch` names no padding."""


class Words:
    """What the rows of some runs are called in each function, learnt from all that they wrote down."""

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
        self._outermost: dict[int, bool] = {}
        self._made_of: dict[type, frozenset[str]] = {}

    # ------------------------------------------------------------ learning

    def learn(self) -> None:
        """Collect the words of the code, and how sizes came about."""
        for event, runs in self.aligned:
            if runs is None:
                continue
            if isinstance(event, Bound) and isinstance(event.value, Scalar):
                row = scalar([getattr(run, "value", None) for run in runs])
                if row is not None:
                    self._word(event, row)
            elif isinstance(event, Op):
                self._derive(event, runs)

    def _word(self, event: Bound, row: Row) -> None:
        name = event.name
        own = self.selves.get(event.frame)
        in_constructor = self.frames[event.frame].scope.endswith(".__init__")
        if in_constructor and max(row) < _TINY and event.kind != "parameter" and not name.startswith("self."):
            self.used.add(name)
            return
        if name.startswith("self."):
            name = name.removeprefix("self.")
        else:
            self.local[event.frame][name].add(row)
            if event.kind == "parameter":
                self.given[event.frame][name].add(row)
        if own is not None and (event.name != name or in_constructor):
            self.of_object[id(own)][name].add(row)
        self.used.add(name)

    def _derive(self, event: Op, runs: Aligned) -> None:
        results = [getattr(run, "result", None) for run in runs]
        if all(isinstance(result, Scalar) for result in results):
            row = scalar(results)
            operands = [scalar([run.args[i] for run in runs]) for i in range(len(event.args))]  # type: ignore[union-attr]
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
                if name in self.solved.absent and self.is_outermost(frame):
                    continue
                if rows == {row} and name not in taken and not name.startswith("_"):
                    return name
        label = self.bases.get(row)
        if label is not None and label not in taken:
            if self.is_outermost(frame) or self._is_given(self.solved.fields.get(label), frame):
                return label
        return None

    def _is_given_twice(self, row: Row, frame: int) -> bool:
        if self.is_outermost(frame):
            return False
        own = self.selves.get(frame)
        return given_twice(row, self.given[frame], self._constructor(own), self.of_object[id(own)])

    def _is_given(self, config: str | None, frame: int) -> bool:
        """Whether the object whose method runs was made of the same config: its constructor calls it so."""
        return config in self._constructor(self.selves.get(frame))

    def _constructor(self, own: Any) -> frozenset[str]:
        """What the constructor of an object calls that which it is made of."""
        cls = type(own)
        if cls not in self._made_of:
            init = functions_of(cls).get("__init__")
            self._made_of[cls] = frozenset(inspect.signature(init).parameters if init is not None else ())
        return self._made_of[cls]

    def is_outermost(self, frame: int) -> bool:
        """Whether a function is the one that is tried, or another method of the same object.

        A layer further in has words of its own: it is used elsewhere, too.
        """
        known = self._outermost.get(frame)
        if known is None:
            own = self.selves.get(frame)
            roots = [one for one, found in self.frames.items() if found.parent not in self.frames]
            known = frame in roots or (own is not None and any(self.selves.get(one) is own for one in roots))
            self._outermost[frame] = known
        return known

    def sized(self, row: Row, frame: int) -> algebra.Size | None:
        return self.steps.size(row, lambda one: self._name(one, frame))

    def dim(self, row: Row, frame: int) -> int | str | None:
        """A size as it is shown in a function: a number, an expression, or None."""
        shown = self.steps.shown(row, lambda one: self._name(one, frame))
        return None if self.torn[frame] and isinstance(shown, str) and not shown.isidentifier() else shown

    def means(self, text: Any, row: Row, frame: int) -> bool:
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

    def letters(self, frame: int, event: Bound, shape: tuple[Row, ...], like: Value | None) -> None:
        """Give names to the dims of a parameter that have none; `like`: what it was called before."""
        words: tuple[str | None, ...] = ()
        array = self.solved.arrays.get(event.name)
        if array is not None and self.frames[frame].parent not in self.frames:
            words = array.words if array.stated else ()
        for at, row in enumerate(shape):
            if len(set(row)) == 1 or self.sized(row, frame) is not None:
                continue
            caller = self.frames[frame].parent
            name = words[at] if at < len(words) else None
            if isinstance(like, Tensor) and len(like.shape) == len(shape):
                text = like.shape[at]
                name = text if isinstance(text, str) and text.isidentifier() else name
            if name is None and caller in self.frames:
                name = self._name(row, caller)
            if name is None or self._is_taken(name, frame):
                free = letters(len(shape), at)
                name = next(one for one in free if not self._is_taken(one, frame))
            self.of_dims[frame][row] = name

    def _is_taken(self, name: str, frame: int) -> bool:
        own = self.selves.get(frame)
        return (
            name in self.local[frame]
            or name in self.solved.assigned.get(self.frames[frame].scope, ())
            or name in self.of_dims[frame].values()
            or (own is not None and name in self.of_object.get(id(own), {}))
        )


def scalar(values: Iterable[Any]) -> Row | None:
    """Numbers of one place as a row; None if one is none."""
    found = tuple(value.value if isinstance(value, Scalar) else None for value in values)
    return found if all(type(value) in (int, float) for value in found) else None  # type: ignore[return-value]
