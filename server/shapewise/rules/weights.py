"""What makes weights: scores that compare each with each, and softmaxes that are written by hand."""

from __future__ import annotations

from ..queries.lineage import Lineage, short
from ..vocabulary.events import Op, Tensor
from .along import dim_of

PRODUCTS = frozenset("@ matmul bmm einsum".split())
SOFTMAX = frozenset("softmax log_softmax Softmax() LogSoftmax()".split())
SCORES = frozenset(
    "/ * + - masked_fill masked_fill_ where div mul add sub float to clamp tanh softcap leaky_relu LeakyReLU()".split()
)


def softmax_dim(lineage: Lineage, op: Op, rank: int) -> int | None:
    """The dim (from 0) along which an op makes shares: a softmax, `e / e.sum(dim)` and `x - x.logsumexp(dim)`, dims kept."""
    if short(op.name) in SOFTMAX:
        return dim_of(lineage, op, rank)
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


def is_by_logarithms(lineage: Lineage, op: Op | None) -> bool:
    """Whether an op is `x - x.logsumexp(...)`. One after the other, along rows and columns, is Sinkhorn's way."""
    if op is None or short(op.name) not in ("-", "sub") or len(op.args) != 2:
        return False
    summed = lineage.maker(op.args[1])
    return summed is not None and short(summed.name) == "logsumexp"


def is_product(lineage: Lineage, softmax: Op) -> bool:
    """Whether scores come from a product of two tensors, or from a sum of each with each, scaled and masked."""
    scores = next((arg for arg in softmax.args if isinstance(arg, Tensor)), None)
    for _ in range(8):
        op = lineage.maker(scores) if scores is not None else None
        if op is None or scores is None:
            return False
        if short(op.name) in PRODUCTS:
            return True
        if short(op.name) in ("view", "reshape"):
            inner = op.args[0]
            if not isinstance(inner, Tensor) or inner.shape[-2:] != scores.shape[-2:]:
                return False
            scores = inner
            continue
        if short(op.name) not in SCORES:
            return False
        if _each_with_each(op, scores):
            return True
        scores = next(
            (a for a in op.args if isinstance(a, Tensor) and a.shape == scores.shape and a.dtype != "bool"),
            None,
        )
    return False


def _each_with_each(op: Op, scores: Tensor) -> bool:
    """Whether an op adds a column and a row: of two dims, the one operand has the one and the other the other."""
    rank = len(scores.shape)
    pair = [(1,) * (rank - len(one.shape)) + one.shape for one in op.args if isinstance(one, Tensor)]
    if short(op.name) not in ("+", "add") or len(pair) != 2:
        return False
    met = [(one == 1, other == 1) for one, other, size in zip(*pair, scores.shape) if size != 1]
    return met.count((True, False)) == met.count((False, True)) == 1
