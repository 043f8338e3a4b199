"""Classes that are not int64."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .refusals import refusals
from .tree import Tree

RULE = "ce-target-dtype"
_PATTERNS = (
    re.compile(r"expected target dtype to be Long"),
    re.compile(r"expected scalar type Long but found"),
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every cross entropy or nll_loss that torch refuses for the dtype of its target."""
    for refusal in refusals(log, tree, *_PATTERNS):
        target = refusal.operands[1] if len(refusal.operands) > 1 else None
        if target is not None:
            yield refusal.finding(RULE, fixes=refusal.behind(target, ".long()", safety="safe"))
