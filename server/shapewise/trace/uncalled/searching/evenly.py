"""What has to come out even: what was divided and left a remainder, halved windows, dims that are so many times others."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any

import torch

from ...fakes.devices import tensors_in
from ..attempt import Attempt
from ..inputs.sizes import Free, Made, bind, frees_in
from ..inputs.specs import HALVED, Array
from .of_python import OfPython

_EVEN = 4


class Evenly(OfPython):
    """One refusal, and the sizes that are to be shares or multiples of others."""

    def divided_by_any(self) -> Iterator[Callable[[], bool]]:
        """Several parameters are as large as what divides: it may be any of them."""
        sizes, run = self.attempt.sizes, self.attempt.run
        for above, below in itertools.pairwise(self.numbers()[-2:]):
            alike = [one for one in sizes.all() if one.label is not None and one.equals is None]
            alike = [one for one in alike if sizes.possible(one, run) == below]
            for free in alike if len(alike) > 1 and below and above % below else ():
                yield lambda above=above, below=below, free=free: self.divides(above, below, by=free)  # type: ignore[misc]

    def numbers(self) -> list[int]:
        """The sizes that the text tells, each once: `dimension 3` is none, nor `size(-2)`."""
        text = re.sub(r"\bdim(ension)? \d+", "", self.text)
        return list(dict.fromkeys(map(int, re.findall(r"(?<![-\w.])\d+(?![\w.])", text))))

    def of_remainder(self) -> bool:
        """What was divided and left a remainder, or what left none by 2 and should."""
        if self.trouble.raised and self.attempt.remainders:
            above, below = self.attempt.remainders[-1]
            if below == 2 and any(self._odd(number) for number in (above, above + 1, above - 1)):
                return True
        return any(
            self.divides(above, below)
            for above, below in reversed(self.attempt.remainders)
            if type(above) is int and below and above % below
        )

    def _odd(self, number: Any) -> bool:
        """A number that counts something, and is even, gets odd."""
        sizes, run = self.attempt.sizes, self.attempt.run
        for free in sizes.all():
            if free.label is None or free.equals is not None or free.odd or free.pinned:
                continue
            if (free.small or free.default is None) and sizes.value(free, run) == number and number % 2 == 0:
                free.odd = free.small = True
                return True
        return False

    def odd_windows(self) -> bool:
        """What counts something, and was halved on the way here, is odd: windows have a middle (`padding=kernel // 2`)."""
        sizes, run = self.attempt.sizes, self.attempt.run
        halved = {above + above % 2 for above in self.attempt.halved if above}  # and `(kernel - 1) // 2`
        for above in self.attempt.halved:  # `(kernel * dilation - dilation) / 2`
            name, operands = self.attempt.made.get(above, ("", ()))
            product = self.attempt.made.get(operands[0], ("", ())) if name == "-" else ("", ())
            halved |= {*product[1]} if product[0] == "*" else set()
        windows = [
            free
            for free in sizes.all()
            if free.label is not None and free.small and free.equals is None and not (free.odd or free.pinned)
            if sizes.value(free, run) in halved
        ]
        for free in windows:
            free.odd = True
        return bool(windows)

    def windows_of_three(self) -> bool:
        """What is held against what a window made of it is as long: one of three, whose padding is one, or its dilation."""
        sizes, run = self.attempt.sizes, self.attempt.run
        windows = [
            free
            for free in sizes.all()
            if free.label is not None and "kernel" in free.label and free.default is None
            if free.small and free.equals is None and not (free.choices or free.pinned or run)
            if sizes.value(free, run) in self.attempt.counted
        ]
        if self.trouble.raised or len(self.numbers()) < 2:
            return False
        for free in windows:
            free.default, free.pinned = 3, True  # whether another does is tried, as of any that is pinned
        return bool(windows)

    def odd_where_one_is_lost(self) -> bool:
        """What is held against what an even window made of it is longer by one: `x + conv(x)`, padded by half of the kernel."""
        sizes, run = self.attempt.sizes, self.attempt.run
        near = [pair for pair in itertools.pairwise(self.numbers()) if abs(pair[0] - pair[1]) == 1]
        made = [free for free in sizes.all() if free.label is None and isinstance(free.equals, Made)]
        lost = [(free, pair) for free in made for pair in near if sizes.possible(free, run) in pair]
        if self.trouble.raised or not near or not self.odd_windows():
            return False
        for free, pair in lost:  # what was made as long as what the even one left
            whole = next((one for size in pair if isinstance(one := sizes.owner(size, run), Free)), None)
            free.equals = free.equals if whole is None or whole.label is not None else whole
        return True

    def as_long_as_before(self) -> bool:
        """What is held against what a convolution made of it is as long: `x + conv(x)`, of a kernel that is padded by half."""
        numbers, sizes, run = self.numbers(), self.attempt.sizes, self.attempt.run
        small = [
            free for free in sizes.all() if free.label is not None and free.small and free.equals is None
        ]
        for kernel, padding in itertools.product(small, small if len(numbers) == 2 else ()):
            if "kernel" in str(kernel.label) and "pad" in str(padding.label):
                longer = 2 * sizes.value(padding, run) - sizes.value(kernel, run) + 1
                if longer and abs(longer) == abs(numbers[0] - numbers[1]):
                    return bind(kernel, Made("+", (Made("*", (2, padding)), 1)))
        return False

    def of_divided_dims(self) -> bool:
        """`x.view(b, h // p, p, w // p, p)`: dims that were divided on the way here come out even."""
        tensor = self.args[0] if self.args else None
        if not isinstance(tensor, torch.Tensor):
            return False
        divided = {
            (above, below)
            for above, below in self.attempt.remainders
            if above in tensor.shape and below and above % below
        }
        return any([self.divides(above, below) for above, below in divided])  # noqa: C419 - all of them

    def even_dims(self) -> bool:
        """Two sizes that differ by one are the halves of an odd one: the dims of the inputs can be halved."""
        shapes = [tuple(one.shape) for arg in self.args for one in tensors_in(arg)]
        if not any(
            abs(a - b) == 1 < min(a, b) for one in shapes for other in shapes for a, b in zip(one, other)
        ):
            return False
        dims = [dim for array in self.in_play() for dim in array.dims or () if isinstance(dim, Free)]
        odd = [
            dim for dim in dims if dim.label is None and dim.equals is None and HALVED not in dim.multiples
        ]
        for dim in odd:
            dim.multiples.append(HALVED)
        return bool(odd)

    def even_parts(self) -> bool:
        """Parts of a width do not add up to it: `int(width / 2)` and two quarters of it, where it is halved twice."""
        numbers = self.numbers()
        near = [
            pair
            for pair in itertools.combinations(numbers, 2)
            if 0 < abs(pair[0] - pair[1]) < _EVEN < min(pair)
        ]
        sizes, run = self.attempt.sizes, self.attempt.run
        widths = [
            free
            for pair in near
            for one in pair
            if (free := sizes.owner(one, run)) is not None
            and free.label is not None
            and one in self.attempt.halved
        ]
        odd = [free for free in dict.fromkeys(widths) if _EVEN not in free.multiples]
        for free in odd:
            free.multiples.append(_EVEN)
        return bool(odd)

    def even_widths(self) -> bool:
        """Widths that a parameter gives can be halved, twice."""
        wide = [
            f for f in self.attempt.sizes.all() if f.label is not None and not f.small and f.equals is None
        ]
        odd = [free for free in wide if _EVEN not in free.multiples]
        for free in odd:
            free.multiples.append(_EVEN)
        return bool(odd)

    def of_nothing(self) -> bool:
        """What is divided where nothing came of it is a multiple: `(config.width // config.heads) ** -0.5`."""
        found = False
        for pair in dict.fromkeys(self.attempt.remainders):
            if type(pair[0]) is not int or not 0 < pair[0] < pair[1]:
                continue
            above, below = (self.attempt.sizes.owner(one, self.attempt.run) for one in pair)
            if not (above is None or below is None or above is below or below in above.multiples):
                above.multiples.append(below)
                found = True
        return found

    def longer_than_is_cut(self) -> bool:
        """Of `x[..., left:-right]` something is left: the dims of inputs are longer than what is cut off."""
        tensor, index = (*self.trouble.given, None, None)[:2]
        parts = index if isinstance(index, tuple) else (index,)
        cuts = [one for part in parts if isinstance(part, slice) for one in (part.start, part.stop)]
        least = sum(abs(one) for one in cuts if type(one) is int)
        owners = (self.attempt.sizes.owner(size, self.attempt.run) for size in getattr(tensor, "shape", ()))
        short = [one for one in owners if one is not None and one.label is None and not one.most]
        short = [one for one in short if self.attempt.sizes.value(one, self.attempt.run) <= least]
        for dim in short:
            dim.least = 4 * least
        return bool(short)

    def times(self) -> bool:
        """`x.shape[2] // y.shape[2]`: the first is so many times the second."""
        above, below = (self.attempt.sizes.owner(one, self.attempt.run) for one in self.trouble.given)
        if above is None or below is None or above is below or above.same:
            return False
        return bind(above, Made("*", (below, Free(small=True))))

    def times_by_force(self, free: Free, up: bool) -> bool:
        """The same where the two were made equal: either is so many times the other."""
        other = free.equals
        if free.label is not None or free.same or not isinstance(other, Free) or other.label is not None:
            return False
        if other.equals is not None or self.attempt.sizes.value(free, 0) != self.attempt.sizes.value(
            other, 0
        ):
            return False
        if self.attempt.sizes.value(free, self.attempt.run) != self.trouble.given[0]:
            return False
        free.equals = None
        above, below = (other, free) if up else (free, other)
        return bind(above, Made("*", (below, Free(small=True))))

    def in_play(self) -> list[Array]:
        """The inputs that the refused call may come from, else all."""
        tensors = [arg for arg in (*self.args, *self.trouble.given) if isinstance(arg, torch.Tensor)]
        seen = [array for tensor in tensors if (array := self.origin(tensor)) is not None]
        return list(dict.fromkeys([*seen, *self.arrays()]))


def even_in_one(attempt: Attempt) -> bool:
    """Make what was divided and left a remainder leave none in one of the runs. False if nothing did."""
    found = False
    for above, below in attempt.remainders:
        expr, share = attempt.expr(above), attempt.expr(below) if type(below) is int and below > 1 else None
        if type(above) is int and isinstance(expr, Free) and share is not None and above % below:
            free = next(iter(frees_in(expr)), None)
            if free is not None and free not in list(frees_in(share)):
                free.even.append(share)
                found = True
    return found
