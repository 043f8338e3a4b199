"""The tensors that a place had in each call of a function, as what the text states of them is held against them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator

from ..vocabulary.events import Bound, Log, Op, Size, Tensor, Unknown, Value
from ..vocabulary.span import Span
from .lacking import Lacking
from .lineage import ELEMENTWISE, POINTWISE, Lineage, short
from .origins import origin

TOP = "<module>"


class Runs:
    """Each execution of a function of the file, by the number of its frame.

    `literals`: the numbers written in a call. `made_up`: those executions that nothing calls, in place of the others.
    """

    def __init__(self, log: Log, literals: Callable[[Span], set[int]], made_up: bool = False) -> None:
        self.log = log
        self.made_up = made_up
        self._literals = literals
        self._lineage = Lineage(log)
        self._lacking = Lacking(log)
        self._values: dict[int, dict[Span, list[Value]]] = defaultdict(lambda: defaultdict(list))
        self._reads: dict[tuple[str, Span], list[tuple[int, Value]]] = defaultdict(list)
        self._ends: dict[int, int] = {}
        self._of_any: set[int] = set()
        """Frames of whose inputs a rank is not known, or may be another: what is seen there is of the one that was tried last."""
        for number, event in enumerate(log.events):
            self._ends[event.frame] = number
            if isinstance(event, Bound):
                if event.kind == "parameter" and isinstance(event.value, Unknown) and event.value.tensor:
                    self._of_any.add(event.frame)
                if event.kind == "expression" and not log.frames[event.frame].assumed:
                    self._reads[log.frames[event.frame].file, event.span].append((number, event.value))
                self._values[event.frame][event.span].append(event.value)
            elif event.failure is None:
                if made_up and _met_in_unlike_ranks(event):
                    self._of_any.add(event.frame)
                self._values[event.frame][event.span].append(event.result)

    @property
    def frames(self) -> Iterator[int]:
        """Those that are asked for."""
        called = {
            frame.scope
            for frame in self.log.frames
            if not frame.assumed and not frame.blind and frame.file == self.log.file
        }
        for number in self._values:
            frame = self.log.frames[number]
            if frame.file != self.log.file or frame.assumed != self.made_up:
                continue
            if self.made_up and number in self._of_any:
                continue
            cut = self.log.cut is not None and frame.scope != TOP
            if frame.scope not in called if self.made_up else not cut:
                yield number

    def at(self, frame: int, span: Span) -> list[Tensor | None]:
        """The tensor of a place, its rounds as one; None if one may have been there that is not known."""
        values = self._values[frame].get(span)
        if not values:
            return []
        if self._lacking.lacks(self.log.frames[frame], span) or any(
            isinstance(value, Unknown) for value in values
        ):
            return [None]
        tensors = [value for value in values if isinstance(value, Tensor)]
        if len(tensors) != len(values) or any(map(self._is_below_a_failure, tensors)):
            return [None] if tensors else []
        first = tensors[0]
        if any(isinstance(size, str) and size.startswith("*") for size in first.shape):
            return [None]
        return [first] if all(one.shape == first.shape for one in tensors) else [None]

    def shape(self, frame: int, span: Span) -> tuple[Size, ...] | None:
        """The shape that is read at a place, if it is the same in every round."""
        found = self.at(frame, span) or self._read_as_before(frame, span)
        return found[0].shape if found and found[0] is not None else None

    def _read_as_before(self, frame: int, span: Span) -> list[Tensor | None]:
        """What was read at a place: the log says it anew only where it is another than the last time."""
        if self.made_up or self._lacking.lacks(self.log.frames[frame], span):
            return []
        reads = self._reads.get((self.log.frames[frame].file, span), ())
        last = next((value for number, value in reversed(reads) if number < self._ends[frame]), None)
        return [last] if isinstance(last, Tensor) and not self._is_below_a_failure(last) else []

    def _is_below_a_failure(self, tensor: Tensor) -> bool:
        maker = self._lineage.maker(tensor)
        return maker is not None and (maker.failure is not None or self._lineage.below_a_failure(maker))

    def given(self, frame: int, tensor: Tensor) -> Callable[[int], bool]:
        """Whether the size of a dim may be one that a function is given: no call decides it with a number of its own."""
        if self.made_up or self.log.frames[frame].scope == TOP:
            return lambda dim: False  # what is made up is never a number

        def is_given(dim: int) -> bool:
            found = origin(self._lineage, tensor, dim)
            if found is None:
                return True
            size = found.tensor.shape[found.dim]
            if found.built is not None:
                return size not in self._literals(found.built.span)
            return short(found.op.name) not in _SIZED or size not in self._literals(found.op.span)

        return is_given

    def spread(self, tensor: Tensor) -> bool:
        """Whether made-up inputs met so that both were broadcast: one of fewer dims would have done as well."""
        for _ in range(_NEAR if self.made_up else 0):
            op = self._lineage.maker(tensor)
            given = [arg for arg in op.args if isinstance(arg, Tensor)] if op is not None else []
            same = [one for one in given if one.shape == tensor.shape]
            if op is None or len(same) > 1:
                return False
            if not same:
                return len(given) > 1 and short(op.name) in POINTWISE
            tensor = same[0]
        return False


def _met_in_unlike_ranks(op: Op) -> bool:
    """Whether two tensors of unlike ranks were both broadcast: as if one had a dim that it was not meant to have."""
    if short(op.name) not in ELEMENTWISE:
        return False
    shapes = [one.shape for one in op.args if isinstance(one, Tensor)]
    met = len(shapes) == 2 and len(shapes[0]) != len(shapes[1]) and () not in shapes
    largest = max(map(len, shapes), default=0)
    full = [(1,) * (largest - len(shape)) + shape for shape in shapes]
    return met and all(any(one == 1 != other for one, other in zip(*pair)) for pair in (full, full[::-1]))


_NEAR = 8
_SIZED = frozenset(
    "zeros ones empty full rand randn randint arange eye linspace view reshape expand repeat unflatten split chunk tensor".split()
)
"""Calls that are told sizes."""
