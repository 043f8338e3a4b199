"""Predictions that attention makes of the tokens up to a step, that step among them."""

from __future__ import annotations

from ...queries.lineage import Lineage, short, tensors
from ...vocabulary.events import Op, Scalar, Tensor, Value

_STEPWISE = frozenset(
    "+ add * mul Linear() Dropout() LayerNorm() RMSNorm() ReLU() GELU() SiLU() Tanh() Identity() linear dropout layer_norm rms_norm relu "
    "gelu silu tanh float to type_as contiguous view reshape flatten Sequential()".split()
)
"""Ops that give each step from that step, and perhaps from others."""
_ENCODERS = {
    "TransformerEncoder()": (1, 2, ("mask", "is_causal")),
    "TransformerEncoderLayer()": (1, 2, ("src_mask", "is_causal")),
    "TransformerDecoder()": (1, 3, ("tgt_mask", "tgt_is_causal")),
    "TransformerDecoderLayer()": (1, 3, ("tgt_mask", "tgt_is_causal")),
    "Transformer()": (2, 4, ("tgt_mask", "tgt_is_causal")),
}
"""By layer: the place of what it reads step by step, that of its mask, and what that and a flag are called."""
_MANY = 600
_PLACED = frozenset(
    "view reshape flatten contiguous long to clone cuda cpu transpose permute mT t swapaxes detach".split()
)
_FAR = 40


def as_placed(lineage: Lineage, tensor: Tensor) -> Tensor:
    """The tensor whose numbers, all of them in their order, it has."""
    *_, first = lineage.through(tensor, _PLACED, _FAR)
    return first


def read_causally(lineage: Lineage, logits: Tensor, tokens: Tensor) -> Op | None:
    """The embedding of just these tokens from which each step of a prediction is made by a way that moves no step, where attention on
    that way sees the past alone.
    """
    waiting: list[Value] = [logits]
    seen = set[int]()
    read, is_causal = None, False
    while waiting and len(seen) < _MANY:
        value = waiting.pop()
        op = lineage.maker(value)
        if op is None or not isinstance(value, Tensor) or value.id in seen:
            continue
        seen.add(value.id)
        name = short(op.name)
        if name in ("Embedding()", "embedding"):
            if any(are_same(lineage, one, tokens) for one in op.args):
                read = op
            continue
        if name in _ENCODERS:
            at, mask, named = _ENCODERS[name]
            told = [*(dict(op.kwargs).get(one) for one in named), *op.args[mask : mask + 1]]
            is_causal = is_causal or any(one == Scalar(True) or _is_of_steps(lineage, one) for one in told)
            waiting += op.args[at : at + 1]
        elif name in _STEPWISE:
            waiting += [one for one in op.args if isinstance(one, Tensor)]
            if name in ("+", "add") and not is_causal:
                is_causal = any(_attends_to_the_past(lineage, one) for one in op.args)
    return read if is_causal else None


def are_same(lineage: Lineage, one: Value | None, other: Tensor) -> bool:
    """Whether two tensors are one, or the same part of one."""
    if not isinstance(one, Tensor) or one.id == other.id:
        return isinstance(one, Tensor)
    op, again = lineage.maker(one), lineage.maker(other)
    return op is not None and again is not None and op.name == again.name == "[]" and op.args == again.args


def _attends_to_the_past(lineage: Lineage, value: Value) -> bool:
    """Whether a branch, before it meets the others again, is attention that was told to see no later step."""
    waiting, seen = [value], set[int]()
    while waiting and len(seen) < 60:
        one = waiting.pop(0)
        op = lineage.maker(one)
        if op is None or not isinstance(one, Tensor) or one.id in seen:
            continue
        seen.add(one.id)
        name = short(op.name)
        if name == "scaled_dot_product_attention" and dict(op.kwargs).get("is_causal") == Scalar(True):
            return True
        if name in ("masked_fill", "masked_fill_", "where") and any(
            _is_triangle(lineage, arg) for arg in op.args
        ):
            return True
        if name == "MultiheadAttention()":
            named = dict(op.kwargs)
            masks = [*op.args[4:], *named.values()]
            if any(_is_triangle(lineage, one) for one in masks) or _is_of_steps(
                lineage, named.get("attn_mask")
            ):
                return True
        waiting += [inner for arg in op.args for inner in tensors(arg)]
    return False


def _is_of_steps(lineage: Lineage, mask: Value | None) -> bool:
    """Whether a mask of steps by steps is cut to one side of its diagonal, or comes as a whole, as torch's own does."""
    is_square = isinstance(mask, Tensor) and len(mask.shape) == 2 and mask.shape[0] == mask.shape[1]
    return is_square and (_is_triangle(lineage, mask) or lineage.maker(mask or Scalar(None)) is None)


def _is_triangle(lineage: Lineage, value: Value | None) -> bool:
    """Whether a mask was cut to one side of its diagonal."""
    for _ in range(8):
        op = lineage.maker(value) if value is not None else None
        if op is None or not op.args:
            return False
        if short(op.name) in ("tril", "triu", "generate_square_subsequent_mask", "triu_", "tril_"):
            return True
        value = next((one for one in op.args if isinstance(one, Tensor)), None)
    return False
