"""What the shapes of tensors have to be beside each other, and those of views."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from ...inputs.sizes import Expr, Free, Made, bind, frees_in
from ...inputs.specs import RANKS
from ...inputs.usual import ALONG, ELEMENTWISE, unlike_along
from ..equal import operands
from .demand import of, shape_of

if TYPE_CHECKING:
    from ..demands import Refiner


@of("matmul", "@", "mm", "bmm", "__matmul__", "__rmatmul__", "baddbmm", "addmm", "mv", "dot")
def _inner(it: Refiner) -> bool:
    tensors = [arg for arg in it.args if isinstance(arg, torch.Tensor)][-2:]
    if len(tensors) < 2:
        return False
    x, y = shape_of(tensors[0]), shape_of(tensors[1])
    if x and y and it.unify(x[-1], y[-2] if len(y) > 1 else y[-1]):
        return True
    if it.trouble.function in ("bmm", "mm") and (len(x) < 3) != (len(y) < 3):
        return False
    return any(it.unify(a, b) for a, b in zip(x[-3::-1], y[-3::-1]))


@of(*ELEMENTWISE)
def _alike(it: Refiner) -> bool:
    shapes = [shape for arg in it.args if (shape := shape_of(arg))]
    for i, one in enumerate(shapes):
        for other in shapes[i + 1 :]:
            for a, b in zip(one[::-1], other[::-1]):
                if a != b and 1 not in (a, b) and _side_by_side(it, a, b):
                    return True
    return False


def _side_by_side(it: Refiner, a: int, b: int) -> bool:
    """Two sizes are equal, and what gives way does so for no other reason."""
    open_ones = [free for free in it.attempt.sizes.all() if free.equals is None]
    if not it.unify(a, b):
        return False
    for free in open_ones:
        free.broadcast = free.equals is not None
    return True


@of("binary_cross_entropy", "binary_cross_entropy_with_logits")
def _same_shape(it: Refiner) -> bool:
    """The target has the shape of the input."""
    tensors = [arg for arg in (*it.args, *it.named.values()) if isinstance(arg, torch.Tensor)][:2]
    arrays = [it.array_of(tensor) for tensor in tensors]
    if len(arrays) < 2 or arrays[0] is None or arrays[1] is None:
        return False
    return it.like(arrays[1], arrays[0]) or it.like(arrays[0], arrays[1])


@of("topk")
def _most(it: Refiner) -> bool:
    """As many as are asked for are not there: what is asked for is a few."""
    counts = [one for one in (*it.args[1:2], it.named.get("k")) if type(one) is int]
    free = it.attempt.sizes.owner(counts[0], it.attempt.run) if counts else None
    if "out of range" not in it.text or free is None or free.label is None:
        return False
    free.small = True
    return True


@of("cat", "concat", "concatenate", "stack", "hstack", "vstack", "dstack")
def _joined(it: Refiner) -> bool:
    tensors = it.args[0] if it.args else it.named.get("tensors", ())
    if not isinstance(tensors, (tuple, list)):
        return False
    shapes = [shape_of(tensor) for tensor in tensors]
    if len({len(shape) for shape in shapes}) > 1:
        most = max(len(shape) for shape in shapes)
        few = [tensor for tensor in tensors if isinstance(tensor, torch.Tensor) and tensor.dim() < most]
        many = [tensor for tensor in tensors if isinstance(tensor, torch.Tensor) and tensor.dim() == most]
        likely = [array is not None and array.likely for array in map(it.origin, few)]
        if any(likely) and any(it.rank(tensor, min(map(len, shapes))) for tensor in many):
            return True
        if any(it.rank(tensor, most) for tensor in few):
            return True
        return any(it.rank(tensor, min(map(len, shapes))) for tensor in many)
    dim = it.args[1] if len(it.args) > 1 else it.named.get("dim", it.named.get("axis", 0))
    for shape in shapes[1:]:
        for at, (a, b) in enumerate(zip(shapes[0], shape)):
            stacked = it.trouble.function == "stack"
            if a != b and (stacked or at != dim % len(shape)) and it.unify(a, b):
                return True
    return False


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
    for at, (mine, theirs) in enumerate(zip(x[:-1] if shape else (), shape[:-1])):
        if theirs == -1:
            break
        if mine != theirs:
            if len(shape) > len(x) and _of_one_list(it, mine, shape[at:]):
                return True
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
    rest = 1
    for size in mine[:-1]:
        rest *= size
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
        others = factor
        for other in mine[:at] + mine[at + 1 :]:
            others *= other
        if others and number % others == 0:
            aim = wanted if others == 1 else Made("//", (wanted, others))
            return bind(free, aim)
    return False


@of("split", "split_with_sizes")
def _added_up(it: Refiner) -> bool:
    """`x.split([n, m], dim=-1)`: the size that is split is as much as its parts together."""
    x, sizes = it.arg(0, "tensor"), it.arg(1, "split_size_or_sections", it.named.get("split_size"))
    dim = it.arg(2, "dim", 0)
    if not isinstance(x, torch.Tensor) or not isinstance(sizes, (list, tuple)) or not x.dim():
        return False
    parts = [it.attempt.expr(size) for size in sizes]
    if not parts or any(part is None for part in parts):
        return False
    whole = functools.reduce(lambda one, more: Made("+", (one, more)), parts)  # type: ignore[arg-type]
    total, value, run = int(x.shape[dim]), it.attempt.sizes.value, it.attempt.run
    free = it.attempt.sizes.owner(total, run)
    if free is not None and free.label is None:
        return bind(free, whole)  # type: ignore[arg-type]
    for free in it.attempt.sizes.all():  # the runs before did not tell its parts from other numbers
        if free.label is None and free.equals is not None and value(free, run) == total and run:
            if all(value(free, one) == value(whole, one) for one in range(run)):  # type: ignore[arg-type]
                free.equals = whole
                return True
    return it.unify(total, sum(sizes), exactly=True)


@of("squeeze")
def _squeezed(it: Refiner) -> bool:
    """`x.squeeze(1)`: the input that `x` comes from has one dim more, of size one."""
    tensor, dim = it.args
    array = it.origin(tensor)
    if array is None or array.dims is None or len(array.dims) != tensor.dim():
        return False
    if array.stated or len(array.dims) >= max(RANKS):
        return it.unify(int(tensor.shape[dim]), 1, exactly=True)
    at = dim % len(array.dims)
    array.dims = [*array.dims[:at], 1, *array.dims[at:]]
    return True


@of(
    "gather",
    "scatter",
    "scatter_",
    "scatter_add",
    "scatter_add_",
    "take_along_dim",
    "index_select",
    "one_hot",
    "nll_loss",
    "cross_entropy",
    "cross_entropy_loss",
)
def _indexed(it: Refiner) -> bool:
    tensors = [arg for arg in (*it.args, *it.named.values()) if isinstance(arg, torch.Tensor)]
    for tensor in tensors[1:] or tensors:
        if tensor.is_floating_point() and (array := it.array_of(tensor) or it.flat(tensor)) is not None:
            if it.trouble.function in ("cross_entropy", "cross_entropy_loss") and len(
                tensors[0].shape
            ) == len(tensor.shape):
                return _alike(it)
            array.dtype = torch.int64
            return True
    if "same number of dimensions" in it.text and len(tensors) > 1:
        source = it.origin(tensors[1])
        if source is not None and source.likely and it.rank(tensors[0], tensors[1].dim()):
            return True
        return it.rank(tensors[1], tensors[0].dim())
    if it.trouble.function in ("cross_entropy", "nll_loss", "cross_entropy_loss") and len(tensors) > 1:
        x, y = shape_of(tensors[0]), shape_of(tensors[1])
        kept = x[:1] + x[2:]
        if len(y) != len(kept):
            return it.rank(tensors[1], len(kept))
        return any(it.unify(b, a) for a, b in zip(kept, y))
    return False


@of(*ALONG)
def _along(it: Refiner) -> bool:
    """`x.gather(dim, index)`: but for that dim the two have the same sizes."""
    return any(it.unify(mine, theirs) for mine, theirs in unlike_along(it.args, it.named))


@of("einsum")
def _einsum(it: Refiner) -> bool:
    equation = it.args[0] if it.args and isinstance(it.args[0], str) else None
    if equation is None:
        return False
    operands = it.args[1:]
    if len(operands) == 1 and isinstance(operands[0], (tuple, list)):
        operands = tuple(operands[0])
    seen: dict[str, int] = {}
    for letters, operand in zip(equation.split("->")[0].replace(" ", "").split(","), operands):
        if "." in letters or not isinstance(operand, torch.Tensor):
            return False
        if len(letters) != operand.dim():
            return it.rank(operand, len(letters))
        for letter, size in zip(letters, operand.shape):
            if seen.setdefault(letter, size) != size and it.unify(seen[letter], size):
                return True
    return False


@of("permute", "movedim")
def _permuted(it: Refiner) -> bool:
    dims = it.args[1:]
    if len(dims) == 1 and isinstance(dims[0], (tuple, list)):
        dims = tuple(dims[0])
    return bool(it.args) and isinstance(it.args[0], torch.Tensor) and it.rank(it.args[0], len(dims))


@of("__setitem__", "[]=", "copy_")
def _written(it: Refiner) -> bool:
    """`rows[t] = row`: what is written has no more dims than its place."""
    sizes = re.search(r"number of sizes provided \((\d+)\)", it.text)
    value = it.args[-1] if it.args else None
    return sizes is not None and isinstance(value, torch.Tensor) and it.fewer(value, int(sizes[1]))


@of("expand")
def _expanded(it: Refiner) -> bool:
    sizes = it.args[1:]
    if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)):
        sizes = tuple(sizes[0])
    return any(it.unify(a, b) for a, b in zip(shape_of(it.args[0])[::-1], sizes[::-1]) if a != 1 and b != -1)
