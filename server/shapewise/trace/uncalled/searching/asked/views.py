"""What a view has to be of: all elements of a tensor, and no more."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from ...inputs.sizes import Expr, Free, Made, bind, frees_in, operands
from .demand import of, shape_of

if TYPE_CHECKING:
    from ..demands import Refiner


def _wanted_shape(it: Refiner) -> tuple[int, ...]:
    shape = it.args[1:] if len(it.args) > 1 else ()
    if len(shape) == 1 and isinstance(shape[0], (tuple, list, torch.Size)):
        shape = tuple(shape[0])
    known = it.args and isinstance(it.args[0], torch.Tensor) and all(type(size) is int for size in shape)
    return tuple(shape) if known else ()


def _twice(it: Refiner) -> tuple[list[int], list[int]]:
    """Of `x.view(b, c, g, g)`, the sizes of `x` that are not asked for, and the made-up ones asked for once more."""
    x, shape = it.args[0] if it.args else None, _wanted_shape(it)
    if not isinstance(x, torch.Tensor) or not shape or -1 in shape:
        return [], []
    mine, theirs = list(x.shape), list(shape)
    for size in list(mine):
        if size in theirs:
            mine.remove(size)
            theirs.remove(size)
    sizes, run = it.attempt.sizes, it.attempt.run
    return mine, [size for size in theirs if size in x.shape and sizes.owner(size, run) is not None]


def _factors(it: Refiner, sizes: list[int]) -> list[int]:
    """What sizes are products of, as far as that is known."""
    found: list[int] = []
    for size in sizes:
        expr = it.attempt.expr(size)
        parts = (
            [it.attempt.sizes.value(one, it.attempt.run) for one in operands(expr, "*")] if expr else [size]
        )
        found += [prime for part in parts for prime in (_primes(part) if part in _SMALL else (part,))]
    return found


def _run_of(sizes: list[int], product: int) -> list[int]:
    """Sizes that stand side by side and make up another; nothing if none do."""
    runs = (sizes[at:to] for at in range(len(sizes)) for to in range(at + 2, len(sizes) + 1))
    return next((run for run in runs if math.prod(run) == product), [])


def _primes(number: int) -> tuple[int, ...]:
    share = next((one for one in (2, 3) if number > one and not number % one), None)
    return (number,) if share is None else (share, *_primes(number // share))


_SMALL = frozenset((4, 6, 8, 9, 12, 16))
"""What the text multiplies by, where it takes it apart elsewhere: `Linear(dim, 4 * out)` and `view(b, n, 2, 2, out)`."""


@of("view", "reshape")
def _in_factors(it: Refiner) -> bool:
    """`x.view(n, heads, d)` of a product of heads and d: what is left on one side only has to go, or to be equal."""
    x, shape = it.args[0] if it.args else None, _wanted_shape(it)
    if not isinstance(x, torch.Tensor) or not shape or -1 in shape:
        return False
    mine, theirs = _factors(it, list(x.shape)), _factors(it, list(shape))
    if len(mine) == x.dim():
        return False
    for size in list(mine):
        if size in theirs:
            mine.remove(size)
            theirs.remove(size)
    for size in list(mine):
        if parts := _run_of(theirs, size):
            mine.remove(size)
            theirs = [one for one in theirs if one not in parts]
    if len(mine) == len(theirs) == 1:
        return it.unify(mine[0], theirs[0], exactly=True)
    array = it.origin(x)
    if not mine or theirs or array is None or array.dims is None:
        return False
    kept = [dim for dim, size in zip(array.dims, it.shape_of(array)) if size not in mine]
    if len(kept) != len(array.dims) - len(mine) or len(kept) not in array.ranks:
        return False
    array.dims = kept
    return True


@of("view", "reshape")
def _square(it: Refiner) -> bool:
    """Where a size is asked for twice, two dims of the input have it."""
    mine, again = _twice(it)
    if not mine or not again:
        return False
    return it.unify(mine[-1], again[0]) if len(mine) > 1 else it.rank(it.args[0], it.args[0].dim() + 1)


@of("view", "reshape")
def _just_once(it: Refiner) -> bool:
    """`x.view(-1, dim)` and back: a dim that was made a multiple of `dim` is as large as that."""
    x, shape = it.args[0] if it.args else None, _wanted_shape(it)
    whole = math.prod(shape)
    if not isinstance(x, torch.Tensor) or whole <= 0 or x.numel() <= whole or x.numel() % whole:
        return False
    sizes, run = it.attempt.sizes, it.attempt.run
    for free in sizes.all():
        for share in free.multiples if free.label is None and free.equals is None else ():
            if (
                isinstance(share, Free)
                and sizes.value(free, run) * whole == sizes.value(share, run) * x.numel()
            ):
                return bind(free, share)
    return False


@of("view", "reshape")
def _of_a_table(it: Refiner) -> bool:
    """`self.pe[:, :n].view(n, 1, d)` of a table that has fewer rows than the input: that gets smaller."""
    return any(size in _wanted_shape(it) and it.cut(limit, size) for limit, size in it.attempt.cuts)


@of("view", "reshape")
def _same_in_front(it: Refiner) -> bool:
    """`x.view(b, n, heads, -1)`: the dims in front stay."""
    shape = _wanted_shape(it)
    x = shape_of(it.arg(0, "input"))
    if -1 in shape[:-1] and len(shape) == len(x) + 1 and shape[-1] == x[-1]:
        return False  # one dim is made two, of which only one is said
    if 1 not in x:
        shape = tuple(size for size in shape if size != 1)
    if len(shape) == len(x) and shape[-1:] == (-1,) and -1 not in shape[:-1]:
        return any([it.unify(*pair) for pair in zip(x[:-1], shape)])  # noqa: C419 - all of them
    for at, (mine, theirs) in enumerate(zip(x[:-1] if shape else (), shape[:-1])):
        if theirs == -1:
            break
        if mine != theirs:
            if _run_of(list(x[at:]), theirs)[:1] == [mine]:
                return False  # `x.view(b, h * w, heads, -1)`: dims are made one
            if len(shape) > len(x) and _of_one_list(it, mine, shape[at:]):
                return True
            if shape[at + 1] == -1 and math.prod(shape[at + 2 :]) == math.prod(x[at + 1 :]):
                return it.divides(mine, theirs)  # `x.view(groups, -1, c, h, w)`
            number = it.attempt.sizes.owner(theirs, it.attempt.run)
            if shape[-1] == -1 and number is not None and _GROUPS.search(number.label or ""):
                return it.divides(mine, theirs)  # `x.view(b, self.groups, -1)`
            return it.unify(mine, theirs)
    return False


def _of_one_list(it: Refiner, mine: int, sizes: Sequence[int]) -> bool:
    """A dim becomes as many as the sizes of one list say: `x.view(b, *resolution, c)` of `b, n, c`."""
    free = it.attempt.sizes.owner(mine, it.attempt.run)
    owners = [it.attempt.sizes.owner(size, it.attempt.run) for size in sizes]
    names = [(one.label or "").partition("[") if one is not None else ("", "", "") for one in owners]
    parts = [
        one for one, name in zip(owners, names) if one is not None and name[1] and name[0] == names[0][0]
    ]
    if free is None or free.label is not None or len(parts) < 2 or owners[: len(parts)] != parts:
        return False
    product: Expr = parts[0]
    for one in parts[1:]:
        product = Made("*", (product, one))
    return bind(free, product)


_GROUPS = re.compile(r"group|head")
"""What a dim is divided by, as its name has it."""


@of("view", "reshape", "unflatten", "_unsafe_view")
def _reshaped(it: Refiner) -> bool:
    """The made-up size in the tensor becomes what makes the elements come out even."""
    x, shape = it.args[0] if it.args else None, _wanted_shape(it)
    if not isinstance(x, torch.Tensor) or not shape or all(_twice(it)):
        return False
    mine, theirs = list(x.shape), [size for size in shape if size != -1]
    for size in list(mine):
        if size in theirs:
            mine.remove(size)
            theirs.remove(size)
    for size in list(theirs):
        if parts := _run_of(mine, size):  # several dims are made one
            theirs.remove(size)
            mine = [one for one in mine if one not in parts]
    wanted: Expr | None = 1
    number = 1
    for size in theirs:
        part = it.attempt.expr(size)
        wanted = (
            None if part is None or wanted is None else part if wanted == 1 else Made("*", (wanted, part))
        )
        number *= size
    if wanted is None or not theirs:
        return False
    for at, size in enumerate(mine):
        for start in range(len(theirs)):
            for stop in range(start + 2, len(theirs) + 1):
                if math.prod(theirs[start:stop]) == size:  # one dim is made several
                    left, right = mine[:at] + mine[at + 1 :], theirs[:start] + theirs[stop:]
                    return bool(left and right) and any(it.unify(a, b) for a, b in zip(left, right))
    if -1 in shape:
        if len(theirs) > 1 and len(mine) == len(theirs) + 1:
            return it.unify(mine[0], theirs[0])
        return any(it.divides(size, number, wanted) for size in mine[::-1])
    for at in range(len(mine) - 1, -1, -1):
        free = it.attempt.sizes.owner(mine[at], it.attempt.run)
        if free is None:
            expr = it.attempt.expr(mine[at])
            frees = [one for one in frees_in(expr) if one.label is None] if expr is not None else []
            free = frees[0] if len(frees) == 1 else None
            if free is None:
                continue
            factor = mine[at] // max(1, it.attempt.sizes.value(free, it.attempt.run))
        else:
            factor = 1
        rest = mine[:at] + mine[at + 1 :]
        others = math.prod(rest, start=factor)
        if others and number % others == 0:
            made: Expr = factor
            for other in rest:  # in the next run they are others
                made = Made("*", (made, it.attempt.expr(other) or other))
            return bind(free, wanted if others == 1 else Made("//", (wanted, made)))
    return False
