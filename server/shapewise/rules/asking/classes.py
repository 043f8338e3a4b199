"""Whether the last dim of scores is classes: as many as a layer gives."""

from __future__ import annotations

from ...queries.lineage import Lineage
from ...queries.origins import origin
from ...vocabulary.events import Op, Other, Tensor


def are_classes(lineage: Lineage, softmax: Op) -> bool:
    """Whether the last of two dims is the width of a layer, and the first is not."""
    scores = next((arg for arg in softmax.args if isinstance(arg, Tensor)), None)
    if scores is None or len(scores.shape) != 2 or scores.shape[1] == 1:
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
        last = built.args[-1]
        return isinstance(last, Other) and last.type == "Linear"
    return found.op.name == "nn.Linear()"
