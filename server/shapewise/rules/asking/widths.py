"""Which layer a dim is the width of, whichever of its calls a tensor came from."""

from __future__ import annotations

from ...queries.lineage import Lineage, short
from ...queries.origins import before
from ...vocabulary.events import Op, Other, Tensor

_FAR = 32
_VIEWS = frozenset("view reshape flatten contiguous normalize log_softmax softmax".split())
"""Ops that keep a last dim of the same size, beside those that keep all."""


def width_of(lineage: Lineage, tensor: Tensor, dim: int) -> int | None:
    """The id of the linear layer, or of the sequence that ends in one, whose width this dim is."""
    dim %= len(tensor.shape)
    for _ in range(_FAR):
        op = lineage.maker(tensor)
        if op is None or op.failure is not None or not op.args:
            return None
        if op.name in ("nn.Linear()", "nn.Sequential()"):
            layer = op.args[0]
            last = dim == len(tensor.shape) - 1 and _ends_in_linear(lineage, op)
            return layer.id if last and isinstance(layer, Other) else None
        inner = op.args[0]
        if short(op.name) in _VIEWS and isinstance(inner, Tensor):
            if dim != len(tensor.shape) - 1 or inner.shape[-1:] != tensor.shape[-1:]:
                return None
            tensor, dim = inner, len(inner.shape) - 1
            continue
        found = before(op, tensor, dim)
        if found is None:
            return None
        tensor, dim = found
    return None


def of_one_layer(lineage: Lineage, left: Tensor, right: Tensor) -> bool:
    """Whether the last dims of both are the width of one linear layer, of whose results this is a product."""
    widths = [width_of(lineage, one, dim) for one in (left, right) for dim in (-2, -1)]
    return widths[1] is not None and widths[1] == widths[3] and widths[0] is None and widths[2] is None


def of_two_layers(lineage: Lineage, left: Tensor, right: Tensor) -> bool:
    """Whether rows of two linear layers are multiplied as they are: `queries @ documents`; not weights of a softmax."""
    widths = [width_of(lineage, one, dim) for one in (left, right) for dim in (-2, -1)]
    rows = len(left.shape) == len(right.shape) == 2 and widths[0] is None and widths[2] is None
    if not rows or widths[1] is None or widths[3] is None:
        return False
    return all(
        maker is None or "softmax" not in short(maker.name).lower()
        for one in (left, right)
        for _, maker in lineage.behind(one)
    )


def _ends_in_linear(lineage: Lineage, op: Op) -> bool:
    """Whether a layer is linear, or a sequence of which the last is."""
    if op.name == "nn.Linear()":
        return True
    built = lineage.builder(op.args[0])
    last = built.args[-1] if built is not None and built.args else None
    return isinstance(last, Other) and last.type == "Linear"
