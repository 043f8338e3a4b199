"""Integers where torch computes with floats only."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.refusals import refusals
from .asking.tree import Tree

RULE = "int-tensor-needs-float"
_PATTERNS = (
    re.compile(r"\w+\(\): could not infer output dtype"),
    re.compile(r"\w+\(\): input dtype should be either floating point or complex"),
    re.compile(r"(std|var|norm|linalg)[\w.]*(\(\))?:? .*(floating|complex)"),
    re.compile(r"\"\w+\" not implemented for '(Long|Int|Short|Char|Byte|Bool)'"),
    re.compile(r"Only Tensors of floating point and complex dtype can require gradients"),
    re.compile(r"multinomial only supports floating-point dtypes for input"),
    re.compile(r"quantile\(\) input tensor must be either float or double dtype"),
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every call that torch refuses because it was given integers."""
    for refusal in refusals(log, tree, *_PATTERNS):
        whole = [
            one
            for one in refusal.operands
            if one.dtype is not None and not one.dtype.startswith(("float", "bfloat", "complex"))
        ]
        fixes = refusal.behind(whole[0], ".float()", safety="safe") if whole else ()
        yield refusal.finding(RULE, fixes=fixes)
