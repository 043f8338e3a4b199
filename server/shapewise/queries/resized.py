"""What an op would give if what it is given had another shape: a few lines for each of the commonest ops."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from ..vocabulary.events import Group, Op, Other, Scalar, Tensor, Unknown, Value
from .lineage import ELEMENTWISE, POINTWISE, PRODUCTS, REDUCTIONS, Lineage, short
from .values import integer, integers

Shape = tuple[int, ...]


class Refused(Exception):
    """Torch would refuse the call."""


SOMETHING: Shape = (-1,)
"""What a call gives that goes through, but to which shape is not known here."""


def gives(op: Op, lineage: Lineage) -> Shape | None:
    """The shape of the result. None where nothing is known; raises Refused where torch surely refuses the call."""
    if _is_unclear(op.args) or _is_unclear([value for _, value in op.kwargs]):
        return None
    name = short(op.name)
    if op.name.endswith("()"):
        return _of_layer(op, lineage)
    known = _OPS.get(name)
    if known is not None:
        return known(op)
    if name in _LOSSES:
        return _LOSSES[name](_shapes(op))
    if name in PRODUCTS:
        return _product(*_shapes(op)[:2]) if len(_shapes(op)) == 2 else None
    if name in ELEMENTWISE | _BROADCAST:
        return broadcast(_shapes(op))
    if name in POINTWISE | _SAME and _shapes(op):
        _dims(op)
        return _shapes(op)[0]
    if name in REDUCTIONS and _shapes(op):
        return _reduced(op)
    return None


def with_shape(tensor: Tensor, shape: Shape | None) -> Tensor | Unknown:
    """The tensor in another shape; unknown if nobody knows in which."""
    return Unknown("") if shape in (None, SOMETHING) else replace(tensor, shape=shape)


def broadcast(shapes: Sequence[Shape]) -> Shape:
    """The joint shape. Raises Refused."""
    rank = max(map(len, shapes), default=0)
    joint = []
    for sizes in zip(*((1,) * (rank - len(shape)) + shape for shape in shapes)):
        larger = {size for size in sizes if size != 1}
        if len(larger) > 1:
            raise Refused
        joint.append(larger.pop() if larger else 1)
    return tuple(joint)


def dim_of(op: Op, at: int = 1) -> int | None:
    """The dim (as it is written) that an op goes along, if it is one number."""
    return integer(op.argument("dim", "axis", at=at))


# ---------------------------------------------------------------- ops

_BROADCAST = frozenset("masked_fill lerp addcmul clamp_min mse_loss l1_loss smooth_l1_loss".split())
_SAME = frozenset(
    "softmax log_softmax dropout masked_fill clone contiguous leaky_relu elu normalize cumsum cumprod flip roll "
    "tril triu relu_ tanh_ sort argsort cuda cpu".split()
)


def _is_unclear(values: Sequence[Value]) -> bool:
    return any(
        isinstance(one, Unknown)
        or (isinstance(one, Tensor) and None in one.shape)
        or (isinstance(one, Group) and _is_unclear(one.items))
        for one in values
    )


def _shapes(op: Op) -> list[Shape]:
    return _shapes_of(op.args)


def _shapes_of(values: Iterable[Value]) -> list[Shape]:
    return [one.shape for one in values if isinstance(one, Tensor)]  # type: ignore[misc]


def _at(dim: int, rank: int) -> int:
    """A dim from 0. Raises Refused where there is none."""
    if not -max(rank, 1) <= dim < max(rank, 1):
        raise Refused
    return dim % max(rank, 1)


def _dims(op: Op) -> tuple[int, ...] | None:
    """The dims (from 0) that an op goes along. Raises Refused."""
    rank = len(_shapes(op)[0])
    value = op.argument("dim", "axis", at=1)
    found = integers([value])
    return None if found is None else tuple(_at(dim, rank) for dim in found)


def _reduced(op: Op) -> Shape | None:
    shape, dims = _shapes(op)[0], _dims(op)
    if len(_shapes(op)) > 1:
        return None
    kept = op.argument("keepdim", "keepdims", at=2)
    if dims is None:
        return None if op.kwargs or len(op.args) > 1 else ()
    if isinstance(kept, Scalar) and kept.value is True:
        return tuple(1 if at in dims else size for at, size in enumerate(shape))
    return tuple(size for at, size in enumerate(shape) if at not in dims)


def _product(left: Shape, right: Shape) -> Shape:
    if not left or not right or left[-1] != right[-2 if len(right) > 1 else -1]:
        raise Refused
    batch = broadcast([left[:-2], right[:-2]])
    return (*batch, *left[-2:-1], *(right[-1:] if len(right) > 1 else ()))


def _viewed(op: Op) -> Shape | None:
    given, sizes = _shapes(op)[0], integers(op.args[1:])
    if not sizes:
        return None
    rest, whole = math.prod(size for size in sizes if size != -1), math.prod(given)
    if sizes.count(-1) > 1 or (whole % rest if -1 in sizes and rest else whole != rest):
        raise Refused
    return tuple(whole // rest if size == -1 else size for size in sizes)


def _permuted(op: Op) -> Shape | None:
    shape, order = _shapes(op)[0], integers(op.args[1:])
    if order is None:
        return None
    dims = [_at(dim, len(shape)) for dim in order]
    if sorted(dims) != [*range(len(shape))]:
        raise Refused
    return tuple(shape[dim] for dim in dims)


def _turned(op: Op) -> Shape | None:
    shape, pair = [*_shapes(op)[0]], integers(op.args[1:])
    if short(op.name) in ("T", "t", "mT"):
        if len(shape) < 2 or (short(op.name) == "t" and len(shape) > 2):
            return None
        pair = (-2, -1)
    if pair is None or len(pair) != 2:
        return None
    one, other = (_at(dim, len(shape)) for dim in pair)
    shape[one], shape[other] = shape[other], shape[one]
    return tuple(shape)


def _unsqueezed(op: Op) -> Shape | None:
    shape, dim = _shapes(op)[0], dim_of(op)
    if dim is None:
        return None
    at = _at(dim, len(shape) + 1)
    return (*shape[:at], 1, *shape[at:])


def _squeezed(op: Op) -> Shape | None:
    shape = _shapes(op)[0]
    if len(op.args) == 1 and not op.kwargs:
        return tuple(size for size in shape if size != 1)
    dims = _dims(op)
    return (
        None if dims is None else tuple(size for at, size in enumerate(shape) if at not in dims or size != 1)
    )


def _flattened(op: Op) -> Shape | None:
    shape, ends = _shapes(op)[0], integers(op.args[1:])
    if ends is None or op.kwargs:
        return None
    start, end = (_at(dim, len(shape)) for dim in (*ends, *(0, -1)[len(ends) :]))
    return (*shape[:start], math.prod(shape[start : end + 1]), *shape[end + 1 :])


def _joined(op: Op) -> Shape | None:
    parts = _shapes_of(getattr(op.args[0], "items", ()))
    dim = dim_of(op) or 0
    if not parts:
        return None
    first = parts[0]
    if short(op.name) == "stack":
        if len(set(parts)) > 1:
            raise Refused
        at = _at(dim, len(first) + 1)
        return (*first[:at], len(parts), *first[at:])
    if len(set(map(len, parts))) > 1 or not first:
        raise Refused
    at = _at(dim, len(first))
    if len({(*part[:at], 0, *part[at + 1 :]) for part in parts}) > 1:
        raise Refused
    return (*first[:at], sum(part[at] for part in parts), *first[at + 1 :])


def _attended(op: Op) -> Shape | None:
    shapes = _shapes(op)
    if len(shapes) != 3 or min(map(len, shapes)) < 2:
        return None
    query, key, value = shapes
    if query[-1] != key[-1] or key[-2] != value[-2]:
        raise Refused
    return (*broadcast([query[:-2], key[:-2], value[:-2]]), query[-2], value[-1])


def _masked(op: Op) -> Shape | None:
    """Elements picked by a mask, which has the first dims of what it picks from."""
    mask = op.args[1] if len(op.args) == 2 else None
    if not isinstance(mask, Tensor) or mask.dtype != "bool":
        return None
    whole, picked = _shapes(op)[:2]
    if whole[: len(picked)] != picked:
        raise Refused
    return SOMETHING


_OPS: dict[str, Callable[[Op], Shape | None]] = {
    "view": _viewed,
    "reshape": _viewed,
    "permute": _permuted,
    **dict.fromkeys(("transpose", "swapaxes", "t", "T", "mT"), _turned),
    "unsqueeze": _unsqueezed,
    "squeeze": _squeezed,
    "flatten": _flattened,
    **dict.fromkeys(("cat", "concat", "stack"), _joined),
    "scaled_dot_product_attention": _attended,
    "[]": _masked,
}


# ---------------------------------------------------------------- layers

_CHANNELS = {"Conv1d": 1, "Conv2d": 2, "Conv3d": 3, "ConvTranspose1d": 1, "ConvTranspose2d": 2}
_NORMS = {"BatchNorm2d": 2, "BatchNorm3d": 3, "InstanceNorm2d": 2}
_ACT = frozenset("ReLU GELU SiLU Sigmoid Tanh Dropout Identity LeakyReLU ELU Softmax LogSoftmax".split())


def _of_layer(op: Op, lineage: Lineage) -> Shape | None:
    layer = short(op.name).removesuffix("()")
    built = lineage.builder(op.args[0])
    shapes = _shapes(op)
    if not isinstance(op.args[0], Other) or not shapes:
        return None
    shape = shapes[0]
    if layer in _ACT:
        return shape
    sizes = integers(built.args[:2]) if built is not None else None
    wanted = None if not sizes else sizes[0]
    if layer == "Embedding" and sizes is not None and len(sizes) == 2:
        return (*shape, sizes[1])
    if layer in ("Linear", "LayerNorm") and wanted is not None:
        if shape[-1:] != (wanted,):
            raise Refused
        return shape if layer == "LayerNorm" else (*shape[:-1], sizes[1]) if len(sizes or ()) == 2 else None  # type: ignore[index]
    spatial = _CHANNELS.get(layer, _NORMS.get(layer))
    if spatial is not None and wanted is not None:
        unbatched = layer in _CHANNELS and len(shape) == spatial + 1
        if len(shape) != spatial + 2 and not unbatched or shape[-spatial - 1] != wanted:
            raise Refused
        return shape if layer in _NORMS else SOMETHING
    known = _LOSSES.get(layer)
    return None if known is None else known(shapes)


def _same_as_target(shapes: list[Shape]) -> Shape | None:
    if len(shapes) < 2:
        return None
    if shapes[0] != shapes[1]:
        raise Refused
    return SOMETHING


def _of_one_rank(shapes: list[Shape]) -> Shape | None:
    if len(set(map(len, shapes))) > 1:
        raise Refused
    broadcast(shapes)
    return SOMETHING


def _classified(shapes: list[Shape]) -> Shape | None:
    """Scores (N, C, ...) against classes (N, ...), or C against one; or against probabilities in the same shape."""
    if len(shapes) < 2:
        return None
    scores, target = shapes[:2]
    if target not in (scores, scores[:1] + scores[2:] if len(scores) > 1 else ()):
        raise Refused
    return SOMETHING


_LOSSES: dict[str, Callable[[list[Shape]], Shape | None]] = {
    **dict.fromkeys(
        "BCELoss BCEWithLogitsLoss binary_cross_entropy binary_cross_entropy_with_logits".split(),
        _same_as_target,
    ),
    **dict.fromkeys("CrossEntropyLoss NLLLoss cross_entropy nll_loss".split(), _classified),
    **dict.fromkeys("MarginRankingLoss margin_ranking_loss".split(), _of_one_rank),
}
