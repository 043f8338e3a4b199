"""Batches of sequences that were padded to the longest: which tensors come of one."""

from __future__ import annotations

from collections.abc import Set

from ...queries.lineage import Lineage, short, tensors
from ...vocabulary.events import Op, Tensor, Value

EACH_STEP = frozenset(
    "Embedding() embedding Dropout() dropout Linear() linear LayerNorm() layer_norm relu ReLU() to float long".split()
)
"""Ops that treat each step alike."""
_TURNS = frozenset("transpose permute".split())
_NEAR = 8


def padded(lineage: Lineage, given: Value, way: Set[str] = EACH_STEP, near: int = _NEAR) -> Op | None:
    """The `pad_sequence` that a batch comes of by such ops, if its sequences are not all of one length, and it pads behind them.

    Of a sum it is the part that comes of one.
    """
    op = lineage.maker(given) if near else None
    if op is None:
        return None
    if short(op.name) == "pad_sequence":
        return None if _is_even(op) or op.argument("padding_side") is not None else op
    inner = [arg for arg in op.args if isinstance(arg, Tensor)]
    if short(op.name) in ("+", "add") and "+" in way:
        found = [padded(lineage, one, way, near - 1) for one in inner]
        return next((one for one in found if one is not None), None)
    if short(op.name) not in way | _TURNS or len(inner) != 1:
        return None
    return padded(lineage, inner[0], way, near - 1)


def _is_even(op: Op) -> bool:
    """Whether all sequences are surely of one length."""
    lengths = [one.shape[0] if one.shape else None for one in tensors(op.args[0])] if op.args else []
    return len(lengths) > 0 and None not in lengths and len(set(lengths)) == 1
