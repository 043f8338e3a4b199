"""Attention whose mask comes behind the softmax: what is left out has taken its share already."""

from __future__ import annotations

from collections.abc import Iterator

from ..queries.lineage import Lineage, lineage_of, short
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Scalar, Tensor
from ..vocabulary.findings import Finding, Related
from .asking.masks import before_it_fitted
from .asking.tree import Tree
from .asking.weights import PRODUCTS, SAME, SOFTMAX, is_very_low, softmax_dim
from .telling.found import found_at

RULE = "mask-after-softmax"
UNCALLED = True
_FILLS = frozenset("masked_fill masked_fill_".split())
_TIMES = frozenset("* *= mul mul_".split())
_SCALED = frozenset("/ * div mul float to clone contiguous type_as half".split())
_RANDOM = frozenset("rand rand_like bernoulli bernoulli_ dropout Dropout() uniform_ empty".split())
_STEPS = 6


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each product with the shares of a softmax that were filled with -inf, or set to 0 where nothing was masked before."""
    lineage = lineage_of(log)
    shares: dict[int, Op] = {}
    masked: dict[int, tuple[Op, Op]] = {}
    told: list[tuple[Op, Op, Op]] = []
    summed: set[int] = set()
    for op in ops_of(log, SOFTMAX | SAME | _FILLS | _TIMES | PRODUCTS | {"sum"}):
        given = [arg for arg in op.args if isinstance(arg, Tensor)]
        made = op.result
        if not given or not isinstance(made, Tensor):
            continue
        if short(op.name) in ("softmax", "Softmax()"):
            shares[made.id] = op
        elif short(op.name) in PRODUCTS:
            behind = next((masked[one.id] for one in given if one.id in masked), None)
            if behind is not None:
                told.append((op, *behind))
        elif short(op.name) == "sum":
            summed |= {id(masked[one.id][0]) for one in given if one.id in masked}
        elif short(op.name) in SAME and given[0].id in masked:
            masked[made.id] = masked[given[0].id]
        elif (
            short(op.name) in SAME and given[0].id in shares and short(op.name) not in ("log", "exp", "clamp")
        ):
            shares[made.id] = shares[given[0].id]
        elif short(op.name) in _FILLS | _TIMES:
            softmax = next((shares[one.id] for one in given if one.id in shares), None)
            if softmax is not None and _leaves_out(lineage, op, softmax, shares):
                masked[made.id] = op, softmax
    for product, mask, softmax in told:
        if id(mask) not in summed:  # what is left may be divided by its sum, behind the product too
            yield _finding(product, mask, softmax)


def _finding(product: Op, mask: Op, softmax: Op) -> Finding:
    low = any(is_very_low(arg) for arg in mask.args)
    why = (
        "shares of a softmax are filled with -inf, and go into a product: what comes out is inf or NaN."
        if low
        else "what is masked behind a softmax has taken its share of it already: the weights that are left do not add up to one, and "
        "depend on what was to be left out."
    )
    return found_at(
        RULE,
        mask.span,
        f"{why} Fill the scores with -inf before the softmax.",
        related=[Related(softmax.span, "the softmax"), Related(product.span, "the shares are used here")],
    )


def _leaves_out(lineage: Lineage, op: Op, softmax: Op, shares: dict[int, Op]) -> bool:
    """Whether shares lose some of what the softmax compared, by a mask of another origin, and for the first time."""
    pair = [arg for arg in op.args[:2] if isinstance(arg, Tensor)]
    if len(pair) != 2:
        return False
    weights, mask = pair if pair[0].id in shares else pair[::-1]
    if short(op.name) in _FILLS and any(is_very_low(arg) for arg in op.args[2:]):
        return True
    if short(op.name) in _FILLS and op.args[2:] not in ((Scalar(0),), (Scalar(0.0),)):
        return False
    rank = len(weights.shape)
    dim = softmax_dim(lineage, softmax, rank)
    if dim is None or not _is_bool(lineage, mask):
        return False
    place = dim - rank + len(mask.shape)
    if place < 0 or mask.shape[place] == 1 or weights.shape[dim] == 1:
        return False
    scores = next((arg for arg in softmax.args if isinstance(arg, Tensor)), None)
    return (
        scores is not None
        and _is_unmasked_product(lineage, scores)
        and not lineage.comes_of(mask, {scores.id, weights.id})
        and (mask.shape[max(place - 1, 0)] == 1 or not _is_random(lineage, mask))
    )


def _is_bool(lineage: Lineage, mask: Tensor) -> bool:
    """Whether a mask is True and False, or was before it was cast and given dims more."""
    return any(one.dtype == "bool" for one in (mask, *before_it_fitted(lineage, mask)))


def _is_random(lineage: Lineage, mask: Tensor) -> bool:
    """Whether it is drawn, as a dropout that is written by hand: for each query anew, as no padding is."""
    waiting, seen = [mask], set[int]()
    while waiting and len(seen) < 12:
        one = waiting.pop(0)
        op = lineage.maker(one)
        if op is None or one.id in seen:
            continue
        if short(op.name) in _RANDOM:
            return True
        seen.add(one.id)
        waiting += [arg for arg in op.args if isinstance(arg, Tensor)]
    return False


def _is_unmasked_product(lineage: Lineage, scores: Tensor) -> bool:
    """Whether scores are a product of tensors, scaled by numbers and nothing else."""
    for _ in range(_STEPS):
        op = lineage.maker(scores)
        if op is None:
            return False
        if short(op.name) in PRODUCTS:
            return True
        inner = [arg for arg in op.args if isinstance(arg, Tensor)]
        if short(op.name) not in _SCALED or not inner or inner[0].shape != scores.shape:
            return False
        if any(one.shape != () for one in inner[1:]):
            return False
        scores = inner[0]
    return False
