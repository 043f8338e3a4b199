"""A write into a tensor that was expanded: one element in memory is seen as many."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.calls import append
from ..queries.lineage import Lineage, lineage_of, short
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Tensor
from ..vocabulary.findings import Finding, Fix, Related
from .asking.refusals import refusals
from .asking.tree import Tree
from .telling.found import found_at

RULE = "write-to-expanded-view"
UNCALLED = True
_PATTERN = re.compile(r"unsupported operation: more than one element of the written-to tensor")
_EXPANDS = frozenset(("expand", "expand_as", "broadcast_to"))


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """What torch refuses, and a part of it that is set, which it does not."""
    lineage = lineage_of(log)
    for refusal in refusals(log, tree, _PATTERN):
        written = next((arg for arg in refusal.op.args if isinstance(arg, Tensor)), None)
        expanded = None if written is None else _expanded(written, lineage)
        related = [Related(expanded.span, "expanded here")] if refusal.here(expanded) and expanded else []
        yield refusal.finding(RULE, related=related, fixes=_fixes(expanded, tree))
    for op in ops_of(log):
        if op.args and _writes(op):
            target = op.args[0]
            if not isinstance(target, Tensor):
                continue
            part = lineage.maker(target) if op.name != "[]=" else None
            if part is not None and part.name == "[]" and part.args and isinstance(part.args[0], Tensor):
                target = part.args[0]
            if not _overlaps(target):
                continue
            expanded = _expanded(target, lineage)
            if expanded is None or log.frames[expanded.frame].file != log.file:
                continue
            yield found_at(
                RULE,
                op.span,
                f"One element in memory stands for many here (shape {list(target.shape)}, stride "
                f"{target.stride}): what is set in one place is set in all of them.",
                *_fixes(expanded, tree),
                related=[Related(expanded.span, "expanded here")],
                severity="warning",
            )


def _writes(op: Op) -> bool:
    """Whether it writes into its first operand: `x[i] = y`, `x[i].fill_(0)`."""
    name = short(op.name)
    return op.name == "[]=" or (name.endswith("_") and not name.endswith("__") and name != "requires_grad_")


def _overlaps(tensor: Tensor) -> bool:
    return tensor.stride is not None and any(
        step == 0 and isinstance(size, int) and size > 1 for size, step in zip(tensor.shape, tensor.stride)
    )


def _expanded(tensor: Tensor, lineage: Lineage) -> Op | None:
    """The op that expanded the memory of this tensor."""
    seen: set[int] = set()
    while tensor.id not in seen:
        seen.add(tensor.id)
        op = lineage.maker(tensor)
        if op is None or short(op.name) in _EXPANDS:
            return op
        source = next(
            (arg for arg in op.args if isinstance(arg, Tensor) and arg.storage == tensor.storage), None
        )
        if source is None:
            return None
        tensor = source
    return None


def _fixes(expanded: Op | None, tree: Tree) -> tuple[Fix, ...]:
    call = None if expanded is None else tree.at(expanded.span, ast.Call)
    if call is None:
        return ()
    return (Fix("clone what was expanded", "safe", (append(tree.text, call, ".clone()"),)),)
