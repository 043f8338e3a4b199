""".T of a tensor with more than two dims: it turns all of them round, the batch dim too."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import replace_attribute
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Tensor
from ..vocabulary.findings import Finding
from .asking.refusals import list_of
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "transpose-T-on-nd"
UNCALLED = True


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every such read."""
    for op in ops_of(log):
        if op.name != "T":
            continue
        given, made = op.args[0], op.result
        node = tree.at(op.span, ast.Attribute)
        if (
            not isinstance(given, Tensor)
            or not isinstance(made, Tensor)
            or len(given.shape) < 3
            or node is None
        ):
            continue
        yield found(
            RULE,
            tree,
            node,
            f".T turns all dims round: {list_of(given.shape)} becomes {list_of(made.shape)}, and torch will refuse "
            "it some day. .mT swaps the last two.",
            fix("use .mT", replace_attribute(tree.text, node, "mT")),
        )
