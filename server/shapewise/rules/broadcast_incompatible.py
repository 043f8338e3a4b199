"""Two shapes that do not broadcast: torch's own message, and the shapes aligned as broadcasting aligns them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.calls import append
from ..queries.broadcasts import back_broadcasts
from ..queries.lineage import ELEMENTWISE, short
from ..vocabulary.events import Log, Sizes, Tensor
from ..vocabulary.findings import Finding, Fix, Related
from .asking.refusals import Refusal, aligned, refusals
from .asking.tree import Tree
from .mending.widths import clash

RULE = "broadcast-incompatible"
_TORCH = (
    re.compile(
        r"The size of tensor a \([\d?]+\) must match the size of tensor b \([\d?]+\) at non-singleton dimension"
    ),
    re.compile(r"output with shape \[[\d, ]*\] doesn't match the broadcast shape"),
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every op that torch refuses because its operands do not broadcast."""
    told = {id(found.op) for found in back_broadcasts(log)}  # that rule knows the cause
    for refusal in refusals(log, tree, *_TORCH):
        if id(refusal.op) in told:
            continue
        tensors = [arg for arg in refusal.op.args if isinstance(arg, Tensor)]
        if len(tensors) < 2:
            tensors = list(refusal.operands)
        clashes = _clashes(refusal, tensors)
        marked = {dim - len(one.shape) for pair in clashes for one, dim in pair}
        shown = aligned(
            [one.shape for one in tensors], [refusal.name_of(one) for one in tensors], marked or None
        )
        fixes = [*_fixes(refusal, tree), *(clash(refusal, *clashes[0]) if len(clashes) == 1 else ())]
        yield refusal.finding(RULE, shown, _related(refusal, tensors), fixes)


def _related(refusal: Refusal, tensors: list[Tensor]) -> Iterator[Related]:
    """Where the two sizes that first disagree, from the right, come from."""
    for pair in _clashes(refusal, tensors)[:1]:
        for tensor, dim in pair:
            yield from refusal.born(tensor, dim)


def _clashes(refusal: Refusal, tensors: list[Tensor]) -> list[tuple[tuple[Tensor, int], tuple[Tensor, int]]]:
    """The pairs of dims that disagree, from the right. Of a product only those of the batch have to agree."""
    first, *others = tensors
    return [
        ((first, len(first.shape) - back), (other, len(other.shape) - back))
        for other in others
        for back, (one, another) in enumerate(zip(first.shape[::-1], other.shape[::-1]), start=1)
        if one != another and 1 not in (one, another) and None not in (one, another)
        if back > 2 or not _is_product(refusal)
    ]


def _is_product(refusal: Refusal) -> bool:
    return short(refusal.op.name) in ("@", "matmul", "bmm")


def _fixes(refusal: Refusal, tree: Tree) -> tuple[Fix, ...]:
    """The one change that makes it fit, if there is exactly one."""
    op, nodes = refusal.op, refusal.written
    if short(op.name) not in ELEMENTWISE | {"masked_fill"} or len(nodes) < 2:
        return ()
    left, right = op.args[:2]
    if not isinstance(left, Tensor) or not isinstance(right, Tensor):
        return ()
    fitting: dict[tuple[ast.expr, Sizes], str] = {}
    for operand, mine, other in ((nodes[0], left.shape, right.shape), (nodes[1], right.shape, left.shape)):
        for text, shape in _changed(mine, len(other)):
            if _fit(shape, other):
                fitting.setdefault((operand, shape), text)
    if len(fitting) != 1:
        return ()
    (operand, _), text = next(iter(fitting.items()))
    return (Fix(f"add {text}", "unsafe", (append(tree.text, operand, text),)),)


def _changed(shape: Sizes, rank: int) -> Iterator[tuple[str, Sizes]]:
    """What may be written behind an operand, and the shape it gives."""
    if len(shape) >= 2 and rank >= 2 and shape[-1] != shape[-2]:
        yield ".mT", (*shape[:-2], shape[-1], shape[-2])
    for count in range(1, rank - len(shape) + 1):
        many = ", ".join(["None"] * count)
        yield ".unsqueeze(-1)" if count == 1 else f"[..., {many}]", shape + (1,) * count
        if len(shape) > 1:
            text = ".unsqueeze(1)" if count == 1 else f"[:, {many}]"
            yield text, shape[:1] + (1,) * count + shape[1:]


def _fit(left: Sizes, right: Sizes) -> bool:
    """Whether two shapes surely broadcast to one of the two."""
    if None in left or None in right:
        return False
    rank = max(len(left), len(right))
    pairs = list(zip((1,) * (rank - len(left)) + left, (1,) * (rank - len(right)) + right))
    if any(a != b and 1 not in (a, b) for a, b in pairs):
        return False
    joint = tuple(b if a == 1 else a for a, b in pairs)
    return joint in (left, right)
