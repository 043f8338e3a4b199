"""The mean of batch means: the last, smaller batch weighs as much as the others."""

from __future__ import annotations

from collections.abc import Iterator

from ..program.events import Loop
from ..program.ops import is_loss
from ..program.values import Value, options_of, same, within
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import found

RULE = "mean-of-batch-means"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every sum of mean losses over a loader, divided by the length of the loader."""
    for event in tree.course.of_kind("op"):
        if event.name != "/" or len(event.args) != 2:
            continue
        total, count = event.args
        if count.by != "builtins.len" or not count.args:
            continue
        loop = _summed(tree, total)
        if (
            loop is None
            or loop.over is None
            or not any(same(one, count.args[0]) for one in within(loop.over, 3))
        ):
            continue
        loader = count.args[0].argument("drop_last", 8)
        if loader is not None and loader.const is not False:
            continue
        yield found(
            RULE,
            tree,
            event.node,
            "this is the mean of batch means: where the last batch is smaller, its items weigh more. Sum up "
            "loss * batch size and divide by the number of items.",
        )


def _summed(tree: Tree, total: Value) -> Loop | None:
    """The loop in which mean losses are added to it."""
    for option in options_of(total):
        if option.by == "+=" and len(option.args) == 2:
            added = option.args[1]
            inner = added.on if added.by in (".item", ".detach") else added
            if inner is not None and is_loss(inner):
                for event in tree.course.of_kind("augmented"):
                    if event.value is option and event.loops:
                        return event.loops[-1]
    return None
