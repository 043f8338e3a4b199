"""How sizes came about: each row of numbers by one operator, down to rows that have a name."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from typing import Any

from . import algebra
from .derive import Step
from .rows import Row

_LETTERS = {1: "N", 2: "BD", 3: "BTD", 4: "BCHW", 5: "BCTHW"}
"""What dims without a name of their own are called, by rank."""
LONG = 60
"""Characters of an expression that still tell something."""
_DEEP = 12
_FLOORS = ("int", "math.floor")

NameOf = Callable[[Row], "str | None"]
"""The word that stands for a row where it is shown, if there is one."""


def letters(rank: int, dim: int) -> Iterator[str]:
    """What a dim (from 0) may be called by its rank: `H`, then `H2`, `H3`."""
    known = _LETTERS.get(rank, "")
    letter = known[dim] if dim < len(known) else "N"
    return itertools.chain([letter], (f"{letter}{number}" for number in itertools.count(2)))


class Steps:
    """What is known of how sizes were made."""

    def __init__(self) -> None:
        self._made: dict[Row, Step] = {}

    def __contains__(self, row: Row) -> bool:
        return row in self._made

    def learn(self, row: Row, step: Step) -> None:
        """A size was made so. What was learnt of it first stays."""
        if row not in self._made and row not in step[1]:
            self._made[row] = step

    def size(self, row: Row, name_of: NameOf) -> algebra.Size | None:
        """A size as an expression over names, or None if some part of it has none."""
        return self._size(row, name_of, {}, _DEEP)

    def _size(
        self, row: Row, name_of: NameOf, found: dict[Row, algebra.Size | None], depth: int
    ) -> algebra.Size | None:
        """`found`: what is known already; None for rows that are being asked for, for two may each be made of the other."""
        if row in found:
            return found[row]
        found[row] = None
        name = name_of(row)
        step = self._made.get(row)
        if len(set(row)) == 1 and float(row[0]).is_integer():
            found[row] = algebra.number(int(row[0]))
        elif name is not None:
            found[row] = algebra.atom(name)
        elif step is not None and depth:
            if step[0] == "/" and all(float(one).is_integer() for one in row):
                step = "//", step[1]  # it leaves nothing in any run
            found[row] = self._stepped(step, name_of, found, depth - 1)
        return found[row]

    def _stepped(
        self, step: Step, name_of: NameOf, found: dict[Row, algebra.Size | None], depth: int
    ) -> algebra.Size | None:
        inner = self._made.get(step[1][0]) if step[0] in _FLOORS and len(step[1]) == 1 else None
        if inner is not None and inner[0] == "/":  # `int(width / 2)`
            step = "//", inner[1]
        operands: list[algebra.Size] = []
        for one in step[1]:
            of_steps = isinstance(one[0], str)
            operand = (self._stepped if of_steps else self._size)(one, name_of, found, depth)
            if operand is None:
                return None
            operands.append(operand)
        return _applied(step[0], operands)

    def shown(self, row: Row, name_of: NameOf) -> int | str | None:
        """A size as it is shown: a number, an expression, or None."""
        size = self.size(row, name_of)
        if size is None:
            return None
        value = size.number()
        if value is not None:
            return value if len(set(row)) == 1 and value == row[0] else None
        text = str(size)
        return text if len(text) <= LONG else None


def _applied(name: str, operands: list[Any]) -> algebra.Size | None:
    """An operator on sizes."""
    if name in ("+", "*") and operands:
        return functools.reduce(algebra.plus if name == "+" else algebra.times, operands)
    if len(operands) == 1:
        return operands[0] if name in ("int", "round", "math.floor", "math.ceil") else None
    if len(operands) != 2:
        return None
    try:
        if name == "/":
            return algebra._even(*operands)
        if name == "**":
            times = operands[1].number()
            if times is None or not 0 <= times <= 4:
                base, power = operands[0].number(), operands[1].number()
                return None if base is None or power is None else algebra.number(base**power)
            made = algebra.number(1)
            for _ in range(times):
                made = algebra.times(made, operands[0])
            return made
        steps = {"-": algebra.minus, "//": algebra.floored}
        return steps[name](*operands) if name in steps else None
    except ZeroDivisionError:
        return None
