"""What a refusal asks of the made-up inputs: one change to them, then the run begins again."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

import torch

from .asked import DEMANDS
from .attempt import Attempt, Trouble, bind
from .sizes import Expr, Free, Made, frees_in
from .specs import Array, Bundle, Opaque, Plain, Row, Spec, arrays_in, with_rank
from .usage import of_field

_EVEN = 4
_SMALL_SHARE = 64
"""What counts something is made a multiple of no more than this."""
_PICTURES = (28, 32, 224, 64, 96, 128, 256, 48, 84, 299, 16, 8, 40, 36, 512)
"""The sizes that pictures have."""


class Refiner:
    """One refusal, and the inputs that led to it. `specs`: by name those of the constructor, and of the call."""

    def __init__(self, trouble: Trouble, attempt: Attempt, specs: list[dict[str, Spec]]) -> None:
        self.trouble = trouble
        self.attempt = attempt
        self.specs = specs
        self.text = str(trouble.error)
        self.args = trouble.args
        self.named = trouble.named or {}

    def changes(self) -> Iterator[Callable[[], bool]]:
        """What should help at once, most likely first: each is false if it does not apply."""
        if self.trouble.wanted is not None:
            wanted = self.trouble.wanted
            yield lambda: self.rank(self.trouble.args[0], wanted)
            return
        if not self.args:
            self.args = self.trouble.given
        for demand in DEMANDS.get(self.trouble.function) or DEMANDS.get(self.trouble.name) or ():
            yield lambda demand=demand: demand(self)  # type: ignore[misc]
        yield self._by_numbers_in_text
        yield self._of_python
        yield self._of_dtype
        yield self._of_remainder
        yield self._of_comparison
        yield self._of_rank_in_text

    def guesses(self) -> Iterator[Callable[[], bool]]:
        """What may help where nothing else does."""
        yield self._even_widths
        if self.attempt.pictures and self.trouble.function in (
            "linear",
            "view",
            "reshape",
            "matmul",
            "addmm",
            "mm",
        ):
            for size in _PICTURES:
                yield lambda size=size: self._picture(size)  # type: ignore[misc]
        for path in list(self._shares()):
            yield lambda path=path: self._no_share(*path)  # type: ignore[misc]
        yield self._not_that_kind

    def ranks(self) -> Iterator[Callable[[], bool]]:
        """Other ranks of the inputs in play: what was found out of them has to be found out again."""
        for array in self._in_play():
            here = len(array.dims or ())
            for rank in sorted(array.ranks, key=lambda rank: abs(rank - here)):
                yield lambda array=array, rank=rank: self.try_rank(array, rank)  # type: ignore[misc]
        for array in self._in_play():
            for other in self.arrays():
                yield lambda array=array, other=other: self._like(array, other)  # type: ignore[misc]

    # ------------------------------------------------------------ tools

    def unify(self, one: Any, other: Any, exactly: bool = False) -> bool:
        """Two numbers have to be equal: what was made up gives way. `exactly`: a 1 is not broadcast.

        A parameter (`max_len`) that was too small, so that a slice gave less than it should, gets larger.
        """
        if type(one) is not int or type(other) is not int or one == other:
            return False
        if not exactly and 1 in (one, other):
            return False
        low, high = sorted((one, other))
        limit, length = (self.attempt.sizes.owner(size, self.attempt.run) for size in (low, high))
        if limit is not None and limit.label is not None and length is not None and length.label is None:
            if "[]" in self.attempt.names and limit.least <= high:
                limit.least = 4 * high
                return True
        for mine, theirs in self._in_order(one, other):
            free = self.attempt.sizes.owner(mine, self.attempt.run)
            expr = self.attempt.expr(theirs)
            if isinstance(expr, int) and free is not None and free.label is not None:
                continue  # no parameter is there to be one certain number
            if free is not None and expr is not None and bind(free, expr):
                return True
        return (
            self._apart(one, other)
            or self._solve(one, other)
            or self._solve(other, one)
            or self._rebind(one, other)
            or self._rebind(other, one)
            or self._flattened(one, other)
        )

    def _flattened(self, one: int, other: int) -> bool:
        """Two inputs that were flattened have to have as many elements: the later one has the shape of the earlier."""
        arrays = self.arrays()
        whole = {id(array): math.prod(self.shape_of(array)) for array in arrays}
        mine = [array for array in arrays if whole[id(array)] == one]
        theirs = [array for array in arrays if whole[id(array)] == other]
        return any(self._like(b, a) or self._like(a, b) for a in mine for b in theirs if a is not b)

    def _apart(self, one: int, other: int) -> bool:
        """Two dims that several were made into (`(b h)`, a flattened batch): their parts have to be equal."""
        common = math.gcd(one, other)
        owner, run = self.attempt.sizes.owner, self.attempt.run
        if common > 1 and owner(one // common, run) is not None and owner(other // common, run) is not None:
            return self.unify(one // common, other // common)
        mine, theirs = self._factors(one), self._factors(other)
        if len(mine) > 1 and len(mine) == len(theirs):
            return any([self.unify(a, b) for a, b in zip(mine, theirs)])  # noqa: C419 - all of them
        return False

    def _factors(self, size: int) -> tuple[int, ...]:
        """The neighbouring dims of an input that make up a size."""
        for array in self.arrays():
            shape = self.shape_of(array)
            for start in range(len(shape)):
                for stop in range(start + 2, len(shape) + 1):
                    if math.prod(shape[start:stop]) == size:
                        return shape[start:stop]
        return ()

    def _rebind(self, mine: int, theirs: int) -> bool:
        """A dim was bound to a number in an earlier run, and that is a parameter's default: to the parameter then."""
        value = self.attempt.sizes.value
        for free in self.attempt.sizes.all():
            if free.label is None and free.equals == mine:
                for other in self.attempt.sizes.all():
                    if other.label is not None and other.equals is None:
                        if value(other, self.attempt.run) == theirs and value(other, 0) == mine:
                            free.equals = other
                            return True
        return False

    def _in_order(self, one: int, other: int) -> list[tuple[int, int]]:
        """Which of two numbers gives way first: a dim before a parameter, the later before the earlier."""
        sizes, run = self.attempt.sizes, self.attempt.run
        mine, theirs = sizes.owner(one, run), sizes.owner(other, run)
        both = [(one, other), (other, one)]
        if mine is None or theirs is None:
            return both
        if (mine.label is None) != (theirs.label is None):
            return both if mine.label is None else both[::-1]
        return both[::-1] if sizes.is_earlier(mine, theirs) else both

    def _solve(self, mine: int, wanted: int) -> bool:
        """`mine` is a product with one free number in it: that becomes the quotient."""
        expr, aim = self.attempt.expr(mine), self.attempt.expr(wanted)
        if isinstance(expr, Made) and expr.name == "+" and aim is not None:
            if isinstance(aim, Made) and aim.name == "+":
                pairs = zip(expr.operands, aim.operands)
                bound = [isinstance(a, Free) and a.label is None and bind(a, b) for a, b in pairs]
                return any(bound)
            for free, rest in (expr.operands, expr.operands[::-1]):
                if isinstance(free, Free) and free.label is None and bind(free, Made("-", (aim, rest))):
                    return True
        if not isinstance(expr, Made) or expr.name != "*":
            return False
        for free, rest in (expr.operands, expr.operands[::-1]):
            if isinstance(free, Free) and aim is not None:
                share = self.attempt.sizes.value(rest, self.attempt.run)
                if share and wanted % share == 0 and bind(free, Made("//", (aim, rest))):
                    return True
        return False

    def arrays(self) -> list[Array]:
        """Every made-up tensor."""
        return arrays_in([spec for specs in self.specs for spec in specs.values()])

    def array_of(self, tensor: Any) -> Array | None:
        """The made-up input that a tensor is, or has all its dims from."""
        if not isinstance(tensor, torch.Tensor):
            return None
        shape = tuple(tensor.shape)
        for array in self.arrays():
            if self.shape_of(array) == shape:
                return array
        return None

    def shape_of(self, array: Array) -> tuple[int, ...]:
        """The shape of a made-up input in this run."""
        return tuple(self.attempt.sizes.value(dim, self.attempt.run) for dim in array.dims or ())

    def origin(self, tensor: Any) -> Array | None:
        """The made-up input that a tensor most likely comes from: the one with which it shares most dims."""
        exact = self.array_of(tensor)
        if exact is not None or not isinstance(tensor, torch.Tensor):
            return exact
        best = max(
            self.arrays(),
            key=lambda array: (
                len(set(self.shape_of(array)) & set(tensor.shape)),
                -abs(len(array.dims or ()) - tensor.dim()),
            ),
            default=None,
        )
        if best is not None and set(self.shape_of(best)) & set(tensor.shape):
            return best
        return self.flat(tensor)

    def flat(self, tensor: torch.Tensor) -> Array | None:
        """The last input that has as many elements as a tensor of one dim."""
        size = tensor.numel() if tensor.dim() == 1 else 0
        return next((one for one in self.arrays()[::-1] if math.prod(self.shape_of(one)) == size), None)

    def rank(self, tensor: Any, wanted: int) -> bool:
        """A tensor has to have this rank: the input that it comes from gets as many dims more or less."""
        array = self.origin(tensor)
        if array is None or not isinstance(tensor, torch.Tensor):
            return False
        rank = len(array.dims or ()) + wanted - tensor.dim()
        return self.try_rank(array, rank)

    def try_rank(self, array: Array, rank: int) -> bool:
        """Give an input a rank that has not been tried."""
        if rank not in array.ranks:
            return False
        with_rank(array, rank)
        return True

    # ------------------------------------------------------------ what is asked

    def _by_numbers_in_text(self) -> bool:
        """`expected 64, but got 48`: one of the two is a number of ours."""
        sizes = re.search(r"[Ee]xpected hidden.* size \(([\d, ]+)\), got [\[(]([\d, ]+)", self.text)
        if sizes is not None:
            wanted, got = (tuple(map(int, re.findall(r"\d+", part))) for part in sizes.groups())
            return any(self.unify(mine, theirs, exactly=True) for mine, theirs in zip(got, wanted))
        numbers = list(
            dict.fromkeys(int(found) for found in re.findall(r"(?<![\w.])\d+(?![\w.])", self.text))
        )
        if "divisible" in self.text and len(numbers) < 2:
            given = [one for one in (*self.args, *self.named.values()) if type(one) is int]
            return any(a % b and self._divides(a, b) for a in given for b in given if b)
        if not 1 < len(numbers) <= 12:
            return False
        if "divisible" in self.text or "divide" in self.text:
            return any(self._divides(a, b) or self._divides(b, a) for a, b in itertools.pairwise(numbers))
        return any(self.unify(a, b) for i, a in enumerate(numbers) for b in numbers[i + 1 :])

    def _divides(self, above: int, below: int, by: Expr | None = None) -> bool:
        """A number has to be a multiple of another one (`by`, where it is not a number of its own)."""
        expr, share = self.attempt.expr(above), by or self.attempt.expr(below)
        return expr is not None and share is not None and below > 1 and self._multiple(expr, share)

    def _multiple(self, expr: Expr, share: Expr) -> bool:
        """Make an expression a multiple of another."""
        if isinstance(expr, Made) and expr.name == "//":
            return self._multiple(expr.operands[0], Made("*", (expr.operands[1], share)))
        if isinstance(expr, Made):
            return expr.name == "*" and any(self._multiple(operand, share) for operand in expr.operands)
        if not isinstance(expr, Free):
            return False
        free = next(iter(frees_in(expr)), None)
        if free is None or (free.small and self.attempt.sizes.value(share, self.attempt.run) > _SMALL_SHARE):
            return False
        if share is free or free in list(frees_in(share)) or share in free.multiples:
            return False
        free.multiples.append(share)
        return True

    def _of_remainder(self) -> bool:
        """What was divided and left a remainder."""
        return any(
            self._divides(above, below)
            for above, below in reversed(self.attempt.remainders)
            if type(above) is int and below and above % below
        )

    def _of_comparison(self) -> bool:
        """The comparison before a `raise` or in an `assert`: `x.size(1) == self.width`, `x.dim() == 3`."""
        raised = isinstance(self.trouble.error, (AssertionError, ValueError)) and not self.trouble.function
        if self.attempt.compared is None or not raised:
            return False
        name, left, right = self.attempt.compared
        if isinstance(left, (tuple, list)) and name in ("==", "!="):
            if len(left) == len(right):
                return any(self.unify(mine, theirs) for mine, theirs in zip(left, right))
            return any(
                self.shape_of(array) == tuple(shape) and self.try_rank(array, len(other))
                for shape, other in ((left, right), (right, left))
                for array in self.arrays()
            )
        if name in ("==", "!=") and type(left) is int:
            if self.unify(left, right):
                return True
            for array in self.arrays():
                rank = len(array.dims or ())
                if rank in (left, right) and self.try_rank(array, right if rank == left else left):
                    return True
        return False

    def _of_python(self) -> bool:
        """What Python refused: an int called, iterated, asked for a field; a shape of another length."""
        text = self.text
        unpacked = re.search(r"values to unpack \(expected (\d+)(?:, got (\d+))?", text)
        if unpacked is not None and self.trouble.given:
            value = self.trouble.given[0]
            if isinstance(value, (torch.Size, tuple, list)):
                for array in self.arrays():
                    if self.shape_of(array) == tuple(value):
                        return self.try_rank(array, int(unpacked[1]))
            if isinstance(value, torch.Tensor) and value.dim():
                return self.unify(int(value.shape[0]), int(unpacked[1]))
        field = re.search(r"'types.SimpleNamespace' object has no attribute '(\w+)'", text)
        every = [spec for specs in self.specs for spec in specs.values()]
        bundle = next((spec for spec in every if isinstance(spec, Bundle)), None)
        if field is not None and bundle is not None and field[1] not in bundle.fields:
            bundle.fields[field[1]] = of_field(field[1])
            return True
        for value in self.trouble.given:
            if type(value) is int and (path := self._spec_of(value)) is not None:
                specs, name = path
                if "not callable" in text:
                    specs[name] = Plain(torch.nn.ReLU())
                elif "not iterable" in text or "not subscriptable" in text or "has no len" in text:
                    specs[name] = Row([Free(f"{name}[0]"), Free(f"{name}[1]")])
                elif "has no attribute" in text:
                    specs[name] = Opaque()
                else:
                    continue
                return True
        return False

    def _spec_of(self, value: Any) -> tuple[dict[str, Spec], str] | None:
        """Where the one parameter or field stands that has this number."""
        waiting = list(self.specs)
        while waiting:
            specs = waiting.pop()
            for name, spec in specs.items():
                if isinstance(spec, Bundle):
                    waiting.append(spec.fields)
                elif isinstance(spec, Free) and self.attempt.sizes.value(spec, self.attempt.run) == value:
                    return specs, name
        return None

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
        if re.search(r"Bool|boolean|bool tensor", text):
            wanted = torch.bool
        elif re.search(r"\bLong\b|\bInt\b|int64|integer|integral|long tensor|must be long|indices", text):
            wanted = torch.int64
        if wanted is None:
            return False
        found = [
            array
            for arg in (*self.args, *self.named.values(), *self.trouble.given)
            if (array := self._same_tensor(arg)) is not None and array.dtype != wanted
        ]
        for array in found[::-1]:
            array.dtype = wanted
            return True
        return False

    def _same_tensor(self, value: Any) -> Array | None:
        if isinstance(value, torch.Tensor) and value.dtype in (torch.float32, torch.int64):
            return self.array_of(value) or (self.origin(value) if not value.requires_grad else None)
        if isinstance(value, (tuple, list)):
            return next((array for one in value if (array := self._same_tensor(one)) is not None), None)
        return None

    def _of_rank_in_text(self) -> bool:
        """`Dimension out of range`, `too many indices`: more dims are wanted."""
        text = self.text
        tensors = [arg for arg in (*self.args, *self.trouble.given) if isinstance(arg, torch.Tensor)]
        given = self.trouble.given[0] if self.trouble.given else None
        if isinstance(given, (tuple, torch.Size)) and "out of range" in text:
            for array in self.arrays():
                if self.shape_of(array) == tuple(given):
                    return self._more(array)
        wanted = re.search(
            r"[Ee]xpected (\d)D|[Ee]xpected (\d) dim|expects? a (\d)-?D|be 2D or (\d)D|should also be (\d)-D|is not equal to len\(dims\) = (\d)",
            text,
        )
        for tensor in tensors:
            if wanted is not None:
                digits = int(next(group for group in wanted.groups() if group))
                if self.rank(tensor, digits):
                    return True
            if "out of range" in text or "too many indices" in text:
                source = self.origin(tensor)
                if source is not None and self._more(source):
                    return True
        return False

    def _more(self, array: Array) -> bool:
        rank = len(array.dims or ())
        return any(self.try_rank(array, more) for more in range(rank + 1, 6))

    def _in_play(self) -> list[Array]:
        """The inputs that the refused call may come from, else all."""
        tensors = [arg for arg in (*self.args, *self.trouble.given) if isinstance(arg, torch.Tensor)]
        seen = [array for tensor in tensors if (array := self.origin(tensor)) is not None]
        return list(dict.fromkeys([*seen, *self.arrays()]))

    def _even_widths(self) -> bool:
        """Widths that a parameter gives can be halved, twice."""
        wide = [
            f for f in self.attempt.sizes.all() if f.label is not None and not f.small and f.equals is None
        ]
        odd = [free for free in wide if _EVEN not in free.multiples]
        for free in odd:
            free.multiples.append(_EVEN)
        return bool(odd)

    def _like(self, array: Array, other: Array) -> bool:
        """An input has the shape of another: targets, masks."""
        if array is other or not other.dims or array.dims == other.dims:
            return False
        names = [
            name for specs in self.specs for name, spec in specs.items() if spec is array or spec is other
        ]
        if (
            len(names) == 2
            and next(s for specs in self.specs for s in specs.values() if s in (array, other)) is array
        ):
            return False  # the earlier one stays
        with_rank(array, len(other.dims))
        for dim, like in zip(array.dims or (), other.dims):
            if isinstance(dim, Free):
                dim.equals = like
        return True

    def _picture(self, size: int) -> bool:
        """A layer behind a flattened picture knows its number of elements: the picture has a certain size."""
        changed = False
        for array in self.arrays():
            for dim in (array.dims or [])[2:]:
                if isinstance(dim, Free) and dim.equals is None and dim.label is None:
                    dim.choices = (size,)
                    changed = True
        return changed

    def _not_that_kind(self) -> bool:
        """A number that nothing fits: a share (dropout), a flag, or something nobody knows."""
        for value in (*self.args, *self.named.values(), *self.trouble.given):
            if type(value) is int and (path := self._spec_of(value)) is not None:
                specs, name = path
                spec = specs[name]
                if isinstance(spec, Free) and spec.default is None:
                    specs[name] = Plain(0.1) if "between 0 and 1" in self.text else Opaque()
                    return True
        numbers = [int(found) for found in re.findall(r"(?<![\w.])\d+(?![\w.])", self.text)]
        for value in numbers:
            if "between 0 and 1" in self.text and (path := self._spec_of(value)) is not None:
                path[0][path[1]] = Plain(0.1)
                return True
        return False


def _is_share(spec: Spec) -> bool:
    return isinstance(spec, Plain) and spec.share
