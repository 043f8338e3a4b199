"""Any call that torch refuses, in torch's own words: what no other rule knows the cause of."""

from __future__ import annotations

from collections.abc import Iterator

from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .refusals import is_torchs, refusals
from .tree import Tree

RULE = "torch-raises"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every call of torch's that fails and that nothing catches."""
    for refusal in refusals(log, tree):
        if is_torchs(refusal.op):
            yield refusal.finding(RULE)
