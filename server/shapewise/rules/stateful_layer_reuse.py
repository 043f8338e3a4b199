"""One batch norm in two places: its running statistics are of a mixture."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..program.events import Entered, Event, Loop, exclusive
from ..program.values import INSTANCE, options_of, roots
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
    yield from _in_each_of_several(tree)


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


def _in_each_of_several(tree: Tree) -> Iterator[Finding]:
    """Every batch norm that was made before a loop each round of which gives it to a new module of the file."""
    told: set[ast.AST] = set()
    for event in tree.course.of_kind("call"):
        cls = event.value.cls if event.value is not None and event.value.by == INSTANCE else None
        loop = next((one for one in reversed(event.where) if isinstance(one, Loop)), None)
        if cls is None or not cls.is_module or loop is None or event.node in told or "deepcopy" in tree.text:
            continue
        for norm in (one for arg in event.args for one in options_of(arg)):
            if (
                not norm.by.startswith("torch.nn.BatchNorm")
                or norm.node is None
                or _is_within(tree, norm.node, loop)
            ):
                continue
            told.add(event.node)
            yield found(
                RULE,
                tree,
                event.node,
                "each round gives the same batch norm to another module: its running statistics are of all their inputs mixed, and in "
                "eval mode right for none. Make one for each.",
                related=[Related(tree.span(norm.node), "the one layer")],
            )


def _is_within(tree: Tree, node: ast.AST, loop: Loop) -> bool:
    return any(one is loop.node for one in tree.course.places.above(node))
