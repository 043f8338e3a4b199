"""Two numbers have to be equal: which made-up size gives way, and to what."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from typing import Any

import torch

from ..inputs.sizes import Expr, Free, Made, as_if, bind, frees_in, operands
from ..inputs.specs import Array, Row, arrays_in, frees_of, with_rank
from .shares import Shares


class Equal(Shares):
    """The made-up inputs of one run, and how sizes among them are made equal."""

    # ------------------------------------------------------------ what there is

    def arrays(self) -> list[Array]:
        """Every made-up tensor."""
        return arrays_in([spec for specs in self.specs for spec in specs.values()])

    def array_of(self, tensor: Any) -> Array | None:
        """The made-up input that a tensor is, or has all its dims from."""
        if not isinstance(tensor, torch.Tensor):
            return None
        shape = tuple(tensor.shape)
        alike = [array for array in self.arrays() if self.shape_of(array) == shape]
        return next((array for array in alike if array.dtype == tensor.dtype), alike[0] if alike else None)

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
                tensor.shape[:1] == self.shape_of(array)[:1],
                -abs(len(array.dims or ()) - tensor.dim()),
                array.dtype == tensor.dtype,
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

    def stretched(self, tensor: torch.Tensor) -> Array | None:
        """The input that a tensor repeats along other dims: `batch.view(-1, 1).expand_as(x)`."""
        if 0 not in tensor.stride():
            return None
        kept = math.prod(size for size, stride in zip(tensor.shape, tensor.stride()) if stride)
        return next((one for one in self.arrays()[::-1] if math.prod(self.shape_of(one)) == kept != 1), None)

    # ------------------------------------------------------------ ranks

    def rank(self, tensor: Any, wanted: int) -> bool:
        """A tensor has to have this rank: the input that it comes from gets as many dims more or less."""
        array = self.origin(tensor)
        if array is None or not isinstance(tensor, torch.Tensor):
            return False
        rank = len(array.dims or ()) + wanted - tensor.dim()
        return self.try_rank(array, rank)

    def rank_of_all(self, tensor: Any, wanted: int) -> bool:
        """The same where it comes from several inputs of one rank: all of them. Those of one shape are of one shape again."""
        array = self.origin(tensor)
        if array is None or array.dims is None or not isinstance(tensor, torch.Tensor):
            return False
        before = len(array.dims)
        alike = [one for one in self.arrays() if len(one.dims or ()) == before]
        shapes = [self.shape_of(one) for one in alike]
        if len(alike) < 2 or not all([self.try_rank(one, before + wanted - tensor.dim()) for one in alike]):  # noqa: C419
            return False
        for one, shape in zip(alike, shapes):
            self.same_shape(one, alike[shapes.index(shape)])
        return True

    def fewer(self, tensor: torch.Tensor, wanted: int) -> bool:
        """A tensor has dims in front that it should not have: the input that it comes from loses them."""
        array, more = self.origin(tensor), tensor.dim() - wanted
        if array is None or array.dims is None or not 0 < more < len(array.dims):
            return False
        array.dims = array.dims[more:]
        return True

    def try_rank(self, array: Array, rank: int) -> bool:
        """Give an input a rank that has not been tried."""
        if rank not in array.ranks:
            return False
        for one in self._beside(array):
            with_rank(one, rank)
        return True

    def _beside(self, array: Array) -> list[Array]:
        """A tensor, with those of the same list: they have as many dims. Parts by name stand alone."""
        every = [spec for specs in self.specs for spec in specs.values() if isinstance(spec, Row)]
        lists = (arrays_in(row.items) for row in every if row.open or row.kind is list)
        return next((items for items in lists if array in items), [array])

    # ------------------------------------------------------------ equal sizes

    def unify(self, one: Any, other: Any, exactly: bool = False) -> bool:
        """Two numbers have to be equal: what was made up gives way. `exactly`: a 1 is not broadcast."""
        if type(one) is not int or type(other) is not int or one == other:
            return False
        if not exactly and 1 in (one, other):
            return False
        low, high = sorted((one, other))
        if self.enough(low, high) or self._change_places(low, high):
            return True
        if self._left_over(high, low) or self._flattened(one, other) or self.cut(low, high):
            return True
        for mine, theirs in self._in_order(one, other):
            free = self.attempt.sizes.owner(mine, self.attempt.run)
            expr = self.attempt.expr(theirs)
            if isinstance(expr, int) and free is not None and free.label is not None:
                continue  # no parameter is there to be one certain number
            if isinstance(expr, int) and self._left_over(expr):
                return True  # nor a dim to be the larger half of another that is odd
            if free is not None and expr is not None and bind(free, expr):
                return True
        return (
            self._apart(one, other)
            or self._solve(one, other)
            or self._solve(other, one)
            or self._squared(one, other)
            or self._squared(other, one)
            or self._rebind(one, other)
            or self._rebind(other, one)
            or self._left_over(one)
            or self._left_over(other)
        )

    def enough(self, low: int, high: int) -> bool:
        """A slice gave less than it should: the parameter that was too small gets larger (`max_len`), or the input of which so many are taken."""
        limit, length = (self.attempt.sizes.owner(size, self.attempt.run) for size in (low, high))
        if limit is None or length is None or limit.label is length.label is None:
            return False
        if (low, high) not in self.attempt.cuts or limit.least > high or limit.most:
            return False
        limit.least = 4 * high
        for free in self.attempt.sizes.all() if limit.label is None else ():
            if free.equals is limit and free.label is None:  # it met what was cut off, and was made as large
                free.equals = length
        return True

    def _change_places(self, low: int, high: int) -> bool:
        """Two dims that are a product or a sum of two parameters together are the other one's each: which was which was a guess."""
        sizes, run = self.attempt.sizes, self.attempt.run
        for group in (*sizes.paired["*"], *sizes.paired["+"]):
            for a, b in itertools.combinations(group, 2):
                both = frozenset((id(a), id(b)))
                if a.equals is None or b.equals is None or both in sizes.swapped:
                    continue
                if sorted((sizes.value(a, run), sizes.value(b, run))) == [low, high]:
                    sizes.swapped.add(both)
                    a.equals, b.equals = b.equals, a.equals
                    return True
        return False

    def _left_over(self, size: int, last: int | None = None) -> bool:
        """A size that is the larger half of an odd one (`chunk`): that comes out even. `last`: the smaller one."""
        return any(
            above % below
            and -(-above // below) == size
            and last in (None, above - size * (below - 1))
            and self.divides(above, below)
            for above, below in self.attempt.remainders
            if type(above) is int and below > 1
        )

    def cut(self, limit: int, size: int) -> bool:
        """A table was cut to the size of an input (`table[:n]`), and has fewer rows than that: the input gets smaller."""
        free = self.attempt.sizes.owner(size, self.attempt.run)
        if (limit, size) not in self.attempt.cuts or free is None or free.label is not None or free.most:
            return False
        free.most, free.least, free.multiples, free.uneven = limit, 1, [], False
        return True

    def _flattened(self, one: int, other: int) -> bool:
        """Two inputs that were flattened have to have as many elements: the later one has the shape of the earlier."""
        arrays = self.arrays()
        whole = {id(array): math.prod(self.shape_of(array)) for array in arrays}
        mine = [array for array in arrays if whole[id(array)] == one]
        theirs = [array for array in arrays if whole[id(array)] == other]
        return any(self.like(b, a) or self.like(a, b) for a in mine for b in theirs if a is not b)

    def _apart(self, one: int, other: int) -> bool:
        """Two dims that several were made into (`(b h)`, a flattened batch): their parts have to be equal."""
        common = math.gcd(one, other)
        if common > 1:
            parts = one // common, other // common
            owned = any(self.attempt.sizes.owner(part, self.attempt.run) is not None for part in parts)
            owned = owned and all(map(self._is_accounted_for, parts))
            if self.unify(*parts) if owned else self._rebind(*parts) or self._rebind(*parts[::-1]):
                return True
        mine, theirs = self._factors(one), self._factors(other)
        if len(mine) > 1 and len(mine) == len(theirs):
            return any([self.unify(a, b) for a, b in zip(mine, theirs)])  # noqa: C419 - all of them
        return False

    def _is_accounted_for(self, number: int) -> bool:
        """Whether a number is one of the text's, or comes of what was made up in a way that is known."""
        return number in self.attempt.sizes.taken or not isinstance(self.attempt.expr(number), int | None)

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
        """A dim was bound to what was as large in the runs before, a number or a parameter: to the parameter then that fits."""
        value, run = self.attempt.sizes.value, self.attempt.run
        for free in self.attempt.sizes.all():
            bound = free.equals
            if free.label is not None or not (bound == mine or _counts(bound)) or value(free, run) != mine:
                continue
            for other in sorted(self.attempt.sizes.all(), key=_is_a_window):
                if other.label is None or other.equals is not None or value(other, run) != theirs:
                    continue
                if all(value(other, one) == value(free, one) for one in range(run if _counts(bound) else 1)):
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
        """`mine` was computed of a free number: that becomes what makes it come out as wanted."""
        expr, aim = self.attempt.expr(mine), self.attempt.expr(wanted)
        if not isinstance(expr, Made) or aim is None:
            return False
        if self._fitting(expr, aim, wanted):
            return True
        if isinstance(aim, Made) and (aim.name == expr.name == "*" or "+" in (aim.name, expr.name)):
            if self._in_pairs(expr, aim, "+" if "+" in (aim.name, expr.name) else "*"):
                return True
        return self._undone(expr, aim, wanted)

    def _fitting(self, expr: Made, aim: Expr, wanted: int) -> bool:
        """The one dim that a number is computed of is the parameter of which the other one is, if it comes out right so."""
        sizes, run = self.attempt.sizes, self.attempt.run
        dims = list(dict.fromkeys(free for free in frees_in(expr) if free.label is None))
        for free in dict.fromkeys(frees_in(aim)) if len(dims) == 1 else ():
            if free.label is not None and as_if(expr, dims[0], sizes.value(free, run), sizes, run) == wanted:
                dims[0].equals = free  # which keeps its number: others of this run are still to be made equal
                return True
        return False

    def _squared(self, mine: int, wanted: int) -> bool:
        """Two dims that were made one have to be the square of a parameter: each is as large (windows, their bias)."""
        if wanted < 0:
            return False
        sizes, run, side = self.attempt.sizes, self.attempt.run, math.isqrt(wanted)
        expr = self.attempt.expr(mine)
        if not isinstance(expr, Made) or expr.name != "*" or len(expr.operands) != 2 or side * side != wanted:
            return False
        dims = [one for one in expr.operands if isinstance(one, Free) and one.label is None]
        sides = [
            free
            for free in frees_of([spec for specs in self.specs for spec in specs.values()])
            if free.equals is None and sizes.value(free, run) == side
        ]
        if len(dims) < 2 or dims[0] is dims[1] or len(sides) != 1:
            return False
        return all([bind(dim, sides[0]) for dim in dims])  # noqa: C419 - both of them

    def _in_pairs(self, expr: Made, aim: Made, name: str) -> bool:
        """Two products or sums: what the one is made of, the other is (`h*w + 1` patches and their positions)."""
        value, run = self.attempt.sizes.value, self.attempt.run
        mine, theirs = ([value(one, run) for one in operands(made, name)] for made in (expr, aim))
        for size in list(mine):
            if size in theirs:
                mine.remove(size)
                theirs.remove(size)
        if len(mine) != len(theirs):
            return False
        pairs = dict.fromkeys(zip(mine, theirs))
        given = tuple(
            free
            for one in mine
            if (free := self.attempt.sizes.owner(one, run)) is not None and free.label is None
        )
        if len(given) > 1 and given not in (paired := self.attempt.sizes.paired[name]):
            paired.append(given)
        made = [(a, b, self.attempt.sizes.owner(a, run), self.attempt.sizes.owner(b, run)) for a, b in pairs]
        return any([self._pair(*one) for one in made])  # noqa: C419

    def _pair(self, mine: int, theirs: int, free: Free | None, other: Free | None) -> bool:
        """Make two of them equal: a dim is what a parameter is, whatever that has become through those before."""
        if free is not None and other is not None and (free.label is None) != (other.label is None):
            return bind(free, other) if free.label is None else bind(other, free)
        return self.unify(mine, theirs) or self._quotient(mine, theirs) or self._quotient(theirs, mine)

    def _quotient(self, mine: int, wanted: int) -> bool:
        """`mine` is a dim by a number (patches of a picture): the dim becomes as many times what is wanted."""
        expr, aim = self.attempt.expr(mine), self.attempt.expr(wanted)
        if not isinstance(expr, Made) or expr.name != "//" or aim is None:
            return False
        dim, share = expr.operands
        return isinstance(dim, Free) and dim.label is None and bind(dim, Made("*", (aim, share)))

    def _undone(self, expr: Expr, aim: Expr, wanted: int) -> bool:
        """The inverse of operators, one after the other: to an operand that is a free dim. None of them is nothing."""
        if wanted < 1:
            return False
        value, run = self.attempt.sizes.value, self.attempt.run
        if not isinstance(expr, Made):
            return isinstance(expr, Free) and expr.label is None and bind(expr, aim)
        first, *others = expr.operands
        if not others:
            return False
        second = others[0]
        if expr.name == "+" and len(others) == 1 and first is second:  # `cat((x, x))`
            return self._undone(Made("*", (first, 2)), aim, wanted)
        if expr.name == "-":
            return self._undone(first, Made("+", (aim, second)), wanted + value(second, run))
        if expr.name == "//":
            whole = isinstance(aim, Made) and aim.name == "//" and aim.operands[1] == second
            above = aim.operands[0] if whole else Made("*", (aim, second))  # type: ignore[union-attr]
            return self._undone(first, above, wanted * value(second, run))
        for one, rest in ((first, second), (second, first)):
            share = value(rest, run)
            if expr.name == "+" and self._undone(one, Made("-", (aim, rest)), wanted - share):
                return True
            if expr.name == "*" and share and wanted % share == 0:
                part = Made("//", (aim, rest))
                if isinstance(one, Free) and one.label is not None:
                    if wanted != share and bind(one, part):
                        return True
                elif self._undone(one, part, wanted // share):
                    return True
        return False

    def in_parts(self, parts: Sequence[torch.Tensor], wanted: int) -> bool:
        """A dim is so many parts of the size that it is cut into: `lt, rb = distance.split(2, dim=-1)`."""
        shapes = [tuple(one.shape) for one in parts]
        for array in self.arrays():
            shape = self.shape_of(array)
            for at in range(len(shape)) if len(shape) == len(shapes[0]) else ():
                if any(one[:at] + one[at + 1 :] != shape[:at] + shape[at + 1 :] for one in shapes):
                    continue
                size = self.attempt.expr(shapes[0][at])
                if size is not None and sum(one[at] for one in shapes) == shape[at]:
                    dim = self.attempt.sizes.owner(shape[at], self.attempt.run)
                    return dim is not None and dim.label is None and bind(dim, Made("*", (size, wanted)))
        return False

    def like(self, array: Array, other: Array) -> bool:
        """An input has the shape of another: targets, masks."""
        if array is other or not other.dims or array.dims == other.dims:
            return False
        names = [name for specs in self.specs for name, spec in specs.items() if spec in (array, other)]
        if (
            len(names) == 2
            and next(s for specs in self.specs for s in specs.values() if s in (array, other)) is array
        ):
            return False  # the earlier one stays
        with_rank(array, len(other.dims))
        self.same_shape(array, other)
        return True

    def same_shape(self, array: Array, other: Array) -> None:
        """The dims of an input, which has its rank anew, are those of another of this rank."""
        for dim, like in zip(array.dims or (), other.dims or ()):
            if isinstance(dim, Free) and dim is not like:
                dim.equals = like


def _counts(expr: Expr | None) -> bool:
    """Whether this is a parameter that counts something: many are as large as it in a run."""
    return isinstance(expr, Free) and expr.label is not None and expr.small and expr.equals is None


def _is_a_window(free: Free) -> bool:
    """Whether the name of a parameter tells that it is no size of a dim."""
    return bool(re.search("kernel|stride|pad|depth|head|mult|layers|blocks|dilation", free.label or ""))
