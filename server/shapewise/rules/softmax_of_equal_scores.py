"""Softmax along a dim in which all scores are the same number."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..queries.lineage import REDUCTIONS, Lineage, lineage_of, short
from ..queries.ops import ops_of
from ..queries.origins import origin
from ..vocabulary.events import Group, Log, Op, Scalar, Tensor
from ..vocabulary.findings import Finding, Related
from .asking.along import another_dim, dim_of
from .asking.refusals import list_of
from .asking.tree import Tree
from .asking.weights import SCORES, SOFTMAX, is_product
from .telling.found import found_at

RULE = "softmax-of-equal-scores"
UNCALLED = True
_SOFTMAX = frozenset("softmax log_softmax".split())
_SPREAD = frozenset("where masked_fill".split())
"""Ops of a mask and of scores: the mask may be larger than they are."""


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every softmax of masked scores that have size 1 in its dim, where only the mask is larger; and of one score."""
    lineage = lineage_of(log)
    yield from _over_a_dim_of_one(log, lineage)
    for op in ops_of(log, _SOFTMAX):
        if not op.args:
            continue
        scores, spread = op.args[0], lineage.maker(op.args[0])
        dim = op.argument("dim", at=1)
        if not isinstance(scores, Tensor) or not isinstance(dim, Scalar) or type(dim.value) is not int:
            continue
        rows = _whole_rows(lineage, op, scores, dim.value % len(scores.shape)) if scores.shape else None
        if rows is not None:
            yield rows
        single = _single(lineage, op, scores, dim.value, tree)
        if single is not None:
            yield single
        if spread is None or short(spread.name) not in _SPREAD:
            continue
        at = dim.value % len(scores.shape) - len(scores.shape)
        given = [arg for arg in spread.args if isinstance(arg, Tensor) and arg.dtype != "bool"]
        if scores.shape[at] in (None, 1) or not given or any(_size(one, at) != 1 for one in given):
            continue
        compared = max(given, key=lambda one: one.requires_grad is True)
        if lineage.maker(compared) is None or not _is_computed(lineage, compared):
            continue
        yield found_at(
            RULE,
            op.span,
            f"softmax over dim {at} of {list_of(scores.shape)}, and the scores {list_of(compared.shape)} are the same all "
            "along it: what the mask leaves gets equal weights, whatever the scores are. A transpose was meant, perhaps.",
            related=[Related(spread.span, "spread here by the mask"), *_made(lineage, compared)],
        )


def _over_a_dim_of_one(log: Log, lineage: Lineage) -> Iterator[Finding]:
    """Each softmax over a dim of size one that its own function gave the scores, whatever it is called with.

    Not over one that a query or a key was given: there may be more of those another time.
    """
    found: dict[object, Finding | None] = {}
    for op in ops_of(log, SOFTMAX):
        scores = next((arg for arg in op.args if isinstance(arg, Tensor)), None)
        dim = None if scores is None else dim_of(lineage, op, len(scores.shape))
        if scores is None or dim is None:
            continue
        made = origin(lineage, scores, dim) if scores.shape[dim] == 1 else None
        scored = {id(maker) for _, maker in lineage.behind(scores)}
        if made is None or made.op.frame != op.frame or not _adds_one(made.op) or id(made.op) not in scored:
            found[op.span] = None  # in this run it is larger, or only happens not to be
        elif op.span not in found and any(size != 1 for size in scores.shape):
            found[op.span] = found_at(
                RULE,
                op.span,
                f"softmax over dim {dim} of {list_of(scores.shape)}, which has size 1: all weights are one, whatever the scores "
                "are.",
                related=[Related(made.op.span, f"dim {made.dim} of size 1 is made here")],
            )
    yield from (finding for finding in found.values() if finding is not None)


def _adds_one(op: Op) -> bool:
    """Whether an op makes a dim of size one: `unsqueeze`, `x[:, None]`, a reduction that keeps what it reduced."""
    if short(op.name) == "[]":
        index = op.argument(at=1)
        items = index.items if isinstance(index, Group) else (index,)
        return any(isinstance(item, Scalar) and item.value is None for item in items)
    return short(op.name) == "unsqueeze" or short(op.name) in REDUCTIONS


