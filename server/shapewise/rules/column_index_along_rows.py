"""One index for each row, `[N, 1]`, gathered or scattered along dim 0."""

from __future__ import annotations

from collections.abc import Iterator

from ..queries.lineage import short
from ..vocabulary.events import Log, Op, Scalar, Tensor
from ..vocabulary.findings import Finding
from .along import another_dim
from .refusals import list_of
from .tree import Tree

RULE = "column-index-along-rows"
_PICKS = frozenset("gather scatter scatter_ scatter_add scatter_add_".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """`q.gather(0, actions)` of `[N, A]` and `[N, 1]`: each picks a row, and only the first column is ever looked at."""
    told: set[object] = set()
    for op in log.events:
        if (
            not isinstance(op, Op)
            or op.failure is not None
            or short(op.name) not in _PICKS
            or len(op.args) < 3
        ):
            continue
        whole, dim, index = op.args[:3]
        if not isinstance(whole, Tensor) or not isinstance(index, Tensor) or op.span in told:
            continue
        if dim != Scalar(0) or len(whole.shape) != 2 or index.shape != (whole.shape[0], 1):
            continue
        if whole.shape[0] in (None, 1) or whole.shape[1] in (None, 1):
            continue
        told.add(op.span)
        yield Finding(
            RULE,
            op.span,
            "warning",
            f"{short(op.name)} along dim 0 of {list_of(whole.shape)} takes the {index.shape[0]} numbers of {list_of(index.shape)} for "
            "rows, and only the first column is touched. One column for each row is along dim 1.",
            None,
            (),
            another_dim(tree, op, 1),
        )
