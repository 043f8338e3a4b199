"""A mean over steps of which the padded ones were set to zero, or left out by attention: they are still counted."""

from __future__ import annotations

from collections.abc import Iterator

from ..queries.lineage import Lineage, lineage_of, reduced_dims, short
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Scalar, Tensor, Value
from ..vocabulary.findings import Finding, Related
from .asking.along import dim_of
from .asking.padding import EACH_STEP, padded
from .asking.refusals import list_of
from .asking.tree import Tree
from .mask_inverted.polarity import Kept, embedded, kept_by
from .telling.found import found_at

RULE = "mean-over-padding"
UNCALLED = True
_CASTS = frozenset("float to type_as type half double int long".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each mean over dim 1 of what a mask of padding, the same for all features, has set to zero there, and each mean over the
    steps of what a layer gave that was told the padding."""
    lineage = lineage_of(log)
    ids: set[int] | None = None
    for op in ops_of(log, ("mean",)):
        given = op.args[0] if op.args else None
        masked = lineage.maker(given) if isinstance(given, Tensor) else None
        if not isinstance(given, Tensor) or masked is None or len(given.shape) != 3:
            continue
        dims = reduced_dims(op) or (dim_of(lineage, op, 3),)
        if (told := _told(lineage, given)) is not None and dims == (
            1 if _is_batch_first(lineage, told) else 0,
        ):
            yield _counted(op, given, told)
        elif (whole := padded(lineage, given, _WAY)) is not None and dims == (
            1 if whole.argument("batch_first", at=1) == Scalar(True) else 0,
        ):
            yield _of_padded(op, given, whole)
        if dims != (1,):
            continue
        ids = embedded(log) if ids is None else ids
        for mask in _masks(masked, given):
            kept = kept_by(lineage, _cast(lineage, mask), ids)
            if kept is not None and _is_of_steps(kept) and _is_zeroed(masked, kept):
                yield _finding(op, given, masked, kept)


_MASKED = {"nn.TransformerEncoder()": 3, "nn.TransformerEncoderLayer()": 3, "nn.MultiheadAttention()": 4}
"""Layers that may be told the padding, and the place of it."""
_WAY = EACH_STEP | {
    "TransformerEncoder()",
    "TransformerEncoderLayer()",
    "+",
    "gelu",
    "tanh",
    "GELU()",
    "Tanh()",
}
_EACH = frozenset("LayerNorm() layer_norm Dropout() dropout Linear() relu gelu tanh + add".split())
"""Ops that treat each step alike."""


def _told(lineage: Lineage, given: Tensor) -> Op | None:
    """The layer behind a tensor of steps that was told which of them are padding."""
    for _ in range(8):
        op = lineage.maker(given)
        if op is None or op.failure is not None:
            return None
        if op.name in _MASKED:
            mask = op.argument("src_key_padding_mask", "key_padding_mask", at=_MASKED[op.name])
            if isinstance(mask, Tensor):
                return op
        elif short(op.name) not in _EACH and op.name != "nn.Linear()":
            return None
        steps = given.shape[:-1]
        inner = [arg for arg in op.args[::-1] if isinstance(arg, Tensor) and arg.shape[:-1] == steps]
        if not inner:
            return None
        given = inner[0]
    return None


def _is_batch_first(lineage: Lineage, layer: Op) -> bool:
    built = lineage.builder(layer.args[0])
    if built is not None and short(built.name) == "TransformerEncoder" and built.args:
        built = lineage.builder(built.args[0])
    return built is not None and built.argument("batch_first") == Scalar(True)


def _counted(op: Op, given: Tensor, told: Op) -> Finding:
    return found_at(
        RULE,
        op.span,
        f"a mean over the steps of {list_of(given.shape)} counts the padding as well, which the layer was told to leave out: what a "
        "sequence comes to depends on how long the others of its batch are. Add up the steps that are none, and divide by how many they are.",
        related=[Related(told.span, "told the padding here")],
    )


def _of_padded(op: Op, given: Tensor, whole: Op) -> Finding:
    return found_at(
        RULE,
        op.span,
        f"a mean over the steps of {list_of(given.shape)}, which were padded to the longest of their batch, counts the padding: what a "
        "sequence comes to depends on how long the others are. Add up the steps that are none, and divide by how many they are.",
        related=[Related(whole.span, "padded here")],
    )


def _masks(masked: Op, given: Tensor) -> Iterator[Tensor]:
    """What is multiplied with, or filled by, and has one value for all features of a step."""
    parts = masked.args[:2] if short(masked.name) in ("*", "mul", "*=", "mul_") else masked.args[1:2]
    if short(masked.name) not in ("*", "mul", "*=", "mul_", "masked_fill", "masked_fill_"):
        return
    for one in parts:
        if isinstance(one, Tensor) and one.shape[-2:] == (given.shape[1], 1) != given.shape[-2:]:
            yield one


def _cast(lineage: Lineage, mask: Tensor) -> Value:
    """The mask as it was before it became numbers."""
    for _ in range(6):
        op = lineage.maker(mask)
        inner = op.args[0] if op is not None and op.args else None
        if op is None or not isinstance(inner, Tensor) or mask.dtype == "bool":
            break
        if short(op.name) not in _CASTS and inner.shape == mask.shape:
            break
        if short(op.name) not in _CASTS | {"unsqueeze", "[]", "expand", "view", "reshape"}:
            break
        mask = inner
    return mask


def _is_of_steps(kept: Kept) -> bool:
    return kept.what.startswith(("tokens that are not", "steps within"))


def _is_zeroed(masked: Op, kept: Kept) -> bool:
    """Whether it is the padding that becomes zero."""
    if short(masked.name) in ("masked_fill", "masked_fill_"):
        return not kept.is_true and len(masked.args) > 2 and masked.args[2] in (Scalar(0), Scalar(0.0))
    return kept.is_true


def _finding(op: Op, given: Tensor, masked: Op, kept: Kept) -> Finding:
    return found_at(
        RULE,
        op.span,
        f"a mean over dim 1 of {list_of(given.shape)}, whose padding was set to zero: it adds nothing, and is counted. The mean of a short "
        "sequence gets smaller, the longer the others of its batch are. Divide the sum by how many the mask keeps.",
        related=[Related(masked.span, "set to zero here"), Related(kept.op.span, f"of {kept.what}")],
    )
