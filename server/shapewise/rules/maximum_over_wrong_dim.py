"""A softmax, or a logarithm of a sum, of what a maximum along another dim was taken away from."""

from __future__ import annotations

from collections.abc import Iterator

from ..queries.lineage import Lineage, lineage_of, short, tensors
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Tensor
from ..vocabulary.findings import Finding, Related
from ..vocabulary.span import Span
from .asking.along import another_dim, dim_of
from .asking.refusals import list_of
from .asking.tree import Tree
from .asking.weights import softmax_dim
from .softmax_over_wrong_dim import rule as softmax_over_wrong_dim
from .telling.found import found_at

RULE = "maximum-over-wrong-dim"
UNCALLED = True
_MAXIMA = frozenset("max amax".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each softmax or log-sum-exp, by a function or by hand, whose scores had the maximum along another dim subtracted."""
    lineage = lineage_of(log)
    other: set[Span] | None = None
    for op in ops_of(log):
        if not isinstance(op.result, Tensor):
            continue
        over = softmax_dim(lineage, op, len(op.result.shape))
        way = _log_sum_exp(lineage, op) if over is None else (op, over, _subtracted(lineage, op))
        if way is None:
            continue
        compared, over, maximum = way
        if maximum is None:
            continue
        whole = maximum.args[0]
        assert isinstance(whole, Tensor)
        rank = len(whole.shape)
        along = dim_of(lineage, maximum, rank)
        if (
            along in (None, over)
            or (compared is op and rank != len(op.result.shape))
            or 1 in (whole.shape[over], whole.shape[along or 0])
        ):
            continue
        if other is None:
            other = {one.span for one in softmax_over_wrong_dim.check(log, tree)}
        if op.span in other:
            continue  # it is the softmax that goes along another dim
        called = "softmax" if compared is op else "sum"
        yield found_at(
            RULE,
            maximum.span,
            f"the maximum over dim {along} of {list_of(whole.shape)} is taken away before a {called} over dim {over}: "
            "there each number is shifted by another amount, and the result is another one. Take the maximum over dim "
            f"{over - rank}.",
            *another_dim(tree, maximum, over - rank),
            related=[Related(compared.span, called)],
        )


def _log_sum_exp(lineage: Lineage, op: Op) -> tuple[Op, int, Op] | None:
    """`(x - m).exp().sum(dim).log() + m`: the sum, its dim, and the maximum that is taken away and added again."""
    if short(op.name) not in ("+", "add") or len(op.args) != 2:
        return None
    for logarithm, again in (op.args, op.args[::-1]):
        log = lineage.maker(logarithm)
        summed = lineage.maker(log.args[0]) if log is not None and short(log.name) == "log" else None
        maximum = _subtracted(lineage, summed) if summed is not None and short(summed.name) == "sum" else None
        if summed is None or maximum is None or not isinstance(again, Tensor):
            continue
        whole = summed.args[0]
        over = dim_of(lineage, summed, len(whole.shape)) if isinstance(whole, Tensor) else None
        if over is not None and lineage.comes_of(again, {one.id for one in tensors(maximum.result)}):
            return summed, over, maximum
    return None


def _subtracted(lineage: Lineage, compares: Op) -> Op | None:
    """The maximum of `x - x.max(dim, keepdim=True)`, of which an op is the softmax, or adds up the exponentials."""
    given = next((arg for arg in compares.args if isinstance(arg, Tensor)), None)
    for _ in range(3):
        op = None if given is None else lineage.maker(given)
        if op is None or not op.args or given is None:
            return None
        if short(op.name) in ("exp", "to", "float", "-", "sub") and isinstance(op.args[0], Tensor):
            less = op.args[1] if len(op.args) == 2 and short(op.name) in ("-", "sub") else None
            maximum = None if less is None else lineage.maker(less)
            if maximum is not None and short(maximum.name) == "detach":
                maximum = lineage.maker(maximum.args[0])
            if maximum is not None and short(maximum.name) in _MAXIMA and maximum.args[0] == op.args[0]:
                first = next(tensors(maximum.result), None)
                return maximum if first is not None and len(first.shape) == len(given.shape) else None
            given = op.args[0]
            continue
        return None
    return None
