"""Binary targets that are integers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..queries.lineage import short
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.refusals import refusals
from .asking.targets import cast_targets
from .asking.tree import Tree

RULE = "bce-target-int"
_PATTERNS = (
    re.compile(r"result type \w+ can't be cast to the desired output type"),
    re.compile(r"Found dtype \w+ but expected"),
)
_LOSSES = frozenset(
    "binary_cross_entropy binary_cross_entropy_with_logits BCELoss() BCEWithLogitsLoss()".split()
)
_NAMES = ("binary_cross_entropy", "binary_cross_entropy_with_logits")
_SAID = {
    dtype: f"result type Float can't be cast to the desired output type {word}"
    for dtype, word in {"int64": "Long", "int32": "Int", "int16": "Short", "bool": "Bool"}.items()
}


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every binary cross entropy that torch refuses for the dtype of its target, or that is given one cast so."""
    told: list[Finding] = []
    for refusal in refusals(log, tree, *_PATTERNS):
        target = refusal.operands[1] if len(refusal.operands) > 1 else None
        if target is not None and short(refusal.op.name) in _LOSSES:
            told.append(refusal.finding(RULE, fixes=refusal.behind(target, ".float()", safety="safe")))
    yield from told
    yield from cast_targets(RULE, tree, told, _NAMES, _SAID, ".float()")
