"""The best weights kept by reference: training goes on and changes them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..fixes.statements import replace, source
from ..program.events import Event
from ..program.values import Value
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .found import fix, found
from .tree import Tree

RULE = "best-state-aliased"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every state_dict kept in a training loop and used after it, without a copy."""
    course, training = tree.course, tree.training
    for event in (*course.of_kind("bind"), *course.of_kind("set")):
        state = event.args[0]
        if state.by != ".state_dict" or state.args or state.kwargs or not event.loops or state.on is None:
            continue
        step = next((s for s in training.steps if any(s.event.inside(loop) for loop in event.loops)), None)
        if step is None:
            continue
        loop = next(loop for loop in event.loops if step.event.inside(loop))
        later = event.kind == "set" or any(not use.inside(loop) for use in _uses(tree, state, event))
        node = state.node
        if not later or not isinstance(node, ast.Call):
            continue
        shown = source(tree.text, node)
        text = f"{{k: v.detach().clone() for k, v in {shown}.items()}}"
        yield found(
            RULE,
            tree,
            node,
            "state_dict() gives references to the parameters, not copies: the next step changes what is kept "
            "here, and what is restored in the end are the last weights, not the best.",
            fix("keep copies", replace(tree.text, node, text), safe=True),
            related=[Related(tree.span(step.event.node), "changes them")],
        )


def _uses(tree: Tree, state: Value, event: Event) -> list[Event]:
    return [
        use
        for use in tree.course.events
        if use.index > event.index
        and use.kind in ("call", "return")
        and any(state is one or state in one.options for one in use.inputs())
    ]
