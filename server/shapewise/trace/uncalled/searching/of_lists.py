"""Lists of another length than they were given: numbers of which as many are wanted, and layers or tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..attempt import Attempt
from ..inputs.sizes import Expr, Free, Made, bind
from ..inputs.specs import Row, Spec, arrays_in, with_rank
from ..reading.lists import counts
from ..reading.tensors import ITEMS
from .equal import Equal
from .trouble import Trouble

MOST = 7
"""Dims of an input, where its shape is taken apart."""


class OfLists(Equal):
    """One refusal, and the inputs that led to it. `specs`: by name those of the constructor, and of the call."""

    def __init__(self, trouble: Trouble, attempt: Attempt, specs: list[dict[str, Spec]]) -> None:
        super().__init__(attempt, specs)
        self.trouble = trouble
        self.text = str(trouble.error)
        self.args = trouble.args
        self.named = trouble.named or {}

    def arg(self, at: int, name: str, default: Any = None) -> Any:
        """What torch's function was given there, by its place or its name."""
        return self.args[at] if at < len(self.args) else self.named.get(name, default)

    def _of_as_many(self, value: Sequence[int], wanted: int) -> bool:
        """A list of numbers is taken apart into so many: `depth, height, width = self.resolution`."""
        for specs in self.specs:
            for name, spec in specs.items():
                if isinstance(spec, Row) and self._numbers_in(spec) == list(value) and 0 < wanted <= MOST:
                    items: list[Spec] = [Free(f"{name}[{at}]") for at in range(wanted)]
                    specs[name] = Row(items, spec.kind)
                    return True
        return False

    def _of_number(self, value: Any) -> bool:
        """What was taken for a list of numbers is one: `size // 2`."""
        for specs in self.specs:
            for name, spec in specs.items():
                if isinstance(spec, Row) and isinstance(value, (list, tuple)) and self._numbers_in(spec):
                    here = self._numbers_in(spec)
                    if here == list(value)[: len(here)]:
                        specs[name] = Free(name)
                        return True
        return False

    def _numbers_in(self, row: Row) -> list[int | None]:
        """What is in a list of numbers in this run; nothing if it is one of something else."""
        frees = [item for item in row.items if isinstance(item, Free)]
        alike = len(frees) == len(row.items)
        return [self.attempt.sizes.possible(item, self.attempt.run) for item in frees] if alike else []

    def _of_lists(self, value: int, many: int) -> bool:
        """A list holds pairs (`for width, height in anchors`) or lists, where it was taken for one of numbers."""
        for specs in self.specs:
            for name, spec in specs.items():
                if isinstance(spec, Row) and any(
                    isinstance(item, Free) and self.attempt.sizes.value(item, self.attempt.run) == value
                    for item in spec.items
                ):
                    kind = tuple if many == 2 else list
                    lists: list[Spec] = [
                        Row([Free(f"{name}[{at}][{one}]") for one in range(many)], kind)
                        for at in range(len(spec.items))
                    ]
                    specs[name] = replace(spec, items=lists)
                    return True
        return False

    def _counted(self) -> bool:
        """What was found to be a number is the length of a list that nobody has said."""
        for count in self._counts():
            for free in self.attempt.sizes.all():
                if free.equals is not None and free is not count:
                    made = instead(free.equals, self.attempt.sizes.value(count, 0), count)
                    if made is not free.equals:
                        free.equals = made
                        return True
        return False

    def _longer(self, wanted: int) -> bool:
        """Lists of which nobody has said how long they are have so many items, where that is more."""
        shorter = [count for count in self._counts(pinned=True) if 0 < (count.default or 0) < wanted]
        for count in shorter:
            count.default = wanted
        for name, spec in self.specs[1].items():
            if isinstance(spec, Row) and spec.count in shorter and arrays_in(spec.items):
                self.specs[1][name] = replace(spec, items=[*spec.items, *self._more(spec, wanted)])
        return bool(shorter)

    def _as_many(self, count: int, wanted: int) -> bool:
        """A list of numbers has as many as the text asks for: `assert len(kernel_size) == 2`."""
        for name, spec in self.specs[0].items():
            if isinstance(spec, Row) and spec.open and len(spec.items) == count and 0 < wanted < count:
                if all(isinstance(one, Free) for one in spec.items):
                    self.specs[0][name] = Row(spec.items[:wanted], spec.kind)
                    return True
        return False

    def other_lengths(self) -> Iterator[Callable[[], bool]]:
        """A list of numbers is longer than others: `assert len(widths) == len(kernels) + 1`."""
        if (
            self.attempt.compared is None
            or not self.trouble.raised
            or self.attempt.compared[0] not in ("==", "!=")
        ):
            return
        _, one, other = self.attempt.compared
        if type(one) is not int or type(other) is not int or not 0 < abs(one - other) <= ITEMS:
            return
        for name, spec in self.specs[0].items():
            if isinstance(spec, Row) and spec.open and all(isinstance(item, Free) for item in spec.items):
                if {one, other} & {len(spec.items), len(spec.items) + abs(one - other)}:
                    yield lambda name=name, spec=spec: self._lengthened(name, spec, abs(one - other))  # type: ignore[misc]

    def _lengthened(self, name: str, row: Row, more: int) -> bool:
        items = [Free(f"{name}[{at}]") for at in range(len(row.items) + more)]
        self.specs[0][name] = Row([*items], row.kind)
        return True

    def _more(self, row: Row, wanted: int) -> list[Spec]:
        """Tensors like the last one of a list, each with dims of its own."""
        last = arrays_in(row.items)[-1]
        more = [replace(last, ranks=list(last.ranks)) for _ in range(wanted - len(row.items))]
        for one in more:
            with_rank(one, len(last.dims or ()) or 3)
        return [*more]

    def _closed(self) -> bool:
        """Lists whose length nobody has said are as long in all runs."""
        counts = self._counts()
        for count in counts:
            count.pinned = True
        return bool(counts)

    def _lengths(self) -> Iterator[Callable[[], bool]]:
        """A parameter of the constructor says how long a list of tensors is (`num_vars`)."""
        constructor, inputs = self.specs
        rows = [one for one in inputs.values() if isinstance(one, Row) and arrays_in(one.items)]
        count = next((row.count for row in rows if row.count is not None), None)
        for free in constructor.values():
            if count is not None and isinstance(free, Free) and free.equals is None and counts(free):
                yield lambda free=free, count=count: bind(free, count)  # type: ignore[misc]

    def _counts(self, pinned: bool = False) -> list[Free]:
        every = [spec for specs in self.specs for spec in specs.values()]
        counts = [spec.count for spec in every if isinstance(spec, Row) and spec.count is not None]
        return [count for count in dict.fromkeys(counts) if pinned or not count.pinned]


def instead(expr: Expr, number: int, free: Free) -> Expr:
    """An expression with a number in place of another."""
    if isinstance(expr, Made):
        operands = tuple(instead(operand, number, free) for operand in expr.operands)
        return expr if all(a is b for a, b in zip(operands, expr.operands)) else Made(expr.name, operands)
    return free if expr == number and isinstance(expr, int) else expr
