"""An index of another rank than what is gathered from, or scattered into."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.calls import append
from ..vocabulary.events import Log, Scalar, Tensor
from ..vocabulary.findings import Finding, Fix
from .asking.refusals import refusals
from .asking.tree import Tree
from .telling.found import fix

RULE = "gather-scatter-index-shape"
_PATTERNS = (
    re.compile(r"Index tensor must have the same number of dimensions as"),
    re.compile(r"Size does not match at dimension \d+ expected index"),
    re.compile(r"Expected index \[.*\] to be (smaller|no larger) than"),
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every gather or scatter that torch refuses for the shape of its index."""
    for refusal in refusals(log, tree, *_PATTERNS):
        tensors = [arg for arg in refusal.op.args if isinstance(arg, Tensor)]
        dim = next((a.value for a in refusal.op.args if isinstance(a, Scalar) and type(a.value) is int), None)
        fixes: tuple[Fix, ...] = ()
        if len(tensors) > 1 and dim is not None and len(tensors[1].shape) == len(tensors[0].shape) - 1:
            fixes = refusal.behind(tensors[1], f".unsqueeze({dim})", safety="safe")
            node = tree.at(refusal.op.span, ast.Call)
            if refusal.op.name.endswith("gather") and node is not None:
                fixes += tuple(
                    fix(
                        f"one of each row: add .unsqueeze({dim}), and .squeeze({dim})",
                        *one.edits,
                        append(tree.text, node, f".squeeze({dim})"),
                    )
                    for one in fixes
                )
            if 0 <= dim < len(tensors[1].shape) and isinstance(refusal.node_of(tensors[0]), ast.Name):
                rest = ", ".join(["-1"] * len(tensors[1].shape))
                name = refusal.name_of(tensors[0])
                whole = f".unsqueeze(-1).expand({rest}, {name}.size({len(tensors[1].shape)}))"
                fixes += refusal.behind(tensors[1], whole, f"all of the last dim: add {whole}")
        yield refusal.finding(RULE, fixes=fixes)
