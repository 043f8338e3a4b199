"""Whether the last dim of scores is classes: as many as a layer gives."""

from __future__ import annotations

from ...queries.lineage import Lineage
from ...queries.origins import origin
from ...vocabulary.events import Op, Other, Tensor
from .weights import shared_out

_AFTER = ("Softmax", "LogSoftmax", "Dropout")


def are_classes(lineage: Lineage, softmax: Op) -> bool:
    """Whether the last of two dims is the width of a layer, and the first is not."""
    scores = shared_out(softmax)
    if len(scores.shape) != 2 or scores.shape[1] == 1:
        return False
    return last_is_a_width(lineage, scores)


def last_is_a_width(lineage: Lineage, scores: Tensor) -> bool:
    """Whether the last dim is as wide as a layer has it."""
    found = origin(lineage, scores, len(scores.shape) - 1)
    if found is None or found.dim != len(found.tensor.shape) - 1:
        return False
    if found.op.name.endswith("()") and not found.op.name.startswith("nn."):
        return True  # a model as a whole
    built = lineage.builder(found.op.args[0]) if found.op.name == "nn.Sequential()" else None
    if built is not None and built.args:
        parts = [part for part in built.args if not isinstance(part, Other) or part.type not in _AFTER]
        last = parts[-1] if parts else None
        return isinstance(last, Other) and last.type == "Linear"
    return found.op.name == "nn.Linear()"
