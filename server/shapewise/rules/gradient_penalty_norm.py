"""A gradient penalty whose norm is not taken of each sample's whole gradient."""

from __future__ import annotations

from collections.abc import Iterator

from ..queries.lineage import Lineage, lineage_of, reduced_dims, short, tensors
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Scalar, Tensor
from ..vocabulary.findings import Finding, Related
from .asking.refusals import list_of
from .asking.tree import Tree
from .telling.found import found_at

RULE = "gradient-penalty-norm"
UNCALLED = True
"""Of gradients by coordinates (`(N, 3)`, `(B, N, 3)`) each point's norm is meant: only images and flattened samples are judged."""


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every `(norm - 1) ** 2` of gradients by the inputs whose norm leaves out a dim, or takes in the batch."""
    lineage = lineage_of(log)
    for op in ops_of(log):
        if not _is_squared(op):
            continue
        norm = _norm_behind(lineage, op)
        if norm is None:
            continue
        given = next(arg for arg in norm.args if isinstance(arg, Tensor))
        rank = len(given.shape)
        is_whole = isinstance(norm.result, Tensor) and norm.result.shape == () and rank > 1
        over = tuple(range(rank)) if is_whole else reduced_dims(norm)
        gradient = _gradient(lineage, given)
        if over is None or gradient is None or rank < 2 or None in given.shape:
            continue
        if given.shape[0] != gradient.shape[0] or given.shape[0] == 1:
            continue
        if 0 in over and (is_whole or given.id != gradient.id):
            why = "goes over the batch: it mixes the gradients of different samples"
        elif over == (1,) and rank == 4 and 1 not in given.shape[2:]:
            why = "leaves out dims 2 and 3: it is that of one pixel's gradient"
        else:
            continue
        yield found_at(
            RULE,
            norm.span,
            f"the norm over dim {', '.join(map(str, over))} of {list_of(given.shape)} {why}. A gradient penalty holds the "
            "norm of each sample's whole gradient near 1: flatten(1).norm(2, dim=1).",
            related=[Related(op.span, "penalised here")],
        )


def _is_squared(op: Op) -> bool:
    two = op.args[1] if len(op.args) == 2 else None
    return (short(op.name) in ("**", "pow") and two == Scalar(2)) or short(op.name) == "square"


def _norm_behind(lineage: Lineage, squared: Op) -> Op | None:
    """The norm in `(norm - 1) ** 2`."""
    less = lineage.maker(squared.args[0])
    if less is None or short(less.name) not in ("-", "sub") or len(less.args) != 2:
        return None
    if less.args[1] not in (Scalar(1), Scalar(1.0)):
        return None
    norm = lineage.maker(less.args[0])
    return norm if norm is not None and short(norm.name) in ("norm", "vector_norm") else None


def _gradient(lineage: Lineage, given: Tensor) -> Tensor | None:
    """What `torch.autograd.grad` gave, if a tensor is that, or a view of it."""
    for _ in range(4):
        maker = lineage.maker(given)
        if maker is None or maker.failure is not None:
            return None
        if maker.name == "torch.autograd.grad":
            by_inputs = [one.id for one in tensors(maker.result)]  # by parameters there are several
            return given if by_inputs == [given.id] else None
        inner = maker.args[0] if maker.args else None
        if short(maker.name) not in ("view", "reshape", "flatten", "[]", "+") or not isinstance(
            inner, Tensor
        ):
            return None
        given = inner
    return None
