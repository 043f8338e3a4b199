"""Logits of a sequence with their classes in the last dim, where a cross entropy takes dim 1."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .refusals import list_of, refusals
from .tree import Tree

RULE = "ce-sequence-layout"
_PATTERN = re.compile(r"Expected target size \[")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every such loss that torch refuses. Where the sequence is as long as there are classes it would not."""
    for refusal in refusals(log, tree, _PATTERN):
        if len(refusal.operands) < 2:
            continue
        logits, target = refusal.operands[:2]
        if logits.shape[:-1] == target.shape:
            shown = [
                f"Of {list_of(logits.shape)} dim 1 is taken for the classes; target {list_of(target.shape)} "
                "says that they are in the last."
            ]
            fixes = refusal.behind(logits, ".transpose(1, -1)")
            yield refusal.finding(RULE, shown, refusal.born(logits, len(logits.shape) - 1), fixes)
