"""What makes weights: scores that compare each with each, and softmaxes that are written by hand."""

from __future__ import annotations

from dataclasses import replace

from ...queries.lineage import Lineage, short
from ...queries.origins import before, equation
from ...vocabulary.events import Op, Other, Scalar, Tensor, Value
from .along import dim_of

PRODUCTS = frozenset("@ matmul bmm einsum".split())
SOFTMAX = frozenset("softmax log_softmax Softmax() LogSoftmax()".split())
SCORES = frozenset(
    "/ * + - masked_fill masked_fill_ where div mul add sub float to clamp tanh softcap leaky_relu LeakyReLU()".split()
)
SAME = frozenset(
    "dropout to float half bfloat16 type_as contiguous clone detach cpu cuda Dropout() log clamp exp".split()
)
"""Ops after which shares are the same ones, or their logarithms."""
_FAR = -1e3
"""A score below it is left out."""
TURNS = frozenset("transpose permute unsqueeze [] mT".split())


def softmax_dim(lineage: Lineage, op: Op, rank: int) -> int | None:
    """The dim (from 0) along which an op makes shares: a softmax, `e / e.sum(dim)` and `x - x.logsumexp(dim)`, dims kept."""
    if short(op.name) in SOFTMAX:
        return dim_of(lineage, op, rank)
    if op.name == "nn.Sequential()":
        return _of_a_sequence(lineage, op, rank)
    if short(op.name) not in ("/", "div", "-", "sub") or len(op.args) != 2:
        return None
    whole, total = op.args
    summed = lineage.maker(total)
    if not isinstance(whole, Tensor) or not isinstance(total, Tensor) or summed is None or not summed.args:
        return None
    if summed.args[0] != whole or len(total.shape) != len(whole.shape):
        return None
    if short(op.name) in ("/", "div"):
        shares = lineage.maker(whole)
        if shares is None or short(shares.name) != "exp" or short(summed.name) != "sum":
            return None
    elif short(summed.name) != "logsumexp" or is_by_logarithms(lineage, lineage.maker(whole)):
        return None
    return dim_of(lineage, summed, len(whole.shape))


def softmax_layer(lineage: Lineage, op: Op) -> Op | None:
    """Where the layer was made whose call makes shares: of a sequence, its softmax, if nothing but dropout follows."""
    built = lineage.builder(op.args[0]) if op.name.endswith("()") and op.args else None
    if built is None or op.name != "nn.Sequential()":
        return built
    parts = [lineage.builder(part) for part in built.args]
    while len(parts) > 1 and (last := parts[-1]) is not None and short(last.name) == "Dropout":
        parts.pop()
    return parts[-1] if parts else None


def shared_out(op: Op) -> Tensor:
    """What the shares of a softmax were made of, with all of its dims; of a sequence, the shares themselves."""
    if op.name == "nn.Sequential()" and isinstance(op.result, Tensor):
        return op.result
    return next(arg for arg in op.args if isinstance(arg, Tensor))


def _of_a_sequence(lineage: Lineage, op: Op, rank: int) -> int | None:
    layer = softmax_layer(lineage, op)
    if layer is None or f"{short(layer.name)}()" not in SOFTMAX:
        return None
    return dim_of(
        lineage, replace(op, name=f"{short(layer.name)}()", args=(layer.result, *op.args[1:])), rank
    )


def _first_layer(lineage: Lineage, op: Op) -> Op | None:
    built = lineage.builder(op.args[0])
    return None if built is None or not built.args else lineage.builder(built.args[0])


def is_very_low(value: Value) -> bool:
    """Whether nothing is left behind a softmax of what it is filled in for."""
    if isinstance(value, Other):
        return value.type == "float" and value.text == "-inf"
    return isinstance(value, Scalar) and isinstance(value.value, float | int) and value.value < _FAR


def is_by_logarithms(lineage: Lineage, op: Op | None) -> bool:
    """Whether an op is `x - x.logsumexp(...)`. One after the other, along rows and columns, is Sinkhorn's way."""
    if op is None or short(op.name) not in ("-", "sub") or len(op.args) != 2:
        return False
    summed = lineage.maker(op.args[1])
    return summed is not None and short(summed.name) == "logsumexp"


def is_product(lineage: Lineage, softmax: Op) -> bool:
    """Whether scores come from a product of two tensors, or from a sum of each with each, scaled and masked."""
    if softmax.name == "nn.Sequential()" and softmax_layer(lineage, softmax) is not _first_layer(
        lineage, softmax
    ):
        return False
    scores = next((arg for arg in softmax.args if isinstance(arg, Tensor)), None)
    for _ in range(8):
        op = lineage.maker(scores) if scores is not None else None
        if op is None or scores is None:
            return False
        if short(op.name) in PRODUCTS:
            return True
        mixed = _before_mixing(lineage, op, scores, len(scores.shape) - 1)
        if mixed is not None:
            scores = mixed[0]
            continue
        if short(op.name) in ("view", "reshape"):
            inner = op.args[0]
            if not isinstance(inner, Tensor) or inner.shape[-2:] != scores.shape[-2:]:
                return False
            scores = inner
            continue
        if short(op.name) not in SCORES and not _is_of_a_module(op, scores):
            return False
        if _each_with_each(op, scores) or _are_neighbours(op, scores):
            return True
        scores = next(
            (a for a in op.args if isinstance(a, Tensor) and a.shape == scores.shape and a.dtype != "bool"),
            None,
        )
    return False


