"""Losses that are weighed sample by sample, where the mean over the samples was taken before."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import add_keyword
from ..queries.lineage import Lineage, lineage_of, short
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Scalar, Tensor, Value
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import fix, found_at

RULE = "weighed-after-the-mean"
_LOSSES = frozenset(
    "cross_entropy nll_loss binary_cross_entropy binary_cross_entropy_with_logits mse_loss l1_loss smooth_l1_loss huber_loss".split()
)
_LAYERS = frozenset(
    "CrossEntropyLoss() NLLLoss() BCELoss() BCEWithLogitsLoss() MSELoss() L1Loss() SmoothL1Loss() HuberLoss()".split()
)
_LIKELY = frozenset(
    "cross_entropy nll_loss binary_cross_entropy binary_cross_entropy_with_logits "
    "CrossEntropyLoss() NLLLoss() BCELoss() BCEWithLogitsLoss()".split()
)
"""Those of which `exp(-loss)` is the probability of the label."""


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each product of a mean loss with a number for each of its samples, and each `exp(-loss)` of a mean that scales that loss."""
    lineage = lineage_of(log)
    for op in ops_of(log, ("*", "mul")):
        if len(op.args) != 2:
            continue
        for one, other in (op.args, op.args[::-1]):
            loss = _mean(lineage, one)
            if loss is None:
                continue
            if _are_of_samples(loss, other):
                assert isinstance(other, Tensor)
                yield found_at(
                    RULE,
                    op.span,
                    f"the loss is one number here, the mean over its samples, and each of the {other.shape[0]} weights gets that same number: "
                    "the weights weigh nothing. Take the loss without a mean, reduction='none', and the mean after.",
                    *_fixes(loss, tree),
                    related=[Related(loss.span, "the mean is taken here")],
                )
            elif (likely := _likelihood(lineage, other, loss)) is not None:
                yield found_at(
                    RULE,
                    likely.span,
                    "exp(-loss) is the probability of the label where the loss is that of one sample; this loss is the mean of all, so "
                    "that no sample is weighed by how hard it is. Take it with reduction='none', and the mean in the end.",
                    *_fixes(loss, tree),
                    related=[Related(loss.span, "the mean is taken here"), Related(op.span, "weighed here")],
                )
            break


def _mean(lineage: Lineage, value: Value) -> Op | None:
    """The loss of torch's that a number is, which was reduced by it."""
    op = lineage.maker(value)
    if op is None or not isinstance(value, Tensor) or value.shape != ():
        return None
    return op if short(op.name) in _LOSSES | _LAYERS else None


def _are_of_samples(loss: Op, weights: Value) -> bool:
    """Whether there is one for each number of the target, or each row of it."""
    given = [arg for arg in loss.args if isinstance(arg, Tensor)]
    if not isinstance(weights, Tensor) or len(given) < 2 or not weights.shape or weights.requires_grad:
        return False
    target, size = given[1], weights.shape[0]
    is_row = len(weights.shape) == 1 and target.shape[:1] == weights.shape
    return size not in (None, 1) and (is_row or weights.shape == target.shape)


def _likelihood(lineage: Lineage, value: Value, loss: Op) -> Op | None:
    """The `exp(-loss)` that a factor such as `(1 - exp(-loss)) ** gamma` is made of."""
    if short(loss.name) not in _LIKELY:
        return None
    for _ in range(6):
        op = lineage.maker(value)
        given = [] if op is None else [arg for arg in op.args if isinstance(arg, Tensor)]
        if op is None or len(given) != 1:
            return None
        if short(op.name) == "exp":
            negative = lineage.maker(given[0])
            is_its = negative is not None and short(negative.name) in ("neg", "-", "*", "mul")
            return (
                op
                if is_its and negative is not None and any(arg == loss.result for arg in negative.args)
                else None
            )
        if short(op.name) not in ("-", "rsub", "sub", "**", "pow", "*", "mul", "clamp"):
            return None
        value = given[0]
    return None


def _fixes(loss: Op, tree: Tree) -> list[Fix]:
    """Without the mean, where the loss is a function's that says nothing of it."""
    call = tree.at(loss.span, ast.Call)
    told = dict(loss.kwargs).get("reduction")
    if call is None or loss.name.endswith("()") or told not in (None, Scalar("mean")):
        return []
    if any(keyword.arg == "reduction" for keyword in call.keywords):
        return []
    return [fix("one loss for each: reduction='none'", add_keyword(tree.text, call, 'reduction="none"'))]
