"""A divergence that is divided by the number of classes, too."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import add_keyword
from ..edits.statements import replace
from ..program.values import constant
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import fix, found, keyword_of

RULE = "kl-div-mean"
_DIVERGENCES = ("torch.nn.functional.kl_div", "torch.nn.KLDivLoss")
_OLD = ("size_average", "reduce")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each `kl_div` and `KLDivLoss` whose mean is over all numbers, not over the samples."""
    told: set[ast.AST] = set()
    for event in tree.course.calls(*_DIVERGENCES):
        call = event.node
        if not isinstance(call, ast.Call) or call in told or any(name in event.kwargs for name in _OLD):
            continue
        if any(keyword.arg is None for keyword in call.keywords) or len(event.args) > 2:
            continue
        given, written = event.kwargs.get("reduction"), keyword_of(call, "reduction")
        if given is not None and constant(given) != "mean":
            continue
        told.add(call)
        edit = (
            add_keyword(tree.text, call, 'reduction="batchmean"')
            if written is None
            else replace(tree.text, written.value, '"batchmean"')
        )
        yield found(
            RULE,
            tree,
            call,
            "this is the mean over samples and classes: the divergence of a sample is a sum over its classes, and this is that divided by "
            'how many there are. reduction="batchmean" divides by the samples alone.',
            fix('reduction="batchmean"', edit),
        )
