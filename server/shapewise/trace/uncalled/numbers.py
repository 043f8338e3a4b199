"""The numbers of one run on made-up inputs: which were made up, and how others came about."""

from __future__ import annotations

from typing import Any

from .inputs.made import TELLING
from .inputs.sizes import Expr, Free, Made, Sizes, frees_in


class Numbers:
    """What is known of the integers of a run."""

    def __init__(self, sizes: Sizes, run: int) -> None:
        self.sizes = sizes
        self.run = run
        self.made: dict[Any, tuple[str, tuple[Any, ...]]] = {}
        """How numbers were computed: of equal ones the first."""
        self._owners: tuple[int, dict[int, Free]] | None = None

    def made_up(self, value: Any) -> bool:
        """Whether any value is a number that hangs on what was made up."""
        return type(value) is int and self.is_made_up(value)

    def is_made_up(self, number: Any) -> bool:
        """The same of a number."""
        return number in self.made or self._owner(number) is not None

    def _owner(self, number: Any) -> Free | None:
        """As `Sizes.owner`; while a run is under way, numbers come and none becomes another."""
        count = self.sizes.count
        if self._owners is None or self._owners[0] != count:
            self._owners = count, self.sizes.owners(self.run)
        return self._owners[1].get(number)

    def is_a_dim(self, number: Any) -> bool:
        """Whether a number was made up for dims of inputs, and for no parameter."""
        owner = self._owner(number) if type(number) is int else None
        return owner is not None and owner.label is None

    def is_of_dims(self, number: Any) -> bool:
        """Whether a number was made up for dims of inputs, or computed of such, and of no parameter."""
        expr = self.expr(number)
        return isinstance(expr, (Free, Made)) and all(free.label is None for free in frees_in(expr))

    def is_doubled(self, number: int) -> bool:
        """Whether a number is twice another."""
        return self.made.get(number) in (("*", (2, number // 2)), ("*", (number // 2, 2)))

    def is_kept(self, tensor: Any, dim: int) -> bool:
        """Whether `squeeze` of a dim does nothing, as an input has a size of its own there: nobody writes that."""
        return -tensor.dim() <= dim < tensor.dim() and self.is_a_dim(tensor.shape[dim])

    def is_a_parameter(self, number: Any) -> bool:
        """Whether a number was made up for a parameter, and for no other."""
        owner = self._owner(number) if type(number) is int else None
        return owner is not None and owner.label is not None

    def sources(self, value: Any, depth: int = 8) -> list[Free]:
        """The made-up numbers that a number of this run was computed of, in whatever way."""
        owner = self.sizes.owner(value, self.run) if type(value) is int else None
        if owner is not None:
            return [owner]
        operands = self.made.get(value, ("", ()))[1] if depth else ()
        return [free for one in operands for free in self.sources(one, depth - 1)]

    def expr(self, value: Any, known: dict[int, Expr | None] | None = None) -> Expr | None:
        """How a number of this run came about, None where it is no integer.

        `known`: of numbers on the way there, None of those that are still asked for (a size and back).
        """
        known = {} if known is None else known
        if type(value) is float and value.is_integer():
            value = int(value)
        if type(value) is not int:
            return None
        if value not in known:
            known[value] = None
            known[value] = self._came_about(value, known)
        return known[value]

    def _default(self, value: int) -> Free | None:
        """The one parameter that is as large as its default in the first run, if no other number is as likely: one that others are multiples of before one that they are not."""
        if self.run or value <= TELLING or value in self.sizes.taken:
            return None
        found = [
            free
            for free in self.sizes.counting.values()
            if free.small
            and free.label is not None
            and free.equals is None
            and self.sizes.possible(free, 0) == value
        ]
        shares = [one for one in found if any(one in free.multiples for free in self.sizes.all())]
        return found[0] if len(found) == 1 else shares[0] if len(shares) == 1 else None

    def _came_about(self, value: int, known: dict[int, Expr | None]) -> Expr | None:
        owner = (
            self.sizes.owner(value, self.run) or self.sizes.product(value, self.run) or self._default(value)
        )
        if owner is not None:
            return owner
        if value in self.made:
            name, operands = self.made[value]
            if name == "**" and operands[1] == 2:
                name, operands = "*", (operands[0], operands[0])
            parts = [self.expr(operand, known) for operand in operands]
            if name in ("+", "-", "*", "//") and all(part is not None for part in parts):
                return Made(name, tuple(parts))  # type: ignore[arg-type]
        for free in self.sizes.all():
            if free.label is None or free.equals is not None or (free.small and not self.run):
                continue  # the first run does not tell a default of 3 from any other 3
            if self.sizes.value(free, self.run) == value:
                return free
        if any(value % mine == 0 for mine in self.sizes.values(self.run)):
            return None  # made of made-up sizes in a way that is not known
        return value
