"""Indices of columns, one for each row or those that `topk` chose of it, gathered or scattered along dim 0."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..queries.lineage import Lineage, lineage_of, short
from ..queries.ops import ops_of
from ..queries.values import integer
from ..vocabulary.events import Group, Log, Op, Other, Scalar, Tensor
from ..vocabulary.findings import Finding, Fix, Related
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
    for op in ops_of(log, ("[]",)):
        yield from _of_all_rows(lineage, op, tree)
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


def _of_all_rows(lineage: Lineage, op: Op, tree: Tree) -> Iterator[Finding]:
    """`scores[:, labels]`: the columns of all labels, of every row, where one of each row is meant."""
    whole, pair = op.args[0], op.args[1] if len(op.args) > 1 else None
    if not isinstance(whole, Tensor) or not isinstance(pair, Group) or len(pair.items) != 2:
        return
    rows, index = pair.items
    if not isinstance(rows, Other) or rows.text != "slice(None, None, None)" or not isinstance(index, Tensor):
        return
    if len(whole.shape) != 2 or len(index.shape) != 1 or index.dtype != "int64" or not whole.requires_grad:
        return
    if index.shape[0] != whole.shape[0] or whole.shape[0] in (None, 1, whole.shape[1]):
        return
    maker = lineage.maker(index)
    if maker is not None and short(maker.name) in _COUNTED:
        return
    node, fixes = tree.at(op.span, ast.Subscript), []
    first = node.slice.elts[0] if node is not None and isinstance(node.slice, ast.Tuple) else None
    if node is not None and first is not None:
        text = f"torch.arange(len({source(tree.text, node.value)}))"
        fixes = [Fix("one of each row", "unsafe", (replace(tree.text, first, text),))]
    yield found_at(
        RULE,
        op.span,
        f"of each of the {whole.shape[0]} rows of {list_of(whole.shape)} this takes the columns of all {index.shape[0]} indices, those of other rows "
        f"too: {list_of((whole.shape[0], index.shape[0]))}. One of each row is [torch.arange(n), index], or gather along dim 1.",
        *fixes,
    )


_COUNTED = frozenset("arange randperm topk sort argsort nonzero unique where tensor linspace".split())
"""What makes an index of columns, and no label for each row."""


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
