"""Where a dim got its size: the layer, the reshape, the constructor."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ..vocabulary import recurrent
from ..vocabulary.events import Group, Op, Other, Scalar, Size, Tensor
from .lineage import POINTWISE, Lineage, short, tensors
from .values import integer, integers

_FAR = 64
"""Ops that are followed back."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The op that gave a dim its size. Of a layer, `op` is the call and `built` where it was made."""

    op: Op
    tensor: Tensor
    dim: int
    built: Op | None = None


def origin(lineage: Lineage, tensor: Tensor, dim: int) -> Origin | None:
    """Where this dim (from 0) of a tensor got its size. None where the log does not say."""
    last: Origin | None = None
    for _ in range(_FAR):
        op = lineage.maker(tensor)
        if op is None or op.failure is not None:
            return last
        last = Origin(op, tensor, dim, _builder(lineage, op, tensor.shape[dim]))
        earlier = before(op, tensor, dim)
        if earlier is None:
            return last
        tensor, dim = earlier
    return last


def source(lineage: Lineage, tensor: Tensor, dim: int) -> tuple[Tensor, int]:
    """The tensor that first had this dim (from 0), and which of its dims it is there."""
    for _ in range(_FAR):
        op = lineage.maker(tensor)
        earlier = None if op is None or op.failure is not None else before(op, tensor, dim)
        if earlier is None:
            break
        tensor, dim = earlier
    return tensor, dim


def _builder(lineage: Lineage, op: Op, size: Size) -> Op | None:
    """Where the layer was built that is called; of a sequence, the last of its layers that was built with such a size."""
    built = lineage.builder(op.args[0]) if op.args else None
    if built is None or short(op.name) != "Sequential()":
        return built
    for part in reversed(built.args):
        inner = lineage.builder(part)
        if inner is not None and short(inner.name) in _SIZED:
            return inner if inner.args[1:2] == (Scalar(size),) else built
    return built


def before(op: Op, tensor: Tensor, dim: int) -> tuple[Tensor, int] | None:
    """The same dim (from 0) of what an op was given; None where the op itself decides its size."""
    inputs = [arg for arg in op.args if isinstance(arg, Tensor)]
    name = short(op.name)
    if name == "einsum":
        return _of_einsum(op, dim)
    if name == "rearrange":
        return _rearranged(op, dim)
    if name in ("cat", "concat", "concatenate"):
        return _joined(op, tensor, dim)
    if name == "stack":
        return _stacked(op, tensor, dim)
    if not inputs:
        return None
    first = inputs[0]
    if op.name.endswith("()"):
        layer = op.name.removesuffix("()")
        own = _LAYERS.get(layer)
        if layer in recurrent.LAYERS and tensor != next(tensors(op.result), None):
            return None  # a state, whose dims are others
        if own is not None:
            return None if own(dim, len(tensor.shape)) else _same(first, tensor, dim)
        return (first, dim) if first.shape == tensor.shape and isinstance(op.args[0], Other) else None
    if name in _TURNS:
        turned = _TURNS[name](op, len(first.shape))
        return None if turned is None else (first, turned[dim])
    if name in ("@", "matmul", "bmm", "mm") and len(inputs) == 2:
        rank = len(tensor.shape)
        if rank < 2 or min(len(one.shape) for one in inputs) < 2:
            return None
        source = inputs[1] if dim == rank - 1 else first
        at = len(source.shape) - (rank - dim)
        return (source, at) if at >= 0 else None
    if name == "scaled_dot_product_attention" and len(inputs) > 2:
        value = inputs[2]
        source = value if dim == len(tensor.shape) - 1 else first
        return _same(source, tensor, dim)
    if name in _PARTS:
        return _same(first, tensor, dim)
    if name == "unsqueeze":
        added = integer(op.argument(at=1))
        if added is None or dim == added % len(tensor.shape):
            return None
        return first, dim - (dim > added % len(tensor.shape))
    if name == "pack_padded_sequence":
        return (first, 2) if len(first.shape) == 3 and (dim, len(tensor.shape)) == (1, 2) else None
    if name == "flatten":
        return _flattened(op, first, tensor, dim)
    if name in _REDUCES:
        return _reduced(op, first, tensor, dim)
    if name in _POOLS:
        return None if dim >= len(tensor.shape) - _POOLS[name] else _same(first, tensor, dim)
    if name == "unbind":
        gone = integer(op.argument("dim", at=1) or Scalar(0))
        return None if gone is None else (first, dim + (dim >= gone % len(first.shape)))
    if name == "[]":
        return _indexed(op, first, tensor, dim)
    if name in POINTWISE or name in _KEEPS:
        return next(_of_operands(inputs, tensor, dim), None)
    return None


