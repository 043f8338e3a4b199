"""Classes with a dim too many: `(N, 1)` where a cross entropy takes `(N,)`, `(N, 1, H, W)` where it takes `(N, H, W)`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.refusals import refusals
from .asking.tree import Tree

RULE = "ce-target-extra-dim"
_PATTERNS = (
    re.compile(r"0D or 1D target tensor expected, multi-target not supported"),
    re.compile(r"only batches of spatial targets supported"),
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every cross entropy or nll_loss that torch refuses for the rank of its target."""
    for refusal in refusals(log, tree, *_PATTERNS):
        target = refusal.operands[1] if len(refusal.operands) > 1 else None
        if target is None:
            continue
        logits = refusal.operands[0]
        squeezed = (
            len(target.shape) == len(logits.shape) and len(target.shape) in (2, 4) and target.shape[1] == 1
        )
        fixes = refusal.behind(target, ".squeeze(1)", safety="safe") if squeezed else ()
        if not squeezed and target.shape == logits.shape:  # a column for each class, in integers
            fixes = refusal.behind(target, ".argmax(1)")
        yield refusal.finding(RULE, fixes=fixes)
