"""What is set on the data set behind one part of a split, which is the data set behind all of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..program.values import Value
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import found

RULE = "split-shares-dataset"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each `part.dataset.transform = ...` of a part of a `random_split`, of which another part is used too."""
    course = tree.course
    for event in course.of_kind("set"):
        shared = event.on
        if shared is None or shared.by != "." or shared.name != "dataset" or shared.on is None:
            continue
        part, node = shared.on, event.node
        split = part.on if part.by == "item" else None
        if split is None or split.by != "torch.utils.data.random_split" or _is_replaced(tree, part):
            continue
        others = {
            id(one.args[0])
            for one in course.of_kind("bind")
            if one.args and one.args[0].by == "item" and one.args[0].on is split and one.args[0] is not part
        }
        again = any(
            one is not event
            and one.kind == "set"
            and one.name == event.name
            and one.on is not None
            and one.on.by == "."
            and one.on.name == "dataset"
            for one in course.of_kind("set")
        )
        if not others or again:
            continue
        yield found(
            RULE,
            tree,
            node,
            f"the parts of a split have one data set behind them: {event.name} is set for all of them, and not for this one alone. Split "
            "two data sets, made with a transform each, at the same places.",
            related=[Related(tree.span(split.node), "split here")]
            if isinstance(split.node, ast.expr)
            else (),
        )


def _is_replaced(tree: Tree, part: Value) -> bool:
    """Whether a part is given a data set of its own."""
    return any(one.name == "dataset" and one.on is part for one in tree.course.of_kind("set"))
