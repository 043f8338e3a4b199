"""Inputs and targets that are shuffled by two permutations, so that none has its own."""

from __future__ import annotations

from collections.abc import Iterator

from ..queries.lineage import Lineage, lineage_of, tensors
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Tensor, Value
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import found_at

RULE = "shuffled-apart"
_DRAWN = frozenset("randperm permutation".split())
_MEET = frozenset(
    "cross_entropy CrossEntropyLoss() nll_loss NLLLoss() mse_loss MSELoss() l1_loss L1Loss() smooth_l1_loss SmoothL1Loss() "
    "binary_cross_entropy BCELoss() binary_cross_entropy_with_logits BCEWithLogitsLoss() TensorDataset".split()
)
"""Ops whose operands belong together, item by item."""
_ANCESTORS = 2000


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each loss, and each data set, of which one operand was shuffled by one permutation, and the other by another one only."""
    drawn = {op.result.id: op for op in ops_of(log, _DRAWN) if isinstance(op.result, Tensor)}
    if len(drawn) < 2:
        return
    lineage = lineage_of(log)
    for op in ops_of(log, _MEET):
        pair = [arg for arg in op.args if isinstance(arg, Tensor)][:2]
        if len(pair) != 2:
            continue
        before = [_ancestors(lineage, one) for one in pair]
        orders = [drawn.keys() & ids for ids in before]
        if not orders[0] or not orders[1] or orders[0] & orders[1]:
            continue
        first, second = (max(found) for found in orders)
        if drawn[first].args[:1] != drawn[second].args[:1]:
            continue
        picks = [_pick(log, lineage, order, ids) for order, ids in zip((first, second), before)]
        if picks[0] is None or picks[1] is None:
            continue
        yield found_at(
            RULE,
            picks[1].span,
            "this is shuffled by another permutation than what it is held against: no item has its own target any more. Draw one "
            "permutation, and index both with it.",
            related=[Related(picks[0].span, "shuffled by the one"), Related(op.span, "they meet here")],
        )


def _ancestors(lineage: Lineage, value: Value) -> set[int]:
    """The ids of all tensors that a tensor was computed from."""
    waiting, seen = [*tensors(value)], set[int]()
    while waiting and len(seen) < _ANCESTORS:
        one = waiting.pop()
        if one.id in seen:
            continue
        seen.add(one.id)
        maker = lineage.maker(one)
        if maker is not None:
            waiting += [inner for arg in maker.args for inner in tensors(arg)]
    return seen


def _pick(log: Log, lineage: Lineage, order: int, ids: set[int]) -> Op | None:
    """The indexing by a permutation, or by a part of it, that made one of these tensors."""
    for op in ops_of(log, ("[]", "index_select")):
        if isinstance(op.result, Tensor) and op.result.id in ids and len(op.args) > 1:
            index = op.args[-1]
            if (
                isinstance(index, Tensor)
                and lineage.comes_of(index, {order})
                and _is_other(lineage, op, order)
            ):
                return op
    return None


def _is_other(lineage: Lineage, op: Op, order: int) -> bool:
    """Whether something else is indexed than the permutation itself: `order[:80]` is a part of it."""
    given = op.args[0]
    return isinstance(given, Tensor) and not lineage.comes_of(given, {order})
