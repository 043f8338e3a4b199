"""One index for each row, `[N, 1]`, gathered or scattered along dim 0."""

from __future__ import annotations

from collections.abc import Iterator

from ..queries.lineage import short
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Scalar, Tensor
from ..vocabulary.findings import Finding
from .asking.along import another_dim
from .asking.refusals import list_of
from .asking.tree import Tree
from .telling.found import found_at

RULE = "column-index-along-rows"
UNCALLED = True
_PICKS = frozenset("gather scatter scatter_ scatter_add scatter_add_".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """`q.gather(0, actions)` of `[N, A]` and `[N, 1]`: each picks a row, and only the first column is ever looked at."""
    for op in ops_of(log, _PICKS):
        if len(op.args) < 3:
            continue
        whole, dim, index = op.args[:3]
        if not isinstance(whole, Tensor) or not isinstance(index, Tensor):
            continue
        if dim != Scalar(0) or len(whole.shape) != 2 or index.shape != (whole.shape[0], 1):
            continue
        if whole.shape[0] in (None, 1) or whole.shape[1] in (None, 1):
            continue
        yield found_at(
            RULE,
            op.span,
            f"{short(op.name)} along dim 0 of {list_of(whole.shape)} takes the {index.shape[0]} numbers of {list_of(index.shape)} for "
            "rows, and only the first column is touched. One column for each row is along dim 1.",
            *another_dim(tree, op, 1),
        )
