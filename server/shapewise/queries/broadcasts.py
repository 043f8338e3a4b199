"""Where a reduction is put back against what it reduced, along the wrong dim."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..vocabulary.events import Log, Op, Tensor
from .lineage import ELEMENTWISE, Lineage, reduced_dims, short, tensors
from .origins import Dims, ancestry, is_first


@dataclass(frozen=True, slots=True)
class BackBroadcast:
    """An elementwise op of a tensor and a reduction of the same tensor, or of one that it goes with, that lost its dim.

    `whole` and `reduced` are the operands, `reduction` the op that made the second (or what it was
    made from, elementwise), `dims` the dims (from 0) it dropped.
    """

    op: Op
    whole: Tensor
    reduced: Tensor
    reduction: Op
    dims: tuple[int, ...]


def back_broadcasts(log: Log) -> Iterator[BackBroadcast]:
    """Every one in a log, in order."""
    lineage = Lineage(log)
    for event in log.events:
        if not isinstance(event, Op) or short(event.name) not in ELEMENTWISE:
            continue
        operands = [arg for arg in event.args if isinstance(arg, Tensor)]
        if len(operands) == 2:
            for whole, reduced in (operands, operands[::-1]):
                found = _misaligned(event, whole, reduced, lineage) or _by_chance(
                    event, whole, reduced, lineage
                )
                if found is not None and not _on_both_sides(found, log, lineage):
                    yield found
                    break


def _misaligned(event: Op, whole: Tensor, reduced: Tensor, lineage: Lineage) -> BackBroadcast | None:
    """The pair, if `reduced` comes from `whole` and meets it along other dims than it kept."""
    rank = len(whole.shape)
    for _, reduction in lineage.behind(reduced):
        if reduction is None:
            continue
        dims = reduced_dims(reduction)
        if dims is None:
            continue
        source = reduction.args[0]
        assert isinstance(source, Tensor)
        if None in source.shape or source.shape != whole.shape or not _related(whole, source, lineage):
            return None
        kept = [dim for dim in range(rank) if dim not in dims]
        lands = list(range(rank - len(kept), rank))
        if not kept or kept == lands:
            return None
        return BackBroadcast(event, whole, reduced, reduction, dims)
    return None


def _by_chance(event: Op, whole: Tensor, reduced: Tensor, lineage: Lineage) -> BackBroadcast | None:
    """The pair, if a dim that a reduction kept is another dim of `whole` than the one of the same size that it meets."""
    rank, kept = len(whole.shape), len(reduced.shape)
    if event.failure is not None or not 0 < kept < rank or None in whole.shape:
        return None
    reduction = next((op for _, op in lineage.behind(reduced) if op is None or reduced_dims(op)), None)
    dims = None if reduction is None else reduced_dims(reduction)
    if reduction is None or dims is None:
        return None
    theirs = [ancestry(lineage, whole, dim) for dim in range(rank)]
    for dim, size in enumerate(reduced.shape):
        met = rank - kept + dim
        if size in (None, 1) or whole.shape[met] == 1:
            continue  # a column and a row: each with each, as of squared norms
        ours = ancestry(lineage, reduced, dim)
        same = [at for at in range(rank) if ours & theirs[at]]
        if len(same) == 1 and same != [met] and not _square(theirs[same[0]], theirs[met], lineage):
            return BackBroadcast(event, whole, reduced, reduction, dims)
    return None


def _square(dims: Dims, others: Dims, lineage: Lineage) -> bool:
    """Whether both began as neighbours in one tensor, which may then be a matrix of pairs: distances, an adjacency."""
    return any(
        (tensor, side) in others and is_first(lineage, tensor, at) and is_first(lineage, tensor, side)
        for tensor, at in dims
        for side in (at - 1, at + 1)
    )


def _on_both_sides(found: BackBroadcast, log: Log, lineage: Lineage) -> bool:
    """Whether the same reduction meets rows and columns, as the degrees of a graph do: `a * d * d[:, None]`."""
    given, result = found.reduced, found.op.result
    ids = {given.id, *(tensor.id for tensor in tensors(found.reduction.result))}
    before = lineage.maker(found.whole)
    after = (e for e in log.events if isinstance(e, Op) and isinstance(result, Tensor) and result in e.args)
    for op in (*((before,) if before is not None else ()), *after):
        if short(op.name) in ELEMENTWISE:
            others = [arg for arg in op.args if isinstance(arg, Tensor) and arg.shape == (*given.shape, 1)]
            if any(lineage.comes_of(other, ids) for other in others):
                return True
    return False


def _related(whole: Tensor, source: Tensor, lineage: Lineage) -> bool:
    """Whether two tensors are the same one, or made of the same one by ops that keep the dims."""
    roots = {value.id for value, _ in lineage.behind(source) if isinstance(value, Tensor)}
    return any(isinstance(value, Tensor) and value.id in roots for value, _ in lineage.behind(whole))
