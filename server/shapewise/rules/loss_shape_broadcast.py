"""A column against a row: predictions `(N, 1)` and targets `(N,)` give `(N, N)`, and the loss means nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..fixes.edits import append
from ..queries.lineage import ELEMENTWISE, Lineage, lineage_of, reduced_dims, short
from ..vocabulary.events import Log, Op, Scalar, Tensor
from ..vocabulary.findings import Finding, Fix
from .refusals import list_of, made_of
from .tree import Tree

RULE = "loss-shape-broadcast"
_LOSSES = frozenset(
    "mse_loss l1_loss smooth_l1_loss huber_loss MSELoss() L1Loss() SmoothL1Loss() HuberLoss()".split()
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Losses of two shapes (torch warns of them too), and differences of a column and a row of the same length."""
    lineage = lineage_of(log)
    for op in log.events:
        if not isinstance(op, Op) or op.failure is not None:
            continue
        operands = [arg for arg in op.args if isinstance(arg, Tensor)]
        if len(operands) != 2 or not isinstance(op.result, Tensor):
            continue
        one, other = operands
        if None in one.shape or None in other.shape:
            continue
        if short(op.name) in _LOSSES:
            if one.shape != other.shape and one.shape and other.shape:
                yield _finding(op, one, other, tree, lineage)
        elif short(op.name) in ELEMENTWISE and _column_and_row(one, other, lineage):
            yield _finding(op, one, other, tree, lineage)


def _column_and_row(one: Tensor, other: Tensor, lineage: Lineage) -> bool:
    """Whether one is `(N, 1)`, and not on purpose, and the other `(N,)`."""
    column, row = (one, other) if len(one.shape) == 2 else (other, one)
    if len(column.shape) != 2 or len(row.shape) != 1 or column.shape[1] != 1:
        return False
    size = row.shape[0]
    if size != column.shape[0] or not isinstance(size, int) or size < 2:
        return False
    return _of_a_layer(column, lineage) or _reduced_alike(column, row, lineage)


def _root(tensor: Tensor, lineage: Lineage) -> Op | None:
    """The op behind a tensor and whatever kept its dims since."""
    op = None
    for _, op in lineage.behind(tensor):
        if op is None:
            return None
    return op


def _of_a_layer(column: Tensor, lineage: Lineage) -> bool:
    """Whether nobody wrote that there is a dim of one: it is the width of a layer."""
    op = _root(column, lineage)
    return op is not None and op.name.endswith("()")


def _reduced_alike(column: Tensor, row: Tensor, lineage: Lineage) -> bool:
    """Whether both were reduced along the same dim, the one with keepdim and the other without."""
    kept, dropped = _root(column, lineage), _root(row, lineage)
    if kept is None or dropped is None or not kept.args or not dropped.args:
        return False
    whole, other = kept.args[0], dropped.args[0]
    return (
        reduced_dims(dropped) == (1,)
        and dict(kept.kwargs).get("keepdim") == Scalar(True)
        and isinstance(whole, Tensor)
        and isinstance(other, Tensor)
        and whole.shape == other.shape
    )


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
    return Finding(RULE, op.span, "warning", message, None, made, _fixes(op, one, other, tree))


def _padded(tensor: Tensor, rank: int) -> tuple[int, ...]:
    return (1,) * (rank - len(tensor.shape)) + tuple(
        size if isinstance(size, int) else 0 for size in tensor.shape
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
