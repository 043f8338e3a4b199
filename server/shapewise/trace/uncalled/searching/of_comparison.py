"""What a comparison before a `raise`, or in an `assert`, asks of the made-up inputs."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Sequence
from typing import Any

from ..inputs.sizes import Free, Made, bind
from ..inputs.specs import Array, Plain
from .evenly import Evenly

_ORDERS = {">": "<", "<": ">", ">=": "<=", "<=": ">="}
"""What two sizes can be held against each other with, and how it reads the other way round."""


class Compared(Evenly):
    """One refusal, and the comparison that it came of."""

    def of_comparison(self) -> bool:
        """The comparison before a `raise` or in an `assert`: `x.size(1) == self.width`, `x.dim() == 3`."""
        if self.attempt.compared is None or not self.trouble.raised:
            return False
        name, left, right = self.attempt.compared
        if name in ("in", "not in"):
            return self._one_of(left, right)
        if name in _ORDERS:
            return self._other_side(name, left, right)
        if isinstance(left, (tuple, list)) and name in ("==", "!="):
            if not all(type(one) is int for one in (*left, *right)):
                return False
            ways = [
                (array, other)
                for shape, other in ((left, right), (right, left))
                for array in self.arrays()
                if self.shape_of(array) == tuple(shape)
            ]
            if len(left) == len(right):
                if any(self._filled(*way) for way in ways):
                    return True
                return any([self.unify(*pair, exactly=True) for pair in zip(left, right)])  # noqa: C419 - all of them
            return any(self._shaped(*way) for way in sorted(ways, key=lambda way: way[0].settled))
        if name in ("==", "!=") and type(left) is int:
            if self._as_many(left, right):
                return True
            if self.unify(left, right, exactly=True) or self._one_that_is_asked(left, right):
                return True
            if self.attempt.run:  # the run before had the same ranks, and came by
                return False
            for array in self.arrays():
                rank = len(array.dims or ())
                if rank in (left, right) and self.try_rank(array, right if rank == left else left):
                    return True
        return False

    def _shaped(self, array: Array, shape: Sequence[int]) -> bool:
        """An input has another shape, whose rank has not been tried: that of sizes which are known."""
        if not self.try_rank(array, len(shape)):
            return False
        self._filled(array, shape)
        return True

    def _filled(self, array: Array, shape: Sequence[int]) -> bool:
        """An input has other sizes: those that are made up are what they are, whatever it was before."""
        pairs = zip(array.dims or (), shape, self.shape_of(array))
        made = [(dim, self.attempt.expr(size)) for dim, size, mine in pairs if mine != size]
        found = [
            (dim, expr) for dim, expr in made if isinstance(dim, Free) and isinstance(expr, (Free, Made))
        ]
        return any([bind(*one) for one in found])  # noqa: C419 - all of them

    def _other_side(self, name: str, left: Any, right: Any) -> bool:
        """A size has to be on the other side of a number of the text: `if channels > 1: raise`."""
        if type(left) is not int or type(right) is not int:
            return False
        if left in self.attempt.sizes.taken:
            name, left, right = _ORDERS[name], right, left
        free = self.attempt.sizes.owner(left, self.attempt.run)
        if left != right and self._is_enough(*sorted((left, right))):
            return True
        if free is None or left == right or right not in self.attempt.sizes.taken:
            return False
        if left > right:
            free.most = right - (name in (">=", "<"))
            return free.most > 0
        free.least = max(free.least, right + (name in ("<=", ">")))
        return True

    def _is_enough(self, low: int, high: int) -> bool:
        """A parameter has to be larger than the dims: `assert t <= self.block_size`."""
        less = self.attempt.sizes.owner(low, self.attempt.run)
        if less is None or less.label is None or high in self.attempt.sizes.taken or less.least > high:
            return False
        less.least = 4 * high
        return True

    def _one_that_is_asked(self, left: int, right: int) -> bool:
        """A parameter that the file raises for has to be one of the numbers that it was held against before."""
        for number in (left, right):
            if number in self.attempt.asked and self._one_of(number, self.attempt.asked[number]):
                return True
        return False

    def one_of_the_scales(self) -> bool:
        """What is as many times larger as a parameter says, and is not: it is one of the numbers that this is held against.

        `if self.scale == 2: up = upsample(up)`, `up + F.interpolate(x, scale_factor=self.scale)`: no other scale fits.
        """
        pairs = list(itertools.permutations(self.numbers(), 2))
        return any(
            len(asked) > 1
            and any(one * scale == other for one, other in pairs)
            and self._one_of(scale, asked)
            for scale, asked in self.attempt.asked.items()
        )

    def _one_of(self, number: int, choices: Collection[int]) -> bool:
        """A parameter has to be one of some numbers: `assert num_layers in (18, 34, 50)`."""
        free = self.attempt.sizes.owner(number, self.attempt.run)
        if free is None or free.label is None or free.choices or not choices or min(choices) < 1:
            return False
        free.choices = free.among = tuple(sorted(choices))
        return True

    def more_than_is_taken(self) -> bool:
        """`nn.Linear(n, width - 3 * less)`, `torch.zeros((steps - patch) // stride + 1)`: the width is larger."""
        below = [
            operands
            for number, (name, operands) in self.attempt.made.items()
            if name == "-" and type(number) is int and number < 0
        ]
        for whole, part in below:
            free = self.attempt.sizes.owner(whole, self.attempt.run) if type(whole) is int else None
            if free is not None and free.least <= part:
                free.least = 2 * part
                return True
        return False

    def without_a_flag(self) -> bool:
        """A flag of a config that was made up does not hold: `if args.multiway: module = Multiway(module)`."""
        for bundle in self._bundles() if _OF_A_LAYER.search(self.text) else ():
            for name, spec in bundle.fields.items() if bundle.cls is None else ():
                if isinstance(spec, Plain) and spec.value is True:
                    bundle.fields[name] = Plain(False)
                    return True
        return False


_OF_A_LAYER = re.compile(r"'(?!NoneType|(?:types\.)?SimpleNamespace)[A-Z]\w*' object has no attribute")
"""A layer of the file lacks what is asked of it: it stands where another would."""