def _of_operands(inputs: list[Tensor], tensor: Tensor, dim: int) -> Iterator[tuple[Tensor, int]]:
    """The dim of each operand that has it, as broadcasting lines them up."""
    for one in inputs:
        if _size(one, dim - len(tensor.shape)) == tensor.shape[dim]:
            yield one, dim - len(tensor.shape) + len(one.shape)


Dims = frozenset[tuple[Tensor, int]]


def ancestry(lineage: Lineage, tensor: Tensor, dim: int) -> Dims:
    """This dim (from 0) and all that it is the same as, those of every operand too."""
    found: set[tuple[Tensor, int]] = set()
    waiting = [(tensor, dim)]
    while waiting and len(found) < _FAR:
        place = waiting.pop()
        if place not in found:
            found.add(place)
            waiting += _behind(lineage, *place)
    return frozenset(found)


def is_first(lineage: Lineage, tensor: Tensor, dim: int) -> bool:
    """Whether nothing is known that this dim comes from."""
    return not _behind(lineage, tensor, dim)


def _behind(lineage: Lineage, tensor: Tensor, dim: int) -> list[tuple[Tensor, int]]:
    op = lineage.maker(tensor)
    if op is None or op.failure is not None:
        return []
    if short(op.name) in POINTWISE | _KEEPS:
        return list(_of_operands([arg for arg in op.args if isinstance(arg, Tensor)], tensor, dim))
    earlier = before(op, tensor, dim)
    return [] if earlier is None else [earlier]


def _joined(op: Op, tensor: Tensor, dim: int) -> tuple[Tensor, int] | None:
    """The same dim of the first part, if it is not the one along which they are put together."""
    part = next(tensors(op.args[0]), None) if op.args else None
    number = integer(op.argument("dim", "axis", at=1) or Scalar(0))
    if part is None or number is None or dim == number % len(tensor.shape):
        return None
    return _same(part, tensor, dim)


def _stacked(op: Op, tensor: Tensor, dim: int) -> tuple[Tensor, int] | None:
    """The same dim of the first part, if it is not the new one."""
    part = next(tensors(op.args[0]), None) if op.args else None
    number = integer(op.argument("dim", "axis", at=1) or Scalar(0))
    if part is None or number is None or len(tensor.shape) != len(part.shape) + 1:
        return None
    new = number % len(tensor.shape)
    return None if dim == new else (part, dim - (dim > new))


def _flattened(op: Op, whole: Tensor, tensor: Tensor, dim: int) -> tuple[Tensor, int] | None:
    """The same dim, if it is not what several became."""
    start = integer(op.argument("start_dim", at=1) or Scalar(0))
    end = integer(op.argument("end_dim", at=2) or Scalar(-1))
    rank = len(whole.shape)
    if start is None or end is None or not rank:
        return None
    start, end = start % rank, end % rank
    if len(tensor.shape) != rank - (end - start) or (dim == start != end):
        return None
    return whole, dim if dim <= start else dim + end - start


