"""Indices of columns, one for each row or those that `topk` chose of it, gathered or scattered along dim 0."""

from __future__ import annotations

from collections.abc import Iterator

from ..queries.lineage import Lineage, lineage_of, short
from ..queries.ops import ops_of
from ..queries.values import integer
from ..vocabulary.events import Log, Op, Scalar, Tensor
from ..vocabulary.findings import Finding, Related
from .asking.along import another_dim
from .asking.refusals import list_of
from .asking.tree import Tree
from .telling.found import found_at

RULE = "column-index-along-rows"
UNCALLED = True
_PICKS = frozenset("gather scatter scatter_ scatter_add scatter_add_".split())
_CHOOSE = frozenset("topk sort argsort".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """`q.gather(0, actions)` of `[N, A]` and `[N, 1]`: each picks a row, and only the first column is ever looked at."""
    lineage = lineage_of(log)
    for op in ops_of(log, _PICKS):
        if len(op.args) < 3:
            continue
        whole, dim, index = op.args[:3]
        if not isinstance(whole, Tensor) or not isinstance(index, Tensor):
            continue
        if (
            dim != Scalar(0)
            or len(whole.shape) != 2
            or len(index.shape) != 2
            or index.shape[0] != whole.shape[0]
        ):
            continue
        if whole.shape[0] in (None, 1) or whole.shape[1] in (None, 1):
            continue
        chosen = _chosen(lineage, index, whole)
        if chosen is not None and index.shape[1] != 1:
            yield found_at(
                RULE,
                op.span,
                f"these are places among the {whole.shape[1]} of a row of {list_of(whole.shape)}, and {short(op.name)} along dim 0 takes them for "
                "rows. Places in a row are along dim 1.",
                *another_dim(tree, op, 1),
                related=[Related(chosen.span, "chosen along the last dim here")],
            )
        if index.shape[1] != 1:
            continue
        yield found_at(
            RULE,
            op.span,
            f"{short(op.name)} along dim 0 of {list_of(whole.shape)} takes the {index.shape[0]} numbers of {list_of(index.shape)} for "
            "rows, and only the first column is touched. One column for each row is along dim 1.",
            *another_dim(tree, op, 1),
        )


def _chosen(lineage: Lineage, index: Tensor, whole: Tensor) -> Op | None:
    """The `topk` or the like that chose an index along the last dim of as many rows and columns as there are."""
    op = lineage.maker(index)
    given = op.args[0] if op is not None and op.args else None
    if (
        op is None
        or short(op.name) not in _CHOOSE
        or not isinstance(given, Tensor)
        or given.shape != whole.shape
    ):
        return None
    at = 2 if short(op.name) == "topk" else 1
    along = integer(op.argument("dim", at=at) or Scalar(-1))
    return op if along in (-1, 1) else None
