"""`torch.bmm` of what is no batch of matrices."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..fixes.edits import replace_attribute
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix
from .refusals import Refusal, refusals
from .tree import Tree

RULE = "bmm-requires-3d"
_PATTERN = re.compile(r"batch[12] must be a 3D tensor")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every call of bmm with another rank."""
    for refusal in refusals(log, tree, _PATTERN):
        yield refusal.finding(RULE, fixes=_fixes(refusal))


def _fixes(refusal: Refusal) -> tuple[Fix, ...]:
    call = refusal.tree.at(refusal.op.span, ast.Call)
    if call is None or not isinstance(call.func, ast.Attribute) or call.func.attr != "bmm":
        return ()
    return (Fix("use matmul", "safe", (replace_attribute(refusal.tree.text, call.func, "matmul"),)),)
