"""A model loaded and used, and nobody says in which mode."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import insert_after
from ..program.layers import has_layer, minds_mode
from ..program.modes import mode_calls, no_grad_around
from ..program.training import is_module
from ..program.values import same
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import fix, found, text_of

RULE = "load-without-mode"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every load_state_dict of a model that is then called under no_grad, with neither eval nor train in between."""
    course = tree.course
    modes = mode_calls(course)
    for event in course.calls(".load_state_dict"):
        model, node = event.on, event.node
        if model is None or not is_module(model) or has_layer(model, minds_mode) is False:
            continue
        if any(other.on is not None and same(other.on, model) for other, _ in modes) or course.escapes(model):
            continue
        built = event.function is not None and event.function.name == "__init__"
        if any(built or one.event.root == event.root for one in tree.training.backwards):
            continue
        used = [
            call
            for call in course.calls("()")
            if (call.root == event.root or built)
            and call.index > event.index
            and same(call.on, model)
            and no_grad_around(call)
        ]
        if not used:
            continue
        statement = course.places.statement(node)
        fixes = []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and statement is not None:
            name = text_of(tree, node.func.value)
            if name:
                fixes = [fix("eval mode", insert_after(tree.text, statement, f"{name}.eval()"))]
        yield found(
            RULE,
            tree,
            node,
            "a new model is in train mode, and loading weights does not change that: dropout drops, and batch norm uses "
            "the batch. Call eval() before using it.",
            *fixes,
        )
