"""A learning rate that is changed before the optimizer's first step."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..program.events import Event, Loop, Within, common_loop
from ..program.training import is_scheduler
from ..program.values import roots, same
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.moving import moved
from .asking.tree import Tree
from .telling.found import found

RULE = "scheduler-before-optimizer"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every step of a scheduler that comes first in its round, under no condition that the optimizer's has not."""
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
        if any(step.index < event.index for step in steps) or not _also_around(event, steps[0], loop):
            continue
        if any(isinstance(one, Within) and one.value.by == "warnings.catch_warnings" for one in event.where):
            continue  # torch's own warning of it is silenced
        yield found(
            RULE,
            tree,
            event.node,
            "the scheduler steps before the optimizer: the first value of the schedule is skipped. Step the "
            "scheduler after the optimizer.",
            *moved(tree, "step the scheduler after the optimizer", event.node, steps[0].node, behind=True),
            related=[Related(tree.span(steps[0].node), "the optimizer's step")],
        )


def _also_around(event: Event, step: Event, loop: Loop | None) -> bool:
    """Whether every condition in the loop that an event is under is one of the step's too, in the same words."""
    others = [(ast.unparse(one.test), one.arm) for one in step.branches_in(loop) if one.test is not None]
    return all(
        one.test is not None and (ast.unparse(one.test), one.arm) in others for one in event.branches_in(loop)
    )
