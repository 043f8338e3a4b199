"""What a boolean mask is True for, as far as the ops say that made it: tokens that are no padding, steps within a length, the past."""

from __future__ import annotations

from typing import NamedTuple

from ...queries.lineage import Lineage, short
from ...vocabulary.events import Log, Op, Scalar, Tensor, Value
from ..asking.masks import FLIPPED

_SAME = frozenset(
    "bool to type unsqueeze view reshape expand expand_as repeat clone detach contiguous cuda cpu [] squeeze".split()
)
_FAR = 12
AFTER = "a step and those after it"
"""What no attention is meant to keep, nor to leave out: nothing is left for the first step then."""


class Kept(NamedTuple):
    """Whether a mask is True for what is to be kept, what that is, and the op that made it so."""

    is_true: bool
    what: str
    op: Op


def embedded(log: Log) -> set[int]:
    """The tensors that embeddings were given."""
    return {
        one.id
        for op in log.events
        if isinstance(op, Op) and short(op.name) in ("Embedding()", "embedding")
        for one in op.args
        if isinstance(one, Tensor)
    }


def kept_by(lineage: Lineage, mask: Value, ids: set[int], depth: int = 0) -> Kept | None:
    """None where it is not known. `ids`: the tensors that embeddings were given."""
    op = lineage.maker(mask)
    if op is None or not op.args or depth > _FAR or op.failure is not None:
        return None
    name, first = short(op.name), op.args[0]
    second = op.argument(at=1)
    if name in ("tril", "triu"):
        return _triangle(op)
    if name in FLIPPED:
        return _flipped(kept_by(lineage, first, ids, depth + 1))
    if name in _SAME:
        return kept_by(lineage, first, ids, depth + 1)
    if name in ("&", "logical_and"):
        both = [kept_by(lineage, one, ids, depth + 1) for one in op.args[:2]]
        known = [one for one in both if one is not None]
        return known[0] if len(known) == 2 and known[0].is_true == known[1].is_true else None
    if name in ("!=", "ne", "==", "eq") and isinstance(second, Scalar) and isinstance(first, Tensor):
        differs = name in ("!=", "ne")
        if first.dtype in ("int64", "int32") and _is_of_tokens(lineage, first, ids):
            return Kept(differs, f"tokens that are not {second.value}", op)
        before = kept_by(lineage, first, ids, depth + 1)
        if before is None or second.value not in (0, 1, False, True):
            return None
        return before if differs == (not second.value) else _flipped(before)
    if name in ("<", ">", "<=", ">=", "lt", "gt", "le", "ge") and isinstance(second, Tensor):
        return _within_lengths(lineage, op, name, first, second)
    return None


def _flipped(kept: Kept | None) -> Kept | None:
    return None if kept is None else kept._replace(is_true=not kept.is_true)


def _triangle(op: Op) -> Kept | None:
    """`tril(ones)`: each step and those before it. `triu(ones, 1)`: those after it; `triu(ones)`: the step itself too."""
    given = op.argument("diagonal", at=1) or Scalar(0)
    shape = op.args[0].shape if isinstance(op.args[0], Tensor) else ()
    if (
        not isinstance(given, Scalar)
        or type(given.value) is not int
        or len(shape) < 2
        or shape[-1] != shape[-2]
    ):
        return None
    if short(op.name) == "tril" and given.value == 0:
        return Kept(True, "a step and those before it", op)
    if short(op.name) == "triu" and given.value == 1:
        return Kept(False, "a step and those before it", op)
    if (short(op.name), given.value) in (("triu", 0), ("tril", -1)):
        return Kept(given.value == 0, AFTER, op)
    return None


def _is_of_tokens(lineage: Lineage, tensor: Tensor, ids: set[int]) -> bool:
    """Whether a tensor is what an embedding is given, or was cut from that."""
    return bool(_roots(lineage, tensor) & ids)


def _roots(lineage: Lineage, tensor: Tensor) -> set[int]:
    found = {tensor.id}
    for _ in range(4):
        op = lineage.maker(tensor)
        inner = op.args[0] if op is not None and op.args else None
        if (
            op is None
            or short(op.name) not in ("[]", "to", "long", "clone", "contiguous")
            or not isinstance(inner, Tensor)
        ):
            break
        tensor = inner
        found.add(tensor.id)
    return found


def _within_lengths(lineage: Lineage, op: Op, name: str, left: Value, right: Tensor) -> Kept | None:
    """`arange(n) < lengths[:, None]`, either way round."""
    counted = [_is_counted(lineage, one) for one in (left, right)]
    if counted[0] == counted[1]:
        return None
    less = name in ("<", "<=", "lt", "le")
    strict = name in ("<", ">", "lt", "gt")
    within = less == counted[0]
    # `arange < lengths` and `lengths > arange` keep what is within; `arange >= lengths` and `lengths <= arange` what is not.
    if within != strict:
        return None
    return Kept(within, "steps within the length", op)


def _is_counted(lineage: Lineage, value: Value) -> bool:
    """Whether it is `arange`, in some shape, and nothing was computed of it."""
    for _ in range(6):
        op = lineage.maker(value)
        if op is None:
            return False
        if short(op.name) == "arange":
            return True
        if short(op.name) not in _SAME or not op.args:
            return False
        value = op.args[0]
    return False
