"""A view or reshape to the same sizes in another order: the numbers stay where they were."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..fixes.statements import replace, source
from ..queries.lineage import short
from ..vocabulary.events import Log, Op, Sizes, Tensor
from ..vocabulary.findings import Finding, Fix
from .refusals import list_of
from .tree import Tree

RULE = "view-used-as-transpose"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every view of three dims or more whose sizes are those of the tensor, in another order."""
    for op in log.events:
        if not isinstance(op, Op) or op.failure is not None or short(op.name) not in ("view", "reshape"):
            continue
        given = op.args[0] if op.args else None
        made = op.result
        if not isinstance(given, Tensor) or not isinstance(made, Tensor):
            continue
        order = _order(given.shape, made.shape)
        if order is None:
            continue
        turned = f"permute({', '.join(map(str, order))})"
        yield Finding(
            RULE,
            op.span,
            "warning",
            f"{short(op.name)} from {list_of(given.shape)} to {list_of(made.shape)} swaps the sizes and not the dims: "
            f"the numbers are dealt out anew in the order of memory. To swap the dims: {turned}.",
            None,
            (),
            _fixes(op, tree, turned),
        )


def _order(given: Sizes, made: Sizes) -> tuple[int, ...] | None:
    """The permutation that would give these sizes, if it is the only one and moves a dim that is larger than one."""
    if len(given) < 3 or len(given) != len(made) or None in given or len(set(given)) != len(given):
        return None
    if sorted(given) != sorted(made) or [s for s in given if s != 1] == [s for s in made if s != 1]:  # type: ignore[type-var]
        return None
    return tuple(given.index(size) for size in made)


def _fixes(op: Op, tree: Tree, turned: str) -> tuple[Fix, ...]:
    call = tree.at(op.span, ast.Call)
    if call is None or not isinstance(call.func, ast.Attribute) or isinstance(call.func.value, ast.BinOp):
        return ()
    if op.args and len(call.args) not in (len(op.args) - 1, 1):
        return ()
    written = source(tree.text, call.func.value)
    if written == "torch":
        return ()
    return (Fix(f"use {turned}", "unsafe", (replace(tree.text, call, f"{written}.{turned}"),)),)