def _reduced(op: Op, whole: Tensor, tensor: Tensor, dim: int) -> tuple[Tensor, int] | None:
    """The same dim, if it is one of those that were left."""
    numbers, rank = integers([op.argument("dim", "axis", at=1)]), len(whole.shape)
    if not numbers or not rank:
        return None
    gone = {number % rank for number in numbers}
    if len(tensor.shape) == rank:
        return None if dim in gone else _same(whole, tensor, dim)
    left = [at for at in range(rank) if at not in gone]
    fits = len(left) == len(tensor.shape) and whole.shape[left[dim]] == tensor.shape[dim]
    return (whole, left[dim]) if fits else None


def _indexed(op: Op, whole: Tensor, tensor: Tensor, dim: int) -> tuple[Tensor, int] | None:
    """The same dim before `x[1]`, `x[:, 0]`, `x[:, None]`, if all of it was taken."""
    index = op.args[1] if len(op.args) > 1 and op.args[0] == whole else None
    items = index.items if isinstance(index, Group) and index.kind == "tuple" else (index,)
    at = now = 0
    for item in items:
        if isinstance(item, Scalar) and item.value is None:
            if now == dim:
                return None
            now += 1
        elif isinstance(item, Scalar) and type(item.value) is int:
            at += 1
        elif isinstance(item, Other) and item.type == "slice":
            if now == dim:
                break
            at, now = at + 1, now + 1
        else:
            return None  # an ellipsis, a mask, indices
    at += dim - now
    fits = at < len(whole.shape) and whole.shape[at] == tensor.shape[dim] is not None
    return (whole, at) if fits else None


class Equation(NamedTuple):
    """An einsum, and what it calls the dims of its operands and of its result."""

    operands: tuple[Tensor, ...]
    terms: tuple[tuple[str, ...], ...]
    output: tuple[str, ...]


def equation(op: Op) -> Equation | None:
    """That of an einsum which names each dim. torch has the equation first (operands may be a list), einops last."""
    written = [arg.value for arg in op.args if isinstance(arg, Scalar) and isinstance(arg.value, str)]
    operands = tuple(one for arg in op.args for one in tensors(arg))
    if len(written) != 1 or written[0].count("->") != 1 or "(" in written[0]:
        return None
    left, right = written[0].split("->")
    words = op.name.startswith("einops")
    *terms, output = (
        tuple(term.split() if words else _LETTER.findall(term)) for term in (*left.split(","), right)
    )
    tensor = next(tensors(op.result), None)
    ranks = [len(one.shape) for one in operands] + ([] if tensor is None else [len(tensor.shape)])
    named = [_without_dots(term, rank) for term, rank in zip((*terms, output), ranks)]
    if len(ranks) != len(terms) + 1 or ranks != [*map(len, named)]:
        return None
    return Equation(operands, tuple(named[:-1]), named[-1])


_LETTER = re.compile(r"\.\.\.|[^\s.]")


def _without_dots(term: tuple[str, ...], rank: int) -> tuple[str, ...]:
    """A term with a name for each dim that its dots stand for, as broadcasting lines them up."""
    if term.count("...") != 1:
        return term
    at, many = term.index("..."), rank - len(term) + 1
    return (*term[:at], *(f"...{number}" for number in range(many, 0, -1)), *term[at + 1 :])


def _of_einsum(op: Op, dim: int) -> tuple[Tensor, int] | None:
    """The first operand that has the dim, by its letter or word."""
    found = equation(op)
    if found is not None:
        for operand, term in zip(found.operands, found.terms):
            if found.output[dim] in term:
                return operand, term.index(found.output[dim])
    return None


_TERM = re.compile(r"\([^)]*\)|[^\s()]+")
"""A dim of a pattern of einops: a word, or several in brackets."""


def _rearranged(op: Op, dim: int) -> tuple[Tensor, int] | None:
    """The dim of the same word. None of what is put together or taken apart."""
    given, pattern = op.args[0], op.argument(at=1)
    text = pattern.value if isinstance(pattern, Scalar) else None
    if not isinstance(given, Tensor) or not isinstance(text, str) or text.count("->") != 1 or "..." in text:
        return None
    before, after = (_TERM.findall(side) for side in text.split("->"))
    word = after[dim] if dim < len(after) else ""
    return (given, before.index(word)) if word.isidentifier() and word in before else None