def _whole_rows(lineage: Lineage, op: Op, scores: Tensor, dim: int) -> Finding | None:
    """Scores of each with each of which a mask fills whole rows along the softmax, and nothing within one.

    Not where another mask leaves out what is in a row: queries and keys are both masked then.
    """
    fills: list[Op] = []
    given, rank = scores, len(scores.shape)
    for _ in range(6):
        maker = lineage.maker(given)
        inner = (
            None
            if maker is None
            else next(
                (
                    arg
                    for arg in maker.args
                    if isinstance(arg, Tensor) and arg.shape == scores.shape and arg.dtype != "bool"
                ),
                None,
            )
        )
        if maker is None or inner is None:
            break
        if short(maker.name) in ("masked_fill", "masked_fill_"):
            fills.append(maker)
        elif short(maker.name) not in SCORES:
            break
        given = inner
    mask = fills[0].args[1] if len(fills) == 1 and len(fills[0].args) > 2 else None
    if not isinstance(mask, Tensor) or len(mask.shape) < 2 or rank < 3 or dim != rank - 1:
        return None
    if mask.shape[-1] != 1 or mask.shape[-2] in (None, 1) or mask.shape[-2] != scores.shape[-2]:
        return None
    if scores.shape[-1] in (None, 1) or not is_product(lineage, op):
        return None
    return found_at(
        RULE,
        fills[0].span,
        f"the mask {list_of(mask.shape)} has one value for all of dim -1 of {list_of(scores.shape)}, over which the softmax goes: "
        "what it fills is a whole row, whose weights all become equal, and it hides nothing from the others. A mask of what "
        "is attended to has size 1 in dim -2.",
        related=[Related(op.span, "softmax over dim -1")],
    )


def _single(lineage: Lineage, op: Op, scores: Tensor, dim: int, tree: Tree) -> Finding | None:
    """A softmax over the one score for each item that a layer gives, `nn.Linear(16, 1)`: all weights are one."""
    rank, layer = len(scores.shape), lineage.maker(scores)
    if rank < 3 or dim % rank != rank - 1 or scores.shape[-1] != 1 or layer is None:
        return None
    called = layer
    if layer.name == "nn.Sequential()":
        built = lineage.builder(layer.args[0])
        last = built.args[-1] if built is not None and built.args else None
        layer_built = None if last is None else lineage.builder(last)
    else:
        layer_built = lineage.builder(layer.args[0]) if layer.name == "nn.Linear()" else None
    call = None if layer_built is None else tree.at(layer_built.span, ast.Call)
    width = None if call is None or len(call.args) < 2 else call.args[1]
    if (
        not isinstance(width, ast.Constant)
        or width.value != 1
        or all(size == 1 for size in scores.shape[:-1])
    ):
        return None
    return found_at(
        RULE,
        op.span,
        f"softmax over dim -1 of {list_of(scores.shape)}: there is one score for each item, and its weight is one, whatever "
        "it is. Take it over the dim of the items.",
        *(another_dim(tree, op, 1) if rank == 3 else ()),
        related=[Related(called.span, "one score for each")],
    )


def _size(tensor: Tensor, dim: int) -> object:
    return tensor.shape[dim] if -dim <= len(tensor.shape) else 1


def _made(lineage: Lineage, scores: Tensor) -> Iterator[Related]:
    """Where two tensors were put together to scores."""
    for _ in range(_ANCESTORS):
        maker = lineage.maker(scores)
        given = [arg for arg in maker.args if isinstance(arg, Tensor)] if maker is not None else []
        if maker is None or not given:
            return
        if len(given) > 1:
            yield Related(maker.span, f"scores of {list_of(scores.shape)}")
            return
        scores = given[0]


def _is_computed(lineage: Lineage, tensor: Tensor) -> bool:
    """Whether scores come from a product of something, and are not made equal on purpose."""
    waiting, seen = [tensor], 0
    while waiting and seen < _ANCESTORS:
        maker = lineage.maker(waiting.pop(0))
        seen += 1
        if maker is not None:
            if short(maker.name) in ("@", "matmul", "mm", "bmm", "Linear()"):
                return True
            waiting += [arg for arg in maker.args if isinstance(arg, Tensor)]
    return False


_ANCESTORS = 12
