"""The mean of what a softmax gave, along the dim of the softmax: one over the number of shares, whatever they are."""

from __future__ import annotations

from collections.abc import Iterator

from ..queries.lineage import Lineage, lineage_of, reduced_dims, short
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Tensor
from ..vocabulary.findings import Finding, Related
from .asking.refusals import list_of
from .asking.tree import Tree
from .asking.weights import softmax_dim, softmax_layer
from .telling.found import found_at

RULE = "shares-averaged"
UNCALLED = True
_CASTS = frozenset("to float double half bfloat16 detach clone contiguous".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each mean along the dim in which shares add up to one, or over all of them."""
    lineage = lineage_of(log)
    for op in ops_of(log, ("mean",)):
        shares = op.args[0] if op.args else None
        softmax = _softmax(lineage, shares) if isinstance(shares, Tensor) else None
        if softmax is None or not isinstance(shares, Tensor):
            continue
        over, gone = softmax_dim(lineage, softmax, len(shares.shape)), reduced_dims(op)
        whole = not op.argument("dim", at=1)
        if over is None or shares.shape[over] == 1 or (not whole and gone != (over,)):
            continue
        yield found_at(
            RULE,
            op.span,
            f"these shares of {list_of(shares.shape)} add up to one along dim {over}: their mean {'' if whole else 'there '}is one over how "
            "many they are, and no weight changes it. The mean over another dim, such as the batch, may be meant.",
            related=[Related(softmax.span, f"softmax over dim {over}")],
        )


def _softmax(lineage: Lineage, shares: Tensor) -> Op | None:
    *_, first = lineage.through(shares, _CASTS, 4)
    op = lineage.maker(first)
    if op is None or op.failure is not None:
        return None
    layer = softmax_layer(lineage, op)
    return (
        op if short(op.name if layer is None else layer.name) in ("softmax", "Softmax()", "Softmax") else None
    )
