"""`torch.bmm` of what is no batch of matrices."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.calls import replace_attribute
from ..program.ranks import ranks_in
from ..vocabulary.events import Log, Op
from ..vocabulary.findings import Finding, Fix
from .asking.refusals import refusals
from .asking.tree import Tree
from .telling.found import found

RULE = "bmm-requires-3d"
_PATTERN = re.compile(r"batch[12] must be a 3D tensor")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every call of bmm with another rank, also where no run comes and the text says the rank."""
    for refusal in refusals(log, tree, _PATTERN):
        yield refusal.finding(RULE, fixes=_fixes(refusal.tree, refusal.tree.at(refusal.op.span, ast.Call)))
    ran = {op.span for op in log.events if isinstance(op, Op)}
    for event in tree.course.calls("torch.bmm", ".bmm"):
        call = event.node
        if tree.span(call) in ran or not isinstance(call, ast.Call) or any(arg.spread for arg in event.args):
            continue
        operands = [one for one in (event.on, *event.args) if one is not None][:2]
        given = [ranks_in(tree.course).of(one).exact for one in operands]
        if any(rank not in (None, 3) for rank in given):
            said = " and ".join("a tensor" if rank is None else f"{rank} dims" for rank in given)
            yield found(
                RULE,
                tree,
                call,
                f"bmm takes two batches of matrices, three dims each, and is given {said}.",
                *_fixes(tree, call),
            )


def _fixes(tree: Tree, call: ast.Call | None) -> tuple[Fix, ...]:
    if call is None or not isinstance(call.func, ast.Attribute) or call.func.attr != "bmm":
        return ()
    return (Fix("use matmul", "safe", (replace_attribute(tree.text, call.func, "matmul"),)),)
