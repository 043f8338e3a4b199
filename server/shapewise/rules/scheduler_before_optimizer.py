"""A learning rate that is changed before the optimizer's first step."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..fixes.statements import insert_after, remove_statement, source
from ..program.events import common_loop
from ..program.training import is_scheduler
from ..program.values import roots, same
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .found import fix, found
from .tree import Tree

RULE = "scheduler-before-optimizer"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every unconditional step of a scheduler that comes first in its round."""
    for event in tree.course.calls(".step"):
        if event.on is None or not is_scheduler(event.on) or not event.loops:
            continue
        of = [one for root in roots(event.on) if (one := root.argument("optimizer", 0)) is not None]
        steps = [
            step.event
            for step in tree.training.steps
            if common_loop(step.event, event) is not None
            and (not of or any(same(step.optimizer, one) for one in of))
        ]
        if not steps:
            continue
        loop = common_loop(steps[0], event)
        steps = [step for step in steps if loop is not None and step.inside(loop)]
        if event.branches_in(loop) or any(step.index < event.index for step in steps):
            continue
        yield found(
            RULE,
            tree,
            event.node,
            "the scheduler steps before the optimizer: the first value of the schedule is skipped. Step the "
            "scheduler after the optimizer.",
            *_fixes(tree, event.node, steps[0].node),
            related=[Related(tree.span(steps[0].node), "the optimizer's step")],
        )


def _fixes(tree: Tree, early: ast.AST | None, step: ast.AST | None) -> list[Fix]:
    """Where both are statements of one block, that of the scheduler moves behind that of the optimizer."""
    if early is None or step is None:
        return []
    places = tree.course.places
    moved, last = places.statement(early), places.statement(step)
    if not isinstance(moved, ast.Expr) or not isinstance(last, ast.Expr) or moved.value is not early:
        return []
    if last not in places.block(moved) or moved.lineno != moved.end_lineno:
        return []
    text = source(tree.text, moved)
    edits = remove_statement(tree.text, moved, alone=False), insert_after(tree.text, last, text)
    return [fix("step the scheduler after the optimizer", *edits)]
