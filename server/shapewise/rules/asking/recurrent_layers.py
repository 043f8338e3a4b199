"""How a recurrent layer of a log was built."""

from __future__ import annotations

from ...queries.lineage import Lineage
from ...vocabulary.events import Op, Scalar


def is_batch_first(lineage: Lineage, op: Op) -> bool:
    """Whether a network takes the batch first, and the time second."""
    built = lineage.builder(op.args[0])
    return built is not None and built.argument("batch_first") == Scalar(True)


def is_both_ways(lineage: Lineage, op: Op) -> bool:
    """Whether `h[-1]` is that of the way back, which ends at the first step."""
    built = lineage.builder(op.args[0])
    return built is None or (built.argument("bidirectional") or Scalar(False)) != Scalar(False)