def _is_of_a_module(op: Op, scores: Tensor) -> bool:
    """Whether a module that is not torch's gave scores for scores, as one that adds a bias of positions."""
    given = [arg for arg in op.args if isinstance(arg, Tensor)]
    is_module = op.name.endswith("()") and not op.name.startswith("nn.")
    return is_module and len(scores.shape) > 2 and [one.shape for one in given] == [scores.shape]


def _each_with_each(op: Op, scores: Tensor) -> bool:
    """Whether an op adds a column and a row: of two dims, the one operand has the one and the other the other."""
    rank = len(scores.shape)
    pair = [(1,) * (rank - len(one.shape)) + one.shape for one in op.args if isinstance(one, Tensor)]
    if short(op.name) not in ("+", "add") or len(pair) != 2:
        return False
    met = [(one == 1, other == 1) for one, other, size in zip(*pair, scores.shape) if size != 1]
    return met.count((True, False)) == met.count((False, True)) == 1


def _are_neighbours(op: Op, scores: Tensor) -> bool:
    """Whether scores of each with each were filled low where a mask of the same two dims says so, as of the edges of a graph."""
    if (
        short(op.name) not in ("masked_fill", "masked_fill_")
        or len(op.args) != 3
        or not is_very_low(op.args[2])
    ):
        return False
    mask = op.args[1]
    is_square = scores.shape[-1] == scores.shape[-2] not in (None, 1)
    return is_square and isinstance(mask, Tensor) and mask.shape[-2:] == scores.shape[-2:]


def _keeps_the_last(op: Op, inner: Tensor, now: Tensor, dim: int) -> bool:
    """Whether an op puts together, takes apart or selects rows, and this dim is the last one and stays it."""
    rows = (
        short(op.name) == "[]" and isinstance(op.args[1], Tensor) and len(op.args[1].shape) < len(inner.shape)
    )
    last = dim == len(now.shape) - 1 and inner.shape[-1:] == now.shape[-1:]
    return last and (rows or short(op.name) in ("view", "reshape", "flatten"))


def _before_mixing(lineage: Lineage, op: Op, weights: Tensor, dim: int) -> tuple[Tensor, int] | None:
    """What heads that talk were before, and this dim there: each of them is made of all, with numbers that are learned."""
    if short(op.name) == "einsum":
        found = equation(op)
        if found is None or len(found.operands) != 2:
            return None
        for i, (scores, learned) in enumerate((found.operands, found.operands[::-1])):
            term, word = found.terms[i], found.output[dim]
            if learned.leaf and learned.requires_grad and len(learned.shape) == 2 and word in term:
                alone = word not in found.terms[1 - i]
                return (scores, term.index(word)) if alone and len(term) == len(weights.shape) else None
        return None
    layer = lineage.maker(op.args[0]) if short(op.name) == "permute" else None
    if layer is None or layer.name != "nn.Linear()" or not isinstance(op.args[0], Tensor):
        return None
    there = before(op, weights, dim)
    turned = None if there is None or len(layer.args) < 2 else lineage.maker(layer.args[1])
    if (
        there is None
        or turned is None
        or short(turned.name) != "permute"
        or there[1] == len(weights.shape) - 1
    ):
        return None
    earlier = before(turned, there[0], there[1])
    return earlier if earlier is not None and earlier[1] == dim else None


def softmax_behind(
    lineage: Lineage, weights: Tensor, dim: int, turned: bool = False
) -> tuple[Op, int, int] | None:
    """The softmax that a tensor is, its dim, and this one as it was there (both from 0).

    `turned`: also where the dims were turned in between. Not of weights that are summed: what is dealt out to
    clusters is summed over the other dim on purpose.
    """
    for _ in range(6):
        op = lineage.maker(weights)
        if op is None or op.failure is not None or not op.args:
            return None
        over = softmax_dim(lineage, op, len(weights.shape))
        if over is not None:
            return None if weights.shape[dim] == 1 else (op, over, dim)
        if short(op.name) in SOFTMAX:
            return None
        inner = next((arg for arg in op.args if isinstance(arg, Tensor)), None)
        if inner is None:
            return None
        mixed = _before_mixing(lineage, op, weights, dim)
        if mixed is not None:
            weights, dim = mixed
            continue
        if turned and _keeps_the_last(op, inner, weights, dim):
            weights, dim = inner, len(inner.shape) - 1
            continue
        if turned and short(op.name) in TURNS:
            found = before(op, weights, dim)
            if found is None:
                return None
            weights, dim = found
            continue
        if short(op.name) not in SAME or inner.shape != weights.shape:
            return None
        weights = inner
    return None
