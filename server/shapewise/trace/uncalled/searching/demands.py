"""What a refusal asks of the made-up inputs: one change to them, then the run begins again."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any

import torch

from ..inputs.sizes import Free, frees_in
from ..inputs.specs import HALVED, RANKS, Array, Bundle, Opaque, Plain, Spec
from .asked import DEMANDS
from .of_comparison import Compared
from .selected import selects
from .trouble import NOTHING_LEFT

_FEW = 64
"""The most that dims are where an input has many of them."""
_PICTURES = (28, 32, 224, 64, 96, 128, 256, 112, 48, 84, 299, 16, 8, 40, 36, 512)
"""The sizes that pictures have."""


class Refiner(Compared):
    """One refusal, and the changes to the inputs that it asks for."""

    def changes(self) -> Iterator[Callable[[], bool]]:
        """What should help at once, most likely first: each is false if it does not apply."""
        if self.trouble.wanted is not None:
            wanted = self.trouble.wanted
            yield lambda: self.rank(self.trouble.args[0], wanted)
            yield lambda: self.rank_of_all(self.trouble.args[0], wanted)
            return
        if self.text == "quotient":
            yield self.times
            for free in self.attempt.sizes.all():
                yield lambda free=free: self.times_by_force(free, up=True)  # type: ignore[misc]
                yield lambda free=free: self.times_by_force(free, up=False)  # type: ignore[misc]
            return
        if self.text == "less deep":
            for free in self.attempt.sizes.all():
                yield lambda free=free: self._counts_down(free)  # type: ignore[misc]
            return
        if "overflow" in self.text.lower() or isinstance(self.trouble.error, OverflowError):
            yield self._few_bits
            yield self.smaller
            return
        if not self.args:
            self.args = self.trouble.given
        yield self.of_selection
        yield self.odd_where_one_is_lost
        if "negative dimension" in self.text or "must be non-negative" in self.text:
            yield self.more_than_is_taken
        if self.text == NOTHING_LEFT:
            yield self._few_bits
            yield self.longer_than_is_cut
        if self.trouble.function in ("view", "reshape"):
            yield self.of_divided_dims
        function, name = self.trouble.function, self.trouble.name
        known = (DEMANDS.get(one) for one in (function, name, name.rpartition(".")[2]))
        for demand in next((found for found in known if found), []):
            yield lambda demand=demand: demand(self)  # type: ignore[misc]
        if self.trouble.raised and _POWER.search(self.text):
            for free in sorted(self.attempt.sizes.all(), key=lambda free: not self._is_named(free)):
                yield lambda free=free: self._power_of_two(free)  # type: ignore[misc]
        if self.trouble.raised:  # the file asked itself: the text need not tell which divides which
            yield self.of_remainder
        if self.attempt.run and re.search("divi[sd]", self.text):
            yield from self.divided_by_any()
        if "divisible" in self.text and len(self.numbers()) < 2:  # torch names the two, and tells no number
            every = (*self.args, *self.named.values(), *self.trouble.given)
            given = list(dict.fromkeys(one for one in every if type(one) is int and one))
            for above, below in itertools.permutations(given, 2):
                if above % below:
                    yield lambda above=above, below=below: self.divides(above, below)  # type: ignore[misc]
        if self.trouble.raised:  # what it compared tells more than the numbers of its message
            yield self.of_comparison
        if "between 0 and 1" in self.text:
            yield self._is_share
        yield from self.other_lengths()
        yield self.even_parts
        yield self._by_numbers_in_text
        yield self._of_python
        yield self.without_a_flag
        yield self._of_dtype
        yield self.as_long_as_before
        yield self.of_remainder
        yield self.of_comparison
        yield self._of_rank_in_text
        if isinstance(self.trouble.error, ZeroDivisionError):
            yield self.of_nothing
        if self.attempt.run:
            yield self._counted

    def of_selection(self) -> bool:
        """A parameter is one of the numbers that something is kept under, or that the file asks for before it raises."""
        trouble = self.trouble
        if not trouble.raised or trouble.compared is None:
            return selects(trouble, self.attempt)
        name, *numbers = trouble.compared
        if name in ("in", "not in"):
            return self._one_of(*numbers)
        return any(
            self._one_of(number, self.attempt.asked[number])
            for number in numbers
            if type(number) is int and len(self.attempt.asked.get(number, ())) > 1
        )

    def guesses(self) -> Iterator[Callable[[], bool]]:
        """What may help where nothing else does."""
        if self.attempt.run:
            yield self._closed
        yield self.windows_of_three
        yield self.one_of_the_scales
        yield self.even_dims
        yield self.even_widths
        if self.attempt.pictures and self.trouble.function in (
            "linear",
            "view",
            "reshape",
            "matmul",
            "addmm",
            "mm",
            "add",
            "cat",
            "+",
        ):
            for size in _PICTURES:
                yield lambda size=size: self._picture(size)  # type: ignore[misc]
        for path in list(self._shares()):
            yield lambda path=path: self._no_share(*path)  # type: ignore[misc]

    def ranks(self) -> Iterator[Callable[[], bool]]:
        """Lists as long as a parameter says, and other ranks of the inputs in play: what was found out has to be found out again."""
        yield from self._lengths()
        for array in self.in_play():
            here = len(array.dims or ())
            for rank in sorted(array.ranks, key=lambda rank: abs(rank - here)):
                yield lambda array=array, rank=rank: self.try_rank(array, rank)  # type: ignore[misc]
        for array in self.in_play():
            for other in self.arrays():
                yield lambda array=array, other=other: self.like(array, other)  # type: ignore[misc]

    # ------------------------------------------------------------ what is asked

    def _by_numbers_in_text(self) -> bool:
        """`expected 64, but got 48`: one of the two is a number of ours."""
        told = re.search(r"Shape mismatch, .*?(\d+) (!=|in chunks of) (\d+)", self.text)
        if told is None and "Error while processing" in self.text:  # of einops, which tells the whole shape
            return False
        if told is not None:
            mine, theirs = int(told[1]), int(told[3])
            return self.unify(mine, theirs, exactly=True) if told[2] == "!=" else self.divides(mine, theirs)
        sizes = re.search(r"[Ee]xpected hidden.* size \(([\d, ]+)\), got [\[(]([\d, ]+)", self.text)
        if sizes is not None:
            wanted, got = (tuple(map(int, re.findall(r"\d+", part))) for part in sizes.groups())
            return any(self.unify(mine, theirs, exactly=True) for mine, theirs in zip(got, wanted))
        masked = re.search(
            r"mask \[([\d, ]+)\] at index \d+ does not match .* tensor \[([\d, ]+)\]", self.text
        )
        if masked is not None:
            mask, tensor = (tuple(map(int, re.findall(r"\d+", part))) for part in masked.groups())
            pairs = [(min(pair), max(pair)) for pair in zip(mask, tensor)]
            return any(
                self.enough(*pair) if pair in self.attempt.cuts else self.unify(*pair, exactly=True)
                for pair in pairs
            )
        beyond = re.search(r"index (\d+) is out of bounds .* size (\d+)", self.text)
        index = self.attempt.sizes.owner(int(beyond[1]), self.attempt.run) if beyond is not None else None
        if index is not None and self._few(index):
            return True
        if beyond is not None:  # a loop over one input indexes another
            return self.unify(int(beyond[2]), int(beyond[1]) + 1, exactly=True)
        numbers = self.numbers()
        if not 1 < len(numbers) <= 12 or "number of sizes" in self.text or "invalid for input" in self.text:
            return False
        if "divisible" in self.text or "divide" in self.text:
            return any(self.divides(a, b) or self.divides(b, a) for a, b in itertools.pairwise(numbers))
        return any(self.unify(a, b) for i, a in enumerate(numbers) for b in numbers[i + 1 :])

    def _is_named(self, free: Free) -> bool:
        """Whether the file names a parameter in what it refuses: `codebook size must be a power of 2`."""
        return free.label is not None and free.label.replace("_", " ") in self.text.replace("_", " ")

    def _power_of_two(self, free: Free) -> bool:
        if free.label is None or free.equals is not None or free.choices:
            return False
        free.choices = _POWERS
        return True

    def _counts_down(self, free: Free) -> bool:
        """A parameter says how deep a function calls itself: `self._forward(depth - 1, x)`."""
        number = self.attempt.sizes.value(free, self.attempt.run)
        if free.label is None or self.attempt.made.get(number - 1) != ("-", (number, 1)):
            return False
        free.rounds = _DEPTH
        return True

    def _few(self, free: Free) -> bool:
        """A parameter counts something."""
        if free.label is None or free.equals is not None or free.small:
            return False
        free.small = True
        return True

    def _few_bits(self) -> bool:
        """A parameter is an exponent: `torch.arange(2 ** bits)`."""
        made = self.attempt.made.values()
        bits = [operands[-1] for name, operands in made if name in ("**", "<<")]
        owners = [self.attempt.sizes.owner(one, self.attempt.run) for one in bits if type(one) is int]
        return any([self._few(free) for free in owners if free is not None])  # noqa: C419 - all of them

    def _shares(self) -> Iterator[tuple[dict[str, Spec], str]]:
        """Where the parameters and fields stand that are taken for shares by their names."""
        for specs in self.specs:
            for name, spec in specs.items():
                if isinstance(spec, Bundle):
                    yield from ((spec.fields, one) for one in spec.fields if _is_share(spec.fields[one]))
                elif _is_share(spec):
                    yield specs, name

    def _no_share(self, specs: dict[str, Spec], name: str) -> bool:
        """`growth_rate` is a number of channels."""
        specs[name] = Free(name)
        return True

    def _of_dtype(self) -> bool:
        """Integers are wanted, or truth values."""
        text = self.text
        wanted: torch.dtype | None = None
        if "non-complex" in text:
            wanted = torch.complex64
        elif self.trouble.name == "~" or self.trouble.function in ("bitwise_not", "__invert__"):
            wanted = torch.bool
        elif re.search(
            r"\bLong\b|\bInt\b|int64|integer(?! value)|integral|long tensor|must be long|indices", text
        ):
            wanted = torch.int64
        elif re.search(r"Bool|boolean|bool tensor", text):
            wanted = torch.bool
        if re.search(r"Long and Float|Float and Long|not implemented for 'Long'|Input type \(long", text):
            wanted = torch.float32  # of layers and matrices
        if wanted is None:
            return False
        given: tuple[Any, ...] = (*self.args, *self.named.values(), *self.trouble.given)
        if self.trouble.function == "__getitem__":
            given = tuple(self.args[1:])  # what is asked with, not what is asked
        if "for index" in text:
            given = (*self.args[2:3], self.named.get("index"))  # `scatter_(dim, index, src)`
        if self.trouble.function == "where" and wanted == torch.bool:
            given = tuple(self.args[:1])
        found = [
            array
            for arg in given
            if (array := self._same_tensor(arg, wanted)) is not None and array.dtype != wanted
        ]
        for array in found[::-1]:
            array.dtype = wanted
            if wanted.is_floating_point and array.likely:  # it only sounded like indices
                array.likely = False
                self.try_rank(array, RANKS[0])
            return True
        return False

    def _same_tensor(self, value: Any, wanted: torch.dtype) -> Array | None:
        """The input that a tensor is, or comes from, if it has another dtype than is wanted."""
        if isinstance(value, torch.Tensor) and value.dtype in (torch.float32, torch.int64):
            if value.dtype == wanted:
                return None
            source = self.array_of(value) or (self.origin(value) if not value.requires_grad else None)
            return (
                self._made_of_too(value, wanted) if source is not None and source.dtype == wanted else source
            )
        if isinstance(value, (tuple, list)):
            found = (self._same_tensor(one, wanted) for one in value)
            return next((array for array in found if array is not None), None)
        return None

    def _made_of_too(self, value: torch.Tensor, wanted: torch.dtype) -> Array | None:
        """Another input that a tensor comes from, to all appearances: all its dims are there, and its dtype is another."""
        others = [one for one in self.arrays() if one.dims and one.dtype != wanted]
        return next((one for one in others if {*value.shape}.issuperset(self.shape_of(one))), None)

    def _of_rank_in_text(self) -> bool:
        """`Dimension out of range`, `too many indices`: more dims are wanted."""
        text = self.text
        tensors = [arg for arg in (*self.args, *self.trouble.given) if isinstance(arg, torch.Tensor)]
        given = self.trouble.given[0] if self.trouble.given else None
        if isinstance(given, tuple) and all(type(one) is int for one in given) and "out of range" in text:
            for array in self.arrays():
                if self.shape_of(array) == tuple(given):
                    return self._taller(array)
        resized = re.search(r"spatial dimensions of \[([\d, ]+)\] and output size of [^\d]*([\d, ]+)", text)
        if resized is not None:  # `F.interpolate(x, size=other.shape[2:])`: the other is a picture, too
            mine, theirs = (tuple(map(int, re.findall(r"\d+", part))) for part in resized.groups())
            for array in self.arrays():
                if self.shape_of(array)[2:] == theirs:
                    return self.try_rank(array, 2 + len(mine))
        wanted = re.search(
            r"[Ee]xpected a 1D or (\d)D|[Ee]xpected (\d)D|[Ee]xpected (\d) dim|expects? a (\d)-?D|be 2D or (\d)D|should also be (\d)-D|is not equal to len\(dims\) = (\d)",
            text,
        )
        for tensor in tensors:
            if wanted is not None:
                digits = int(next(group for group in wanted.groups() if group))
                if self.rank(tensor, digits):
                    return True
            if "out of range" in text or "too many indices" in text:
                source = self.origin(tensor)
                if source is not None and self._taller(source):
                    return True
        return False

    def _taller(self, array: Array) -> bool:
        rank = len(array.dims or ())
        return any(self.try_rank(array, more) for more in range(rank + 1, 6))

    def smaller(self) -> bool:
        """More elements than a memory has (each pixel is held against each): pictures need not be that large."""
        sizes = self.attempt.sizes
        dims = [dim for array in self.arrays() for dim in array.dims or () if isinstance(dim, Free)]
        large = [dim for dim in dims if dim.label is None and dim.equals is None and HALVED in dim.multiples]
        for dim in large:
            dim.multiples.remove(HALVED)
            dim.least = 1
        if large:
            return True
        windows = [
            one
            for one in sizes.all()
            if any(one in list(frees_in(share)) for dim in dims for share in dim.multiples)
            and one.label is not None
            and one.equals is None
            and one.default is None
            and not one.small
        ]
        for free in windows:
            free.small = True
        if windows:
            return True
        many = [
            dim
            for array in self.arrays()
            if len(array.dims or ()) > 4
            for dim in array.dims or ()
            if isinstance(dim, Free) and dim.label is None and dim.equals is None and not dim.most
        ]
        for dim in many:
            dim.most, dim.least, dim.multiples = _FEW, 1, []
        return bool(many)

    def _picture(self, size: int) -> bool:
        """A layer behind a flattened picture knows its number of elements: the picture has a certain size."""
        changed = False
        for array in self.arrays():
            for dim in (array.dims or [])[2:]:
                if isinstance(dim, Free) and dim.equals is None and dim.label is None:
                    dim.choices = (size,)
                    changed = True
        return changed

    def not_that_kind(self) -> bool:
        """A number that nothing fits: something nobody knows."""
        if "NoneType" in self.text:  # what was not given is wanted
            return False
        for value in (*self.args, *self.named.values(), *self.trouble.given):
            if type(value) is int and (path := self._spec_of(value)) is not None:
                specs, name = path
                spec = specs[name]
                if isinstance(spec, Free) and spec.default is None:
                    specs[name] = Opaque()
                    return True
        return False

    def _is_share(self) -> bool:
        """A parameter or a field was taken for a number of something: `resid_pdrop`."""
        for value in map(int, re.findall(r"(?<![\w.])\d+(?![\w.])", self.text)):
            if (path := self._spec_of(value)) is not None:
                path[0][path[1]] = Plain(0.1, share=True)
                return True
        return False


_DEPTH = 2
_POWER = re.compile(r"powers? of (?:2|two)")
_POWERS = (64, 256, 1024)


def _is_share(spec: Spec) -> bool:
    return isinstance(spec, Plain) and spec.share
