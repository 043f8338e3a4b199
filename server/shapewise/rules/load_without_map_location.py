"""A checkpoint loaded onto the device that it was saved from."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import add_keyword
from ..program.events import exclusive
from ..program.values import open_ended
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "load-without-map-location"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every torch.load that is not told where to, and is not what is chosen where there is nowhere to load it to."""
    loads = tree.course.calls("torch.load")
    for event in loads:
        node = event.node
        if not isinstance(node, ast.Call) or event.value is None or open_ended(event.value):
            continue
        if event.argument("map_location", 1) is not None:
            continue
        if any(exclusive(one, event) and one.argument("map_location", 1) is not None for one in loads):
            continue
        yield found(
            RULE,
            tree,
            node,
            "tensors go back to the device that they were saved from: from a GPU this raises where there is none, and where "
            "there are several, all processes load onto the same one.",
            fix('map_location="cpu"', add_keyword(tree.text, node, 'map_location="cpu"'), safe=True),
        )
