"""Backward twice through one graph, which the first time has freed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..fixes.edits import add_keyword
from ..program.events import Event, exclusive
from ..program.ops import is_loss
from ..program.training import Backward
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .found import fix, found, refused_calls
from .tree import Tree

RULE = "double-backward"
_TORCH = "Trying to backward through the graph a second time"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """What torch refuses where the file runs; elsewhere a loss of torch's differentiated twice."""
    for node, failure in refused_calls(log, tree, _TORCH):
        first = _first(tree, node)
        yield found(
            RULE,
            tree,
            node,
            failure.message,
            *_fixes(tree, first),
            torch_error=failure.message,
            related=[Related(tree.span(first.node), "the first time")] if first is not None else (),
        )
    for second in tree.training.backwards:
        if not is_loss(second.loss):
            continue
        event = _before(tree, second)
        if event is not None:
            yield found(
                RULE,
                tree,
                second.event.node,
                f"{_TORCH}: the first backward has freed what the graph had saved.",
                *_fixes(tree, event),
                torch_error=f"{_TORCH} (or directly access saved tensors after they have already been freed).",
                related=[Related(tree.span(event.node), "the first time")],
            )


def _first(tree: Tree, node: ast.Call) -> Event | None:
    """The backward of the same loss before this one."""
    for second in tree.training.backwards:
        if second.event.node is node:
            for first in tree.training.backwards:
                if first.loss is second.loss and first.event.index < second.event.index:
                    return first.event
    return None


def _before(tree: Tree, second: Backward) -> Event | None:
    if second.scaler is not None or second.manager is not None:
        return None
    for first in tree.training.backwards:
        if first.event.index >= second.event.index or first.event.root != second.event.root:
            continue
        if first.loss is not second.loss or _kept(first.event) or exclusive(first.event, second.event):
            continue
        if first.event.branches_in(None) or first.manager is not None:
            continue
        if [id(a) for a in first.event.loops] == [id(b) for b in second.event.loops]:
            return first.event
    return None


def _kept(event: Event) -> bool:
    retain, create = event.argument("retain_graph", 1), event.argument("create_graph", 2)
    return any(one is not None and one.const is not False for one in (retain, create)) or "**" in event.kwargs


def _fixes(tree: Tree, first: Event | None) -> tuple[Fix, ...]:
    if first is None or not isinstance(first.node, ast.Call):
        return ()
    return (fix("keep the graph the first time", add_keyword(tree.text, first.node, "retain_graph=True")),)
