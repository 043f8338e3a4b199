"""Heads that do not divide the embedding."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.statements import replace
from ..queries.values import integer
from ..vocabulary.events import Log, Op
from ..vocabulary.findings import Finding, Fix
from .asking.refusals import refusals
from .asking.tree import Tree
from .telling.found import argument_node

RULE = "mha-embed-not-divisible"
_PATTERN = re.compile(r"embed_dim must be divisible by num_heads")
_NAMES = (("embed_dim", "d_model"), ("num_heads", "nhead"))


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every attention that is built so, with the nearest numbers of heads that divide."""
    for refusal in refusals(log, tree, _PATTERN):
        width, heads = (_number(refusal.op, names, at) for at, names in enumerate(_NAMES))
        call = tree.at(refusal.op.span, ast.Call)
        if not width or not heads:
            yield refusal.finding(RULE)
            continue
        near = sorted((n for n in range(1, width + 1) if width % n == 0), key=lambda n: (abs(n - heads), n))
        node = None
        if call is not None:
            node = next((found for name in _NAMES[1] if (found := argument_node(call, name, 1))), None)
        fixes = [
            Fix(f"{number} heads", "unsafe", (replace(tree.text, node, str(number)),))
            for number in near[:2]
            if node is not None
        ]
        shown = (
            [f"{width} is not a multiple of {heads}; {near[0]} and {near[1]} divide it."] if near[1:] else []
        )
        yield refusal.finding(RULE, shown, fixes=fixes)


def _number(op: Op, names: tuple[str, ...], position: int) -> int | None:
    return integer(op.argument(*names, at=position))
