"""A checkpoint to go on from, without the optimizer's state."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..edits.text import text_map
from ..program.training import is_optimizer
from ..program.values import Value
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix
from .asking.statements import is_known_at
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "incomplete-checkpoint"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every saved dict with an epoch or step and a model, and no optimizer, in a file that trains."""
    if not tree.training.steps:
        return
    for event in tree.course.calls("torch.save"):
        given = event.argument("obj", 0)
        if given is None or given.by != "dict" or any(item.spread for item in given.args):
            continue
        keys = [key.lower() for key in given.keys if isinstance(key, str)]
        counts = any(key in ("epoch", "step", "iteration", "global_step") for key in keys)
        models = [one for one in given.args if one.by == ".state_dict" and not is_optimizer(one.on)]
        if (
            not counts
            or not models
            or any("opt" in key for key in keys)
            or any(_is_state(one) for one in given.args)
        ):
            continue
        yield found(
            RULE,
            tree,
            event.node,
            "an epoch is saved to go on from, but not the optimizer's state: Adam's moments and momentum start from "
            "nothing, and the loss jumps. Save optimizer.state_dict() as well, and the scheduler's.",
            *_fixes(tree, given.node),
        )


def _fixes(tree: Tree, saved: ast.AST | None) -> list[Fix]:
    """The optimizer's state behind the last entry, where its name is known there."""
    step = tree.training.steps[0].event.node
    if (
        not isinstance(step, ast.Call)
        or not isinstance(step.func, ast.Attribute)
        or not isinstance(saved, ast.Dict)
    ):
        return []
    name = step.func.value
    places = tree.course.places
    if not saved.keys or not is_known_at(places, name, step, saved) or _is_made_later(tree, name, saved):
        return []
    last = saved.values[-1]
    rows = text_map(tree.text)
    lead = rows.line(last.lineno)[: len(rows.indent(last.lineno))] if saved.lineno != last.lineno else ""
    between = f",\n{lead}" if lead else ", "
    entry = f'{between}"optimizer": {source(tree.text, name)}.state_dict()'
    return [fix("save the optimizer's state", replace(tree.text, last, source(tree.text, last) + entry))]


def _is_made_later(tree: Tree, name: ast.expr, saved: ast.Dict) -> bool:
    """Whether the scope binds a name below the place where it would be read, and not above it."""
    places = tree.course.places
    lines = [
        one.node.lineno
        for one in tree.course.of_kind("bind")
        if isinstance(name, ast.Name) and isinstance(one.node, ast.Name) and one.name == name.id
        if places.function(one.node) is places.function(saved)
    ]
    return bool(lines) and min(lines) > saved.lineno


def _is_state(value: Value) -> bool:
    return value.by == ".state_dict" and is_optimizer(value.on)
