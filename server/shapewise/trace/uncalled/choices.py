"""What the sizes of one run decided: the larger of two, the way of a condition, whether a slice takes all that there is."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Any

from ...vocabulary.span import Span
from .inputs.made import cut_at
from .inputs.sizes import Sizes
from .numbers import Numbers

Extreme = tuple[tuple[Any, ...], int]
_LIMIT = re.compile(r"max|limit|block|chunk|context|window")
"""Names of the most that there may be: as often as not there is less."""


class Choices(Numbers):
    """The numbers of a run, and what was chosen by them."""

    def __init__(self, sizes: Sizes, run: int) -> None:
        super().__init__(sizes, run)
        self.extremes: dict[Any, tuple[Extreme, ...]] = {}
        """By place, the numbers that were chosen from, and which of two ways it went."""
        self.rounds: set[int] = set()
        """Numbers that were given to `range`."""
        self.left: set[int] = set()
        """What was left of numbers that were made up."""

    def chose(self, at: Any, numbers: tuple[Any, ...], way: int) -> None:
        """`max` or `min` chose from numbers, a condition compared them, or something was cut to one."""
        self.extremes[at] = (*self.extremes.get(at, ()), (numbers, way))

    def is_left(self, number: Any) -> bool:
        """Whether a number was left of one that was made up, and is not that of a round, which is as large by chance."""
        is_of_a_round = any(number < rounds for rounds in self.rounds)
        return number in self.left and (not is_of_a_round or self.made.get(number, ("",))[0] in ("%", "-"))

    def cut(self, span: Span, shape: Sequence[int], index: Any) -> None:
        """A slice ends at a length: there may be less or more than that."""
        for at, (size, bound) in enumerate(cut_at(shape, index)):
            is_made_up = self.is_made_up(size)
            if is_made_up and self._is_limit(bound):
                self.chose((span, "[]", at), (size, bound), int(bound > size))
            elif bound > size and (is_made_up or self.is_made_up(bound)):
                self.chose((span, "[]", at), (size, bound), 1)

    def _is_limit(self, bound: int) -> bool:
        every = [free for free in self.sizes.all() if free.label and _LIMIT.search(free.label)]
        parts = {bound, *self.made.get(bound, ("", ()))[1]}
        return any(self.sizes.possible(free, self.run) in parts for free in every)


def asks_a_number(at: Any) -> bool:
    """Whether a condition may be one on a number that was computed before it: no loop over items, no `if mask is None`."""
    if isinstance(at, (ast.For, ast.AsyncFor, ast.comprehension)):
        return False
    test = getattr(at, "test", at)
    return any(
        isinstance(one, (ast.BinOp, ast.Call))
        or (isinstance(one, ast.Compare) and not isinstance(one.ops[0], (ast.Is, ast.IsNot)))
        for one in ast.walk(test)
    ) or any(isinstance(one, ast.Name) for one in _operands(test))


def _operands(test: Any) -> list[Any]:
    """What a condition asks whether it is true: the parts of `a and not b`."""
    if isinstance(test, ast.UnaryOp):
        return _operands(test.operand)
    return (
        [one for part in test.values for one in _operands(part)] if isinstance(test, ast.BoolOp) else [test]
    )
