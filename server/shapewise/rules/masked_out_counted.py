"""A mean over what a mask keeps, divided by how many it leaves out."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..queries.lineage import Lineage, lineage_of, short
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Scalar, Tensor, Value
from ..vocabulary.findings import Finding, Fix, Related
from .asking.masks import FLIPPED
from .asking.tree import Tree
from .telling.found import fix, found_at

RULE = "masked-out-counted"
UNCALLED = True
_SAME = frozenset(
    "bool to type float half double int long unsqueeze view reshape expand expand_as clone detach contiguous cuda cpu [] squeeze".split()
)
_KEPT_ABOVE_0 = frozenset("clamp clamp_min maximum max + add unsqueeze float to view squeeze []".split())
_FAR = 10


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each sum of what a mask keeps, over the count of the other side of the same mask."""
    lineage = lineage_of(log)
    for op in ops_of(log, ("/", "div")):
        above, below = (*op.args, None, None)[:2]
        summed = _sum_of(lineage, above, frozenset())
        counted = _sum_of(lineage, below, _KEPT_ABOVE_0)
        masked = lineage.maker(summed.args[0]) if summed is not None else None
        if counted is None or masked is None:
            continue
        if len(_dims(summed)) != 1 or len(_dims(counted)) != 1:
            continue  # of all together, what is left out may be what all is measured by: hard negatives by positives
        side = _side(lineage, counted.args[0])
        for mask, kept in _masks(lineage, masked):
            if side is not None and side[0] == mask and side[1] != kept:
                yield found_at(
                    RULE,
                    op.span,
                    "the sum is of what the mask keeps, and it is divided by how many the mask leaves out. Divide by how many it keeps.",
                    *_fixes(tree, counted),
                    related=[Related(masked.span, "left out here"), Related(counted.span, "counted here")],
                )
                break


def _dims(op: Op | None) -> tuple[Value, ...]:
    """The dims that a sum was told, as they were."""
    if op is None:
        return ()
    told = op.argument("dim", at=1)
    return () if told is None else tuple(getattr(told, "items", (told,)))


def _sum_of(lineage: Lineage, value: Value | None, through: frozenset[str]) -> Op | None:
    """The sum that a value is, beside what only keeps it above 0."""
    for _ in range(_FAR):
        op = lineage.maker(value) if value is not None else None
        if op is None or not op.args:
            return None
        if short(op.name) == "sum" and isinstance(op.args[0], Tensor):
            return op
        if short(op.name) not in through or sum(isinstance(one, Tensor) for one in op.args) != 1:
            return None
        value = next(one for one in op.args if isinstance(one, Tensor))
    return None


def _masks(lineage: Lineage, op: Op) -> Iterator[tuple[int, bool]]:
    """The masks by which an op sets to 0, each with whether what it is True for is kept."""
    name = short(op.name)
    if (
        name in ("masked_fill", "masked_fill_")
        and len(op.args) == 3
        and op.args[2] in (Scalar(0), Scalar(0.0))
    ):
        side = _side(lineage, op.args[1])
        if side is not None:
            yield side[0], not side[1]
    if name in ("*", "mul"):
        for one in op.args[:2]:
            side = _side(lineage, one)
            if side is not None:
                yield side


def _side(lineage: Lineage, value: Value) -> tuple[int, bool] | None:
    """The first mask of booleans that a value was made of, and whether it is True where the mask is."""
    same, mask = True, None
    for _ in range(_FAR):
        if isinstance(value, Tensor) and value.dtype == "bool":
            mask = (value.id, same)
        op = lineage.maker(value)
        name = short(op.name) if op is not None else ""
        if op is not None and op.args and name in FLIPPED:
            same, value = not same, op.args[0]
        elif op is not None and name in ("-", "rsub") and op.args[0] in (Scalar(1), Scalar(1.0)):
            same, value = not same, op.args[1]
        elif op is not None and op.args and name in _SAME:
            value = op.args[0]
        else:
            break
    return mask


def _fixes(tree: Tree, counted: Op) -> list[Fix]:
    """The count of the other side: `(~mask).sum()`."""
    node = tree.at(counted.span, ast.Call)
    mask = counted.args[0]
    if node is None or not isinstance(node.func, ast.Attribute) or not isinstance(mask, Tensor):
        return []
    given = node.func.value
    if mask.dtype != "bool" or not isinstance(given, ast.Name | ast.Attribute):
        return []
    return [fix("count the others", replace(tree.text, given, f"(~{source(tree.text, given)})"))]
