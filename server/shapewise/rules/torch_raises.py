"""Any call that torch refuses, in torch's own words: what no other rule knows the cause of."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..fixes.edits import append
from ..vocabulary.events import Group, Log, Tensor
from ..vocabulary.findings import Finding, Fix
from .refusals import Refusal, is_torchs, refusals
from .tree import Tree

RULE = "torch-raises"
_HALF_BUILT = re.compile(r"object has no attribute '_(modules|parameters|buffers)'")
"""A module whose constructor failed, which is told there."""


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every call of torch's that fails and that nothing catches."""
    for refusal in refusals(log, tree):
        if is_torchs(refusal.op) and not _HALF_BUILT.search(refusal.message):
            yield refusal.finding(RULE, fixes=_first_of_several(refusal))


_SEVERAL = re.compile(r"must be Tensor, not tuple|'(tuple|torch\.return_types\.\w+)' object has no attribute")


def _first_of_several(refusal: Refusal) -> Iterator[Fix]:
    """The tensor of the several things that a layer gives: `out, state = lstm(x)`, of which the first was meant."""
    if not _SEVERAL.search(refusal.message):
        return
    attribute = refusal.tree.at(refusal.op.span, ast.Attribute)
    written = (
        (attribute.value,) if refusal.op.name == "attribute" and attribute is not None else refusal.written
    )
    for arg, node in zip(refusal.op.args, written):
        if isinstance(arg, Group) and arg.kind != "list" and arg.items and isinstance(arg.items[0], Tensor):
            yield Fix("take the first of the several", "unsafe", (append(refusal.tree.text, node, "[0]"),))
            return
