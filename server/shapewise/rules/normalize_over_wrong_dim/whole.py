"""Cosines whose vectors were divided by the norm of all of them together: `u / u.norm()` of a batch."""

from __future__ import annotations

from typing import NamedTuple

from ...queries.lineage import Lineage, reduced_dims, short
from ...vocabulary.events import Op, Tensor, Value

_NORMS = frozenset("norm vector_norm".split())
_EPS = frozenset("+ add clamp clamp_min maximum".split())
_TURNS = frozenset("t T mT transpose".split())
_MOVES = _TURNS | frozenset("float to detach * / mul div".split())


class Whole(NamedTuple):
    """A norm of a whole batch, and what it was divided in."""

    norm: Op
    of: Tensor


def by_whole_norms(lineage: Lineage, op: Op) -> Whole | None:
    """The norm of all rows of `(a * b).sum(-1) / (a.norm() * b.norm())`."""
    if short(op.name) not in ("/", "div") or len(op.args) != 2:
        return None
    summed, below = lineage.maker(op.args[0]), lineage.maker(op.args[1])
    product = lineage.maker(summed.args[0]) if summed is not None and short(summed.name) == "sum" else None
    if summed is None or product is None or short(product.name) not in ("*", "mul"):
        return None
    pair = [one for one in product.args if isinstance(one, Tensor)]
    if len(pair) != 2 or len(pair[0].shape) < 2 or reduced_dims(summed) != (len(pair[0].shape) - 1,):
        return None
    below = _without_eps(lineage, below)
    norms = (
        []
        if below is None or short(below.name) not in ("*", "mul")
        else [_norm(lineage, one) for one in below.args]
    )
    if len(norms) != 2 or None in norms or {one.of.id for one in norms if one} != {one.id for one in pair}:
        return None
    return norms[0]


def divided_by_whole_norm(lineage: Lineage, vectors: Tensor, dim: int) -> Whole | None:
    """The norm of all rows that rows were divided by, `u / u.norm()`, turned since or not. `dim` is summed over: along the rows."""
    if len(vectors.shape) != 2:
        return None
    for _ in range(6):
        op = lineage.maker(vectors)
        inner = [] if op is None else [one for one in op.args if isinstance(one, Tensor) and one.shape]
        if op is None or not inner:
            return None
        name = short(op.name)
        if name in ("/", "div") and len(op.args) == 2 and dim == 1:
            eps = _without_eps(lineage, lineage.maker(op.args[1]))
            norm = None if eps is None or eps.result is None else _norm(lineage, eps.result)
            if norm is not None and norm.of.id == inner[0].id:
                return norm if norm.of.shape[0] != 1 else None
        if len(inner) != 1 or name not in _MOVES:
            return None
        vectors = inner[0]
        dim = 1 - dim if name in _TURNS else dim
    return None


def _without_eps(lineage: Lineage, op: Op | None) -> Op | None:
    if (
        op is not None
        and short(op.name) in _EPS
        and len([one for one in op.args if isinstance(one, Tensor)]) == 1
    ):
        return lineage.maker(next(one for one in op.args if isinstance(one, Tensor)))
    return op


def _norm(lineage: Lineage, value: Value) -> Whole | None:
    op = lineage.maker(value)
    of = op.args[0] if op is not None and short(op.name) in _NORMS and op.args else None
    if op is None or not isinstance(of, Tensor) or len(of.shape) < 2:
        return None
    is_whole = isinstance(op.result, Tensor) and op.result.shape == ()
    return Whole(op, of) if is_whole and op.argument("dim", at=2) is None else None
