"""Softmaxes over a dim that the text itself calls the batch, for `softmax-over-wrong-dim`."""

from __future__ import annotations

import re

from ...queries.lineage import Lineage, short
from ...vocabulary.events import Op, Tensor
from ..asking.along import dim_of
from ..asking.named_dims import NamedDims
from ..asking.weights import SOFTMAX

_BATCH = re.compile(r"^(n_?)?(bs|bsz|batch|batch_?size|B)$")


def called_the_batch(lineage: Lineage, op: Op, named: NamedDims) -> tuple[Op, int, int] | None:
    """A softmax over a dim called so, of scores whose last dim is called otherwise and no other is."""
    scores = next((arg for arg in op.args if isinstance(arg, Tensor)), None)
    rank = 0 if scores is None else len(scores.shape)
    over = dim_of(lineage, op, rank) if rank > 1 and short(op.name) in SOFTMAX else None
    if scores is None or over is None or over == rank - 1 or 1 in (scores.shape[over], scores.shape[-1]):
        return None
    names = named.of(scores)
    batches = [dim for dim, words in enumerate(names) if any(map(_BATCH.match, words))]
    return (op, over, rank - 1) if batches == [over] and names[-1] else None
