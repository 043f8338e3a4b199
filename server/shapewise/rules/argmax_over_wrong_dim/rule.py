"""A class that is chosen along another dim than the loss has its classes in."""

from __future__ import annotations

from collections.abc import Iterator

from ...queries.lineage import Lineage, lineage_of, short, tensors
from ...queries.ops import ops_of
from ...queries.origins import before
from ...vocabulary.events import Log, Op, Scalar, Tensor
from ...vocabulary.findings import Finding, Related
from ..asking.along import another_dim, dim_of
from ..asking.refusals import list_of
from ..asking.tree import Tree
from ..asking.weights import SAME, SOFTMAX, TURNS
from ..asking.widths import width_of
from ..telling.found import found_at
from .choices import LOSSES, choices

RULE = "argmax-over-wrong-dim"
UNCALLED = True
_NEAR = 8
"""Ops between what a loss is given and what is chosen from it."""
_COMPARED = frozenset("== eq".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each argmax along another dim of what a layer gave than the one that a loss, or a gather, takes for its classes."""
    lineage = lineage_of(log)
    yield from choices(log, lineage, tree)
    classes: dict[int, Op] = {}
    maps: dict[int, Op] = {}
    picked: dict[int, Op] = {}
    compared: set[int] = set()
    labels: dict[int, Op] = {}
    for op in ops_of(log):
        scored = _classes(op)
        if scored is not None:
            layer = width_of(lineage, *scored)
            if layer is not None:
                classes.setdefault(layer, op)
            elif len(scored[0].shape) > 2:
                maps[scored[0].id] = op
        elif _picks_of_the_last(op):
            picked.update((one.id, op) for one in op.args[:1] if isinstance(one, Tensor))
        if short(op.name) in _COMPARED:
            pair = [one for arg in op.args for one in tensors(arg)]
            compared.update(one.id for one in pair)
            if len(pair) == 2 and pair[0].shape == pair[1].shape and len(pair[0].shape) == 1:
                labels.update((one.id, op) for one in pair)
    for op in ops_of(log, ("argmax", "max", "topk")) if classes or maps or picked or labels else ():
        given = op.args[0] if op.args else None
        if not isinstance(given, Tensor):
            continue
        rank = len(given.shape)
        dim = dim_of(lineage, op, rank)
        behind = [_scored(lineage, given, one, maps) for one in range(rank if maps else 0)]
        if dim is not None and short(op.name) == "argmax" and any(behind):
            here = next((at for at, one in enumerate(behind) if one is not None and one[1] == 1), dim)
            chosen = behind[dim]
            if chosen is not None and here != dim:
                yield _finding(op, given, dim, here, chosen[0], tree)
            continue
        if dim is None or dim == rank - 1 or rank < 2 or 1 in (given.shape[-1], given.shape[dim]):
            continue
        if short(op.name) != "argmax" and not any(one.id in compared for one in list(tensors(op.result))[1:]):
            continue
        layer = width_of(lineage, given, rank - 1)
        loss = picked.get(given.id) if layer is None else classes.get(layer, picked.get(given.id))
        if loss is None and layer is not None and rank == 2:
            loss = next((labels.get(one.id) for one in tensors(op.result) if one.id in labels), None)
        if loss is None:
            continue
        yield _finding(op, given, dim, rank - 1, loss, tree)


def _finding(op: Op, given: Tensor, dim: int, classes: int, loss: Op, tree: Tree) -> Finding:
    return found_at(
        RULE,
        op.span,
        f"{short(op.name)} over dim {dim} of {list_of(given.shape)}, and the classes are in dim {classes}: what is "
        f"chosen is not {'the class of a sample' if len(given.shape) == 2 else 'a class'} but a "
        f"{'sample' if dim == 0 else 'place'} for each class.",
        *another_dim(tree, op, classes if classes < len(given.shape) - 1 else -1),
        related=[Related(loss.span, "the classes are taken from here")],
    )


def _scored(lineage: Lineage, given: Tensor, dim: int, maps: dict[int, Op]) -> tuple[Op, int] | None:
    """The loss of what was turned, or made to probabilities, on the way to a tensor, and this dim of it there (from 0)."""
    for _ in range(_NEAR):
        if given.id in maps:
            return maps[given.id], dim
        op = lineage.maker(given)
        inner = op.args[0] if op is not None and op.args else None
        if op is None or not isinstance(inner, Tensor):
            return None
        if short(op.name) in TURNS:
            earlier = before(op, given, dim)
            if earlier is None:
                return None
            given, dim = earlier
        elif short(op.name) in SOFTMAX | SAME and inner.shape == given.shape:
            given = inner
        else:
            return None
    return None


def _classes(op: Op) -> tuple[Tensor, int] | None:
    """The tensor of whose dim a loss chooses one for each of the others, and that dim."""
    if short(op.name) not in LOSSES:
        return None
    scores = next((arg for arg in op.args if isinstance(arg, Tensor)), None)
    return (scores, 1) if scores is not None and len(scores.shape) > 1 else None


def _picks_of_the_last(op: Op) -> bool:
    """Whether an op takes one number along the last dim for each of the others."""
    if short(op.name) != "gather" or len(op.args) < 3:
        return False
    scores, dim, index = op.args[:3]
    if not isinstance(scores, Tensor) or not isinstance(dim, Scalar) or not isinstance(index, Tensor):
        return False
    return dim.value in (-1, len(scores.shape) - 1) and index.shape == (*scores.shape[:-1], 1)
