"""An index that is not of integers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..program.dtypes import cast_to
from ..program.values import roots
from ..vocabulary.events import Log, Tensor
from ..vocabulary.findings import Finding
from .asking.refusals import refusals
from .asking.tree import Tree
from .telling.found import found

RULE = "index-dtype"
_PATTERNS = (
    re.compile(
        r"(gather|scatter|scatter_add|index_select|index_add|index_copy|take)\w*\(\): Expected dtype int"
    ),
    re.compile(r"Expected tensor for argument #1 'indices' to have one of the following scalar types"),
    re.compile(r"tensors used as indices must be long, int, byte or bool tensors"),
    re.compile(r"one_hot is only applicable to index tensor"),
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every lookup that torch refuses for the dtype of its index."""
    told: list[Finding] = []
    for refusal in refusals(log, tree, *_PATTERNS):
        wrong = [
            arg for arg in refusal.op.args if isinstance(arg, Tensor) and arg.dtype not in ("int64", "int32")
        ]
        index = wrong[-1] if wrong else None
        fixes = () if index is None else refusal.behind(index, ".long()", safety="safe")
        told.append(refusal.finding(RULE, fixes=fixes))
    yield from told
    for event in tree.course.calls("()"):
        dtype = cast_to(event.args[0]) if event.args else None
        if dtype not in _FLOATS:
            continue
        layers = [root for one in tree.course.alternatives(event) for root in roots(one.on)]
        if not layers or any(one.by != "torch.nn.Embedding" for one in layers):
            continue
        if all(one.span != tree.span(event.node) for one in told):
            error = "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int"
            yield found(
                RULE, tree, event.node, f"{error}; but the index was cast to {dtype}.", torch_error=error
            )


_FLOATS = ("float32", "float64", "float16", "bfloat16")