def _size(tensor: Tensor, dim: int) -> Size:
    return tensor.shape[dim] if -dim <= len(tensor.shape) else None


def _same(source: Tensor, tensor: Tensor, dim: int) -> tuple[Tensor, int] | None:
    if len(source.shape) != len(tensor.shape) or source.shape[dim] != tensor.shape[dim]:
        return None
    return source, dim


_PARTS = frozenset("chunk split tensor_split".split())
"""Ops whose results are parts of what goes in: all dims but one are as they were."""

_KEEPS = frozenset(
    "add sub mul div softmax log_softmax dropout layer_norm masked_fill clone contiguous leaky_relu elu normalize "
    "- + * / relu_ tanh_ requires_grad_ cuda cpu".split()
)
"""Ops whose result has the dims of what goes in."""

_REDUCES = frozenset("mean sum amax amin max min std var prod logsumexp median argmax argmin any all".split())
"""Ops that take dims away, or leave one element of each."""

_POOLS = {
    f"{kind}_pool{count}d": count
    for kind in ("max", "avg", "adaptive_avg", "adaptive_max", "lp")
    for count in (1, 2, 3)
}
"""Functions that decide the last so many dims."""

_SIZED = frozenset("Linear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d Embedding".split())
"""Layers whose second argument is the size that they give a dim."""


_LAYERS: dict[str, Callable[[int, int], bool]] = {
    "nn.Linear": lambda dim, rank: dim == rank - 1,
    "nn.LazyLinear": lambda dim, rank: dim == rank - 1,
    "nn.Embedding": lambda dim, rank: dim == rank - 1,
    **dict.fromkeys(recurrent.LAYERS, lambda dim, rank: dim == rank - 1),
    "nn.Conv1d": lambda dim, rank: dim >= rank - 2,
    "nn.Conv2d": lambda dim, rank: dim >= rank - 3,
    "nn.Conv3d": lambda dim, rank: dim >= rank - 4,
    "nn.ConvTranspose1d": lambda dim, rank: dim >= rank - 2,
    "nn.ConvTranspose2d": lambda dim, rank: dim >= rank - 3,
    "nn.Flatten": lambda dim, rank: dim > 0,
    "nn.MaxPool2d": lambda dim, rank: dim >= rank - 2,
    "nn.AvgPool2d": lambda dim, rank: dim >= rank - 2,
    "nn.AdaptiveAvgPool2d": lambda dim, rank: dim >= rank - 2,
}
"""Of a layer, the dims (of a result of so many) whose size it decides itself."""


def _swapped(op: Op, rank: int) -> list[int] | None:
    if short(op.name) in ("T", "t"):
        return [1, 0] if rank == 2 else None
    pair = (-2, -1) if short(op.name) in ("mT", "mH") else tuple(integer(arg) for arg in op.args[1:3])
    if len(pair) != 2 or rank < 2:
        return None
    one, other = pair
    if one is None or other is None:
        return None
    order = list(range(rank))
    order[one], order[other] = order[other], order[one]
    return order


def _permuted(op: Op, rank: int) -> list[int] | None:
    given = op.args[1:]
    if len(given) == 1:
        given = tuple(getattr(given[0], "items", ()))
    order = [number for arg in given if (number := integer(arg)) is not None]
    return [number % rank for number in order] if len(order) == rank else None


_TURNS: dict[str, Callable[[Op, int], list[int] | None]] = {
    "transpose": _swapped,
    "swapaxes": _swapped,
    "t": _swapped,
    "T": _swapped,
    "mT": _swapped,
    "mH": _swapped,
    "permute": _permuted,
}
"""Ops that put dims into another order: for each dim of the result, which one it was."""
