"""What einops patterns say of the dims of their results."""

from __future__ import annotations

import re

from ...queries.lineage import Lineage, short
from ...vocabulary.events import Op, Scalar, Tensor

BATCH = re.compile(r"^(n_?)?(b|bs|bsz|batch|batch_?size|train_batch_size)$", re.IGNORECASE)
"""What the dim of the samples is called."""
_SAME = frozenset(
    "+ add LayerNorm() layer_norm Dropout() dropout Linear() contiguous to float half * mul".split()
)


def groups_of(op: Op) -> tuple[tuple[str, ...], ...]:
    """The words of each dim of what a `rearrange` gives: `(('b', 'h'), ('w',), ('c',))` of `'b c h w -> (b h) w c'`."""
    pattern = op.args[1].value if len(op.args) > 1 and isinstance(op.args[1], Scalar) else None
    if op.name != "einops.rearrange" or not isinstance(pattern, str) or pattern.count("->") != 1:
        return ()
    found = re.findall(r"\([^()]*\)|[^\s()]+", pattern.split("->")[1])
    return tuple(tuple(one.strip("()").split()) for one in found)


def by_pattern(lineage: Lineage, given: Tensor) -> str | None:
    """Why dim 0 of three is the batch: the pattern that laid them out puts it there."""
    for _ in range(8):
        op = lineage.maker(given)
        if op is None or op.failure is not None:
            return None
        groups = groups_of(op)
        if groups:
            first = len(groups) == 3 and any(map(BATCH.match, groups[0]))
            return "the pattern of its input puts the batch into dim 0" if first else None
        inner = next(
            (arg for arg in op.args if isinstance(arg, Tensor) and arg.shape[:-1] == given.shape[:-1]), None
        )
        if short(op.name) not in _SAME or inner is None:
            return None
        given = inner
    return None
