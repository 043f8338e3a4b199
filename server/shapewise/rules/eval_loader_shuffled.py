"""Evaluation data shuffled, or some of them left out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.calls import remove_keyword
from ..program.events import Event
from ..program.values import constant
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.loaders import evaluates, loaders, trains
from .asking.tree import Tree
from .telling.found import argument_node, fix, found, said_at

RULE = "eval-loader-shuffled"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every loader that is only evaluated on, with shuffle or drop_last."""
    for loader in loaders(tree.course):
        made = loader.event.node
        if not isinstance(made, ast.Call):
            continue
        shuffle = loader.given("shuffle", 2)
        shuffled = constant(shuffle) is True
        dropped = constant(loader.given("drop_last", 8)) is True
        if not (shuffled or dropped) or not evaluates(loader, tree.course, tree.training):
            continue
        name = "shuffle" if shuffled else "drop_last"
        fixes = []
        node = said_at(tree, loader.event, shuffle if shuffled else loader.given("drop_last", 8))
        assert isinstance(node, ast.Call)
        shared = isinstance(argument_node(made, name), ast.Constant) and any(
            one.event.node is made and trains(one, tree.training) for one in loaders(tree.course)
        )
        if shared and not (shuffled and _is_told_the_phase(loader.event)):
            continue  # it is said where the loader of the training is made too
        if not shared and any(keyword.arg == name for keyword in node.keywords):
            fixes = [fix(f"leave {name} out", remove_keyword(tree.text, node, name), safe=True)]
        yield found(
            RULE,
            tree,
            node,
            "evaluation needs no shuffling, and without it results can be compared item by item."
            if shuffled
            else "drop_last leaves the last items out of the evaluation.",
            *fixes,
        )


def _is_told_the_phase(event: Event) -> bool:
    """Whether the function that makes a loader is told for what, so that it might shuffle for the training only."""
    function = event.function
    if function is None or isinstance(function.node, ast.Lambda):
        return False
    given = function.node.args
    return any(_PHASE.search(one.arg) for one in (*given.posonlyargs, *given.args, *given.kwonlyargs))


_PHASE = re.compile(r"^(is_?)?(train|training|test|eval|val|split|phase|mode|subset|stage)$", re.IGNORECASE)
