"""A scheduler that is made and never steps: the learning rate stays as it is."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import insert_after, source
from ..program.events import Entered, Event
from ..program.names import last_name
from ..program.training import is_optimizer, is_scaler
from ..program.values import Value, roots, same
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix
from .asking.statements import is_known_at
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "scheduler-never-stepped"
_PREFIX = "torch.optim.lr_scheduler."


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every scheduler of torch's or transformers' that nothing steps and nobody else is given, where an optimizer steps."""
    course = tree.course
    if not course.whole or not tree.training.steps:
        return
    for event in course.of_kind("call"):
        if not (_is_of_torch(event.name) or event.name.startswith("transformers.get_")):
            continue
        made = course.made_at(event)
        if made is None:
            continue
        uses = course.uses(made)
        if any(
            use.name in (".step", ".append", ".extend") or use.name.startswith(_PREFIX)
            for use in uses
            if use.node is not event.node
        ):
            continue
        if course.escapes(made) or any(use.kind == "yield" for use in uses):
            continue
        if any(_may_be(step.on, made) for step in course.calls(".step") if step.on is not None):
            continue
        if _step_is_given(tree, made):
            continue
        optimizer = event.argument("optimizer", 0)
        steps = [step for step in tree.training.steps if same(step.optimizer, optimizer)]
        if not any(step.event.loops for step in steps):
            continue  # whoever repeats them may step the scheduler too: `trainer.scheduler.step()`
        if _in_display(tree, event.node):
            continue
        yield found(
            RULE,
            tree,
            event.node,
            f"{made.name or 'this scheduler'} is never stepped: the learning rate stays where it is.",
            *_fixes(tree, event, [step.event for step in steps]),
            severity="hint" if any(use.kind == "set" or _leaves_the_file(use) for use in uses) else None,
        )


_BY_STEP = ("OneCycleLR", "CyclicLR")
"""Schedulers that are always told of each step of the optimizer; `transformers` has none but such."""


def _fixes(tree: Tree, made: Event, steps: list[Event]) -> list[Fix]:
    """A step of it behind the optimizer's, or at the end of the loop over epochs around that, where its name is known there."""
    places, name = tree.course.places, made.name.rsplit(".", 1)[-1]
    statement = places.statement(made.node)
    if not isinstance(statement, ast.Assign) or statement.value is not made.node or len(steps) != 1:
        return []
    if len(statement.targets) != 1 or name == "ReduceLROnPlateau":
        return []
    target, step = statement.targets[0], places.statement(steps[0].node)
    if step is None or not is_known_at(places, target, made.node, step):
        return []
    call = f"{source(tree.text, target)}.step()"
    loops = [one for one in places.above(step) if isinstance(one, ast.For | ast.While)]
    if name in _BY_STEP or name.startswith("get_") or len(loops) == 1:
        return [fix(f"{call} behind the optimizer's", insert_after(tree.text, step, call))]
    if len(loops) != 2:
        return []
    return [fix(f"{call} after each epoch", insert_after(tree.text, loops[1].body[-1], call))]


def _leaves_the_file(use: Event) -> bool:
    """Whether it is returned to a caller that the file does not show."""
    entered = next((one for one in reversed(use.where) if isinstance(one, Entered)), None)
    return use.kind == "return" and (entered is None or entered.site is None)


def _is_of_torch(name: str) -> bool:
    return name.startswith(_PREFIX) and name[len(_PREFIX) :][:1].isupper()


def _step_is_given(tree: Tree, made: Value) -> bool:
    """Whether its method is handed on, to be called elsewhere: `train(loader, on_step=scheduler.step)`."""
    parent = tree.course.places.parent
    name = made.name.rsplit(".", 1)[-1]
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == "step"
        and last_name(node.value) == name
        and not (isinstance(call := parent(node), ast.Call) and call.func is node)
        for node in tree.course.nodes(ast.Attribute)
    )


def _may_be(stepped: Value, made: Value) -> bool:
    """Whether what is stepped may be this scheduler under a name that was not followed."""
    if is_optimizer(stepped) or is_scaler(stepped):
        return False
    return any(not root.by.startswith("torch.") for root in roots(stepped)) or same(stepped, made)


def _in_display(tree: Tree, node: ast.AST) -> bool:
    """Whether it is made inside a list, a dict or a call, so that another name holds it."""
    parent = tree.course.places.parent(node)
    if isinstance(parent, ast.Tuple) and isinstance(tree.course.places.parent(parent), ast.Return):
        return False  # each caller unpacks it
    return not isinstance(parent, (ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.Return))
