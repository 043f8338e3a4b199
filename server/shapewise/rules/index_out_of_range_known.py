"""An index, a token or a class beyond the end, where its value is known."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .refusals import Refusal, refusals
from .tree import Tree

RULE = "index-out-of-range-known"
_PATTERNS = (
    re.compile(r"index out of range in self"),
    re.compile(r"Target -?\d+ is out of bounds"),
    re.compile(r"index -?\d+ is out of bounds for dimension \d+ with size \d+"),
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every such lookup."""
    for refusal in refusals(log, tree, *_PATTERNS):
        yield refusal.finding(RULE, related=_related(refusal))


def _related(refusal: Refusal) -> Iterator[Related]:
    built = refusal.lineage.builder(refusal.failure.layer)
    if built is not None and refusal.here(built):
        yield Related(built.span, "the layer that is looked up")
    elif refusal.operands:
        yield from refusal.born(refusal.operands[0], 0)
