"""More samples than there are categories, without replacement."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.calls import add_keyword
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix
from .asking.refusals import refusals
from .asking.tree import Tree

RULE = "multinomial-oversample"
_PATTERN = re.compile(r"cannot sample n_sample > prob_dist\.size\(-1\) samples without replacement")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every such draw."""
    for refusal in refusals(log, tree, _PATTERN):
        call = tree.at(refusal.op.span, ast.Call)
        fixes = []
        if call is not None:
            edit = add_keyword(tree.text, call, "replacement=True")
            fixes.append(Fix("add replacement=True", "unsafe", (edit,)))
        yield refusal.finding(RULE, fixes=fixes)
