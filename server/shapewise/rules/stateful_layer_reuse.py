"""One batch norm in two places: its running statistics are of a mixture."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..program.events import Entered, Event, exclusive
from ..program.values import roots
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import found

RULE = "stateful-layer-reuse"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every second use of the same batch norm in one forward."""
    seen: dict[tuple[int, int], Event] = {}
    for event in tree.course.calls("()"):
        run = next((id(one) for one in reversed(event.where) if isinstance(one, Entered)), None)
        for layer in roots(event.on):
            if run is None or not layer.by.startswith("torch.nn.BatchNorm"):
                continue
            before = seen.setdefault((run, id(layer)), event)
            if before.node is event.node or exclusive(before, event) or _leaves(before, event):
                continue
            yield found(
                RULE,
                tree,
                event.node,
                "this batch norm is used twice in one forward: its running statistics are of both inputs mixed, and "
                "in eval mode right for neither. Use one for each place.",
                related=[Related(tree.span(before.node), "the first use")],
            )
    yield from _in_one_sequence(tree)


def _leaves(before: Event, event: Event) -> bool:
    """Whether the way of the first use returns or raises before the second."""
    for one in before.branches_in(None):
        if isinstance(one.node, ast.If) and all(one is not other for other in event.where):
            way = one.node.body if one.arm == 0 else one.node.orelse
            if way and isinstance(way[-1], (ast.Return, ast.Raise, ast.Continue)):
                return True
    return False


def _in_one_sequence(tree: Tree) -> Iterator[Finding]:
    """Every `nn.Sequential` with the same batch norm twice."""
    for event in tree.course.calls("torch.nn.Sequential"):
        norms = [
            root for one in event.args for root in roots(one) if root.by.startswith("torch.nn.BatchNorm")
        ]
        again = next((one for at, one in enumerate(norms) if any(one is other for other in norms[:at])), None)
        if again is not None and again.node is not None:
            yield found(
                RULE,
                tree,
                event.node,
                "this batch norm stands in two places of one Sequential: its running statistics are of both inputs mixed, "
                "and in eval mode right for neither. Use one for each place.",
                related=[Related(tree.span(again.node), "the one layer")],
            )
