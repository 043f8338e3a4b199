"""A column against a row: predictions `(N, 1)` and targets `(N,)` give `(N, N)`, and the loss means nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...edits.calls import append, keep_dim
from ...queries.lineage import ELEMENTWISE, Lineage, lineage_of, reduced_dims, short
from ...queries.ops import ops_of
from ...vocabulary.events import Log, Op, Tensor
from ...vocabulary.findings import Finding, Fix
from ..asking.refusals import list_of, made_of
from ..asking.tree import Tree
from ..telling.found import found_at
from .columns import collected_by_mistake, meet_by_mistake

RULE = "loss-shape-broadcast"
UNCALLED = True
_LOSSES = frozenset(
    "mse_loss l1_loss smooth_l1_loss huber_loss MSELoss() L1Loss() SmoothL1Loss() HuberLoss()".split()
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Losses of two shapes (torch warns of them too), and differences of a column and a row of the same length, known or not."""
    lineage = lineage_of(log)
    spread: set[int] = set()
    for op in ops_of(log):
        operands = [arg for arg in op.args if isinstance(arg, Tensor)]
        if len(operands) != 2 or not isinstance(op.result, Tensor):
            continue
        one, other = operands
        if any(lineage.comes_of(x, spread) for x in operands):
            continue
        if None in one.shape or None in other.shape:
            if collected_by_mistake(op, one, other, lineage):
                spread.add(op.result.id)
                yield _finding(op, one, other, tree, lineage)
            continue
        if short(op.name) in _LOSSES:
            if one.shape != other.shape and one.shape and other.shape:
                yield _finding(op, one, other, tree, lineage)
        elif short(op.name) in ELEMENTWISE and meet_by_mistake(op, one, other, lineage):
            spread.add(op.result.id)
            yield _finding(op, one, other, tree, lineage)


def _finding(op: Op, one: Tensor, other: Tensor, tree: Tree, lineage: Lineage) -> Finding:
    shapes = f"{list_of(one.shape)} and {list_of(other.shape)}"
    rank = max(len(one.shape), len(other.shape))
    pairs = zip(_padded(one, rank), _padded(other, rank))
    together = tuple(a if b == 1 else b for a, b in pairs)
    message = (
        f"{shapes} broadcast to {list_of(together)}: every element of the one meets every element of the other. "
        "Give both the same shape."
    )
    made = made_of((one, other), op, lineage)
    fixes = (*_kept(one, other, tree, lineage), *_fixes(op, one, other, tree))
    return found_at(
        RULE,
        op.span,
        message,
        *fixes,
        related=made,
    )


def _kept(one: Tensor, other: Tensor, tree: Tree, lineage: Lineage) -> tuple[Fix, ...]:
    """The dim of the row kept, where a reduction dropped it: `q.max(1, keepdim=True)`."""
    row = one if len(one.shape) == 1 else other
    op = next(
        (maker for _, maker in lineage.behind(row) if maker is None or short(maker.name) in _BEST), None
    )
    call = None if op is None else tree.at(op.span, ast.Call)
    if op is None or call is None or reduced_dims(op) != (1,):
        return ()
    return (Fix("keep the reduced dim (keepdim=True)", "unsafe", (keep_dim(tree.text, call),)),)


_BEST = frozenset("max min amax amin argmax".split())


def _padded(tensor: Tensor, rank: int) -> tuple[int | None, ...]:
    return (1,) * (rank - len(tensor.shape)) + tuple(
        size if isinstance(size, int) else None if size is None else 0 for size in tensor.shape
    )


def _fixes(op: Op, one: Tensor, other: Tensor, tree: Tree) -> tuple[Fix, ...]:
    """Take the dim of one away where it is too many."""
    call = tree.at(op.span, ast.Call)
    binary = tree.at(op.span, ast.BinOp)
    compare = tree.at(op.span, ast.Compare)
    nodes = (binary.left, binary.right) if binary else tuple(call.args[:2]) if call else ()
    if compare is not None:
        nodes = (compare.left, *compare.comparators)
    if len(nodes) != 2:
        return ()
    for mine, theirs, node in ((one, other, nodes[0]), (other, one, nodes[1])):
        if mine.shape == (*theirs.shape, 1):
            return (Fix("add .squeeze(-1)", "unsafe", (append(tree.text, node, ".squeeze(-1)"),)),)
    return ()
