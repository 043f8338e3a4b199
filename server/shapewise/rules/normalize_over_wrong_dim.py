"""Cosines of vectors that were made one long along another dim than the product sums over."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..fixes.statements import replace
from ..queries.lineage import Lineage, lineage_of, short
from ..queries.origins import before
from ..vocabulary.events import Log, Op, Scalar, Tensor
from ..vocabulary.findings import Finding, Fix, Related
from .found import argument_node
from .refusals import list_of
from .tree import Tree

RULE = "normalize-over-wrong-dim"
_PRODUCTS = frozenset("@ matmul mm bmm".split())
_KEEPS = frozenset("to float half bfloat16 contiguous clone detach dropout".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each product of two tensors that were both normalised, one of them along a dim that is not summed."""
    lineage = lineage_of(log)
    told: set[object] = set()
    for op in log.events:
        if not isinstance(op, Op) or op.failure is not None or len(op.args) < 2:
            continue
        one, other = op.args[:2]
        if (
            not isinstance(one, Tensor)
            or not isinstance(other, Tensor)
            or min(len(one.shape), len(other.shape)) < 2
        ):
            continue
        if short(op.name) not in (*_PRODUCTS, "linear"):
            continue
        summed = len(other.shape) - (1 if short(op.name) == "linear" else 2)
        ways = [
            _normalised(lineage, one, len(one.shape) - 1),
            _normalised(lineage, other, summed),
        ]
        for way in ways:
            if way is None or None in ways or way[1] == way[2] or way[0].span in told:
                continue
            normalize, along, dim = way
            told.add(normalize.span)
            assert isinstance(normalize.result, Tensor)
            yield Finding(
                RULE,
                normalize.span,
                "warning",
                f"normalised along dim {along} of {list_of(normalize.result.shape)}, and the product sums over dim {dim}: "
                f"what comes out is no cosine. Normalise along dim {dim - len(normalize.result.shape)}.",
                None,
                (Related(op.span, "summed here"),),
                _fixes(normalize, dim, tree),
            )


def _normalised(lineage: Lineage, tensor: Tensor, dim: int) -> tuple[Op, int, int] | None:
    """The `normalize` that a tensor comes from, its dim, and this one as it was there (both from 0)."""
    for _ in range(8):
        op = lineage.maker(tensor)
        if op is None or op.failure is not None:
            return None
        if short(op.name) == "normalize":
            given = dict(op.kwargs).get("dim", op.args[2] if len(op.args) > 2 else Scalar(1))
            if not isinstance(given, Scalar) or type(given.value) is not int or 1 in tensor.shape:
                return None
            return op, given.value % len(tensor.shape), dim
        inner = next((arg for arg in op.args if isinstance(arg, Tensor)), None)
        if inner is None or (short(op.name) not in _KEEPS and len(inner.shape) != len(tensor.shape)):
            return None
        found = before(op, tensor, dim)
        if found is None or found[0].id != inner.id:
            return None
        tensor, dim = found
    return None


def _fixes(normalize: Op, dim: int, tree: Tree) -> tuple[Fix, ...]:
    call = tree.at(normalize.span, ast.Call)
    node = None if call is None else argument_node(call, "dim", 2)
    if node is None or not isinstance(normalize.result, Tensor):
        return ()
    right = str(dim - len(normalize.result.shape))
    return (Fix(f"along dim {right}", "unsafe", (replace(tree.text, node, right),)),)
