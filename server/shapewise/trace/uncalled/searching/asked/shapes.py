"""What the shapes of tensors have to be beside each other."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

import torch

from ...inputs.sizes import Made, bind
from ...inputs.specs import RANKS
from ...inputs.usual import ALONG, ELEMENTWISE, unlike_along
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
    return _broadcast(it, [shape for arg in it.args if (shape := shape_of(arg))])


@of("__getitem__", "__setitem__")
def _indices_alike(it: Refiner) -> bool:
    """`x[rows[:, None], columns[None], index]`: what it is asked with is broadcast."""
    index = it.args[1] if len(it.args) > 1 else ()
    shapes = [shape for one in index if (shape := shape_of(one))] if isinstance(index, tuple) else []
    return "could not be broadcast" in it.text and _broadcast(it, shapes)


def _broadcast(it: Refiner, shapes: list[tuple[int, ...]]) -> bool:
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


@of("binary_cross_entropy", "binary_cross_entropy_with_logits", "BCELoss()", "BCEWithLogitsLoss()")
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
        as_given = all(map(it.array_of, many)) and not any(map(it.array_of, few))
        if (any(likely) or as_given) and any(it.rank(tensor, min(map(len, shapes))) for tensor in many):
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
        array = it.array_of(tensor) or it.stretched(tensor) or it.flat(tensor)
        if tensor.is_floating_point() and array is not None:
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
        if it.stretched(tensors[1]) is not None and len(tensors) > 2:  # along what is written
            return it.rank(tensors[2], tensors[0].dim())
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
    if len(sizes) < it.args[0].dim():  # `t.expand(batch)` of a time for each sample
        return it.rank(it.args[0], len(sizes))
    return any(it.unify(a, b) for a, b in zip(shape_of(it.args[0])[::-1], sizes[::-1]) if a != 1 and b != -1)


@of("grid_sample", "grid_sampler")
def _sampled(it: Refiner) -> bool:
    """What is sampled and where have a batch in common; each place has a number for each dim of a picture."""
    picture, grid = it.arg(0, "input"), it.arg(1, "grid")
    if not isinstance(picture, torch.Tensor) or not isinstance(grid, torch.Tensor):
        return False
    if picture.dim() != grid.dim():
        return it.rank(grid, picture.dim()) if picture.dim() in (4, 5) else it.rank(picture, 4)
    if picture.dim() not in (4, 5):
        return False
    last = it.unify(int(grid.shape[-1]), picture.dim() - 2, exactly=True)
    return last or it.unify(int(picture.shape[0]), int(grid.shape[0]), exactly=True)
