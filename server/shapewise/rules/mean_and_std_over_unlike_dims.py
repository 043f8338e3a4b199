"""Standardised by a mean along one dim and a deviation along another; a covariance of what was centred along the other dim."""

from __future__ import annotations

from collections.abc import Iterator

from ..queries.lineage import Lineage, lineage_of, short
from ..queries.ops import ops_of
from ..queries.values import integers
from ..vocabulary.events import Log, Op, Scalar, Tensor, Value
from ..vocabulary.findings import Finding, Fix, Related
from .asking.along import another_dim
from .asking.refusals import list_of
from .asking.tree import Tree
from .telling.found import found_at

RULE = "mean-and-std-over-unlike-dims"
UNCALLED = True
_SCALES = frozenset("+ add sqrt rsqrt ** pow clamp clamp_min detach".split())
"""Ops between a variance and what is divided by, or multiplied with."""


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every `(x - mean) / std` of one tensor whose two statistics go along dims of which neither holds the other."""
    lineage = lineage_of(log)
    yield from _covariances(log, lineage, tree)
    for op in ops_of(log, ("/", "div", "*", "mul")):
        if len(op.args) != 2:
            continue
        less, spread = _difference(lineage, op.args[0]), _spread(lineage, op.args[1])
        if less is None or spread is None:
            continue
        mean, given = _apart(lineage, less.args[1]), less.args[0]
        if mean is None or short(mean.name) != "mean" or not isinstance(given, Tensor):
            continue
        if mean.args[0] != given or _spread_of(lineage, spread, given) != given:
            continue
        along, other = _dims(mean), _dims(spread)
        if _is_of_all(mean, given) and isinstance(spread.result, Tensor) and spread.result.shape:
            yield found_at(
                RULE,
                op.span,
                f"of {list_of(given.shape)} the mean is taken of all numbers, and the {short(spread.name)} is {list_of(spread.result.shape)}: "
                "what comes out has mean 0 along none of the dims that it is scaled along.",
                related=[Related(mean.span, "mean"), Related(spread.span, _called(spread))],
            )
        if along is None or other is None or along <= other or other <= along:
            continue
        yield found_at(
            RULE,
            op.span,
            f"of {list_of(given.shape)} the mean is taken over dim {_said(along)} and the {_called(spread)} over dim "
            f"{_said(other)}: what comes out has neither mean 0 nor deviation 1 along any dim.",
            *_fixes(mean, other, tree),
            *_fixes(spread, along, tree),
            related=[Related(mean.span, "mean"), Related(spread.span, _called(spread))],
        )


def _covariances(log: Log, lineage: Lineage, tree: Tree) -> Iterator[Finding]:
    """Every `centered.t() @ centered / (n - 1)` of what was centred along the other dim than the product sums over."""
    for op in ops_of(log, ("/", "div")):
        product = lineage.maker(op.args[0]) if len(op.args) == 2 else None
        count = op.args[1].value if len(op.args) == 2 and isinstance(op.args[1], Scalar) else None
        if (
            product is None
            or short(product.name) not in ("@", "matmul", "mm", "bmm")
            or type(count) is not int
        ):
            continue
        left, right = product.args[:2]
        for turned, centred, is_left in ((left, right, True), (right, left, False)):
            turn = lineage.maker(turned)
            if (
                turn is None
                or short(turn.name) not in ("t", "T", "mT", "transpose")
                or turn.args[0] != centred
            ):
                continue
            less = _difference(lineage, centred)
            mean = None if less is None else _apart(lineage, less.args[1])
            along = _dims(mean) if mean is not None and short(mean.name) == "mean" else None
            if mean is None or along is None or not isinstance(centred, Tensor):
                continue
            rank = len(centred.shape)
            summed = rank - 2 if is_left else rank - 1
            size = centred.shape[summed]
            if along != {2 * rank - 3 - summed} or not isinstance(size, int) or count not in (size, size - 1):
                continue
            yield found_at(
                RULE,
                mean.span,
                f"of {list_of(centred.shape)} the mean is taken over dim {_said(along)}, and the product that is divided by {count} sums "
                f"over dim {summed}: it is no covariance, for what it sums up has not mean 0.",
                *another_dim(tree, mean, summed, f"the mean over dim {summed}, too"),
                related=[Related(product.span, f"summed over dim {summed} here")],
            )


def _difference(lineage: Lineage, value: Value) -> Op | None:
    """The `x - mean` that a tensor is, or is a multiple of: `weight * (x - mean)`."""
    for _ in range(3):
        maker = lineage.maker(value)
        if maker is None or len(maker.args) != 2:
            return None
        if short(maker.name) in ("-", "sub"):
            return maker
        if short(maker.name) not in ("*", "mul") or not isinstance(value, Tensor):
            return None
        value = next(
            (arg for arg in maker.args[::-1] if isinstance(arg, Tensor) and arg.shape == value.shape), value
        )
    return None


def _apart(lineage: Lineage, value: Value) -> Op | None:
    """The op that made a value, `detach` left out."""
    maker = lineage.maker(value)
    return lineage.maker(maker.args[0]) if maker is not None and short(maker.name) == "detach" else maker


def _spread(lineage: Lineage, value: Value) -> Op | None:
    """The variance or deviation that a tensor comes from, epsilons and roots left out."""
    for _ in range(5):
        maker = lineage.maker(value)
        if maker is None or not maker.args or short(maker.name) in ("var", "std", "mean"):
            return maker if maker is not None and maker.args else None
        if short(maker.name) not in _SCALES or sum(isinstance(arg, Tensor) for arg in maker.args) != 1:
            return None
        value = next(arg for arg in maker.args if isinstance(arg, Tensor))
    return None


def _spread_of(lineage: Lineage, spread: Op, given: Tensor) -> Value | None:
    """The tensor whose variance it is, also one written by hand, `(x - mean).pow(2).mean(dim)`, of three dims or more: rows of a matrix
    are made one long behind centred columns.
    """
    if short(spread.name) != "mean":
        return spread.args[0]
    square = lineage.maker(spread.args[0])
    if square is None or short(square.name) not in ("pow", "**", "square", "*") or len(given.shape) < 3:
        return None
    less = _difference(lineage, square.args[0])
    return (
        None if less is None or square.args[1:] not in ((), (Scalar(2),), square.args[:1]) else less.args[0]
    )


def _is_of_all(mean: Op, given: Tensor) -> bool:
    """Whether a mean is one number of a tensor of several dims."""
    return isinstance(mean.result, Tensor) and not mean.result.shape and len(given.shape) > 1


def _dims(op: Op) -> frozenset[int] | None:
    """The dims (from 0) of a statistic that keeps them; None where it does not, or has all."""
    given, numbers = op.args[0], integers([op.argument("dim", at=1)])
    kept = (
        isinstance(op.result, Tensor)
        and isinstance(given, Tensor)
        and len(op.result.shape) == len(given.shape)
    )
    if not kept or not isinstance(given, Tensor) or not numbers:
        return None
    return frozenset(number % len(given.shape) for number in numbers)


def _called(spread: Op) -> str:
    return "variance" if short(spread.name) == "mean" else short(spread.name)


def _said(dims: frozenset[int]) -> str:
    return ", ".join(map(str, sorted(dims)))


def _fixes(op: Op, dims: frozenset[int], tree: Tree) -> tuple[Fix, ...]:
    if len(dims) != 1:
        return ()
    (dim,) = dims
    return another_dim(tree, op, dim, f"the {short(op.name)} over dim {dim}, too")
