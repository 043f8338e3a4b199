"""A GPU taken for granted."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..program.values import constant
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .found import found
from .tree import Tree

RULE = "hardcoded-cuda"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every .cuda() and .to("cuda") in a file that never asks whether there is a GPU."""
    if "is_available" in tree.text or "set_device" in tree.text or "LOCAL_RANK" in tree.text:
        return
    for event in tree.course.calls(".cuda", ".to"):
        if event.name == ".cuda" and event.args:
            continue
        written = event.name == ".cuda" or (
            isinstance(event.node, ast.Call)
            and bool(event.node.args)
            and isinstance(event.node.args[0], ast.Constant)
            and str(constant(event.args[0])).startswith("cuda")
        )
        if written:
            yield found(
                RULE,
                tree,
                event.node,
                "this runs only where there is a GPU of NVIDIA's. Put the device into a variable and use .to(device).",
            )
