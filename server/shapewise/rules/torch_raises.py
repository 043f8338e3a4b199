"""Any call that torch refuses, in torch's own words: what no other rule knows the cause of."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .refusals import is_torchs, refusals
from .tree import Tree

RULE = "torch-raises"
_HALF_BUILT = re.compile(r"object has no attribute '_(modules|parameters|buffers)'")
"""A module whose constructor failed, which is told there."""


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every call of torch's that fails and that nothing catches."""
    for refusal in refusals(log, tree):
        if is_torchs(refusal.op) and not _HALF_BUILT.search(refusal.message):
            yield refusal.finding(RULE)
