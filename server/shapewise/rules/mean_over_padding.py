"""A mean over steps of which the padded ones were set to zero: they are still counted."""

from __future__ import annotations

from collections.abc import Iterator

from ..queries.lineage import Lineage, lineage_of, reduced_dims, short
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Scalar, Tensor, Value
from ..vocabulary.findings import Finding, Related
from .asking.along import dim_of
from .asking.refusals import list_of
from .asking.tree import Tree
from .mask_inverted.polarity import Kept, embedded, kept_by
from .telling.found import found_at

RULE = "mean-over-padding"
UNCALLED = True
_CASTS = frozenset("float to type_as type half double int long".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each mean over dim 1 of what a mask of padding, the same for all features, has set to zero there."""
    lineage = lineage_of(log)
    ids: set[int] | None = None
    for op in ops_of(log, ("mean",)):
        given = op.args[0] if op.args else None
        masked = lineage.maker(given) if isinstance(given, Tensor) else None
        if not isinstance(given, Tensor) or masked is None or len(given.shape) != 3:
            continue
        if (reduced_dims(op) or (dim_of(lineage, op, 3),)) != (1,):
            continue
        ids = embedded(log) if ids is None else ids
        for mask in _masks(masked, given):
            kept = kept_by(lineage, _cast(lineage, mask), ids)
            if kept is not None and _is_of_steps(kept) and _is_zeroed(masked, kept):
                yield _finding(op, given, masked, kept)


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
