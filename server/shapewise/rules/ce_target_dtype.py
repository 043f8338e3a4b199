"""Classes that are not int64."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.refusals import refusals
from .asking.targets import cast_targets
from .asking.tree import Tree

RULE = "ce-target-dtype"
_PATTERNS = (
    re.compile(r"expected target dtype to be Long"),
    re.compile(r"expected scalar type Long but found"),
)
_SAID = {
    dtype: f"expected target dtype to be Long or Byte, but got {word}"
    for dtype, word in {"int32": "Int", "int16": "Short", "int8": "Char", "bool": "Bool"}.items()
}


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every cross entropy or nll_loss that torch refuses for the dtype of its target, or that is given one cast so."""
    told: list[Finding] = []
    for refusal in refusals(log, tree, *_PATTERNS):
        target = refusal.operands[1] if len(refusal.operands) > 1 else None
        if target is not None:
            told.append(refusal.finding(RULE, fixes=refusal.behind(target, ".long()", safety="safe")))
    yield from told
    yield from cast_targets(RULE, tree, told, ("cross_entropy", "nll_loss"), _SAID, ".long()")
