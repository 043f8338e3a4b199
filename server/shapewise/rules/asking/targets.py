"""Targets of losses whose dtype the text itself says, where no run reaches the loss."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...edits.calls import append
from ...program.dtypes import cast_to
from ...program.ops import losses
from ...vocabulary.findings import Finding
from ..telling.found import argument_node, fix, found
from .loaders import item_behind
from .tree import Tree


def cast_targets(
    rule: str, tree: Tree, told: list[Finding], names: tuple[str, ...], dtypes: dict[str, str], right: str
) -> Iterator[Finding]:
    """Every loss of these names whose target was surely cast to one of some dtypes, by what torch says of each.

    `right`: the cast that cures it. `told`: what was found already, and is not said again.
    """
    for loss in losses(tree.course):
        behind = item_behind(tree.course, loss.target) if loss.target is not None else None
        node, dtype = loss.event.node, cast_to(behind or loss.target)
        if loss.name not in names or dtype not in dtypes or not isinstance(node, ast.Call):
            continue
        if any(one.span == tree.span(node) for one in told):
            continue
        target = argument_node(node, "target", 1)
        fixes = [fix(f"add {right}", append(tree.text, target, right), safe=True)] if target else []
        error = dtypes[dtype]
        yield found(rule, tree, node, f"{error}: the target was cast to {dtype}.", *fixes, torch_error=error)
