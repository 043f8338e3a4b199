"""A scheduler that is made and never steps: the learning rate stays as it is."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..program.events import Entered, Event
from ..program.training import is_optimizer, is_scaler
from ..program.values import Value, roots, same
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import found

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
            severity="hint" if any(use.kind == "set" or _leaves_the_file(use) for use in uses) else None,
        )


def _leaves_the_file(use: Event) -> bool:
    """Whether it is returned to a caller that the file does not show."""
    entered = next((one for one in reversed(use.where) if isinstance(one, Entered)), None)
    return use.kind == "return" and (entered is None or entered.site is None)


def _is_of_torch(name: str) -> bool:
    return name.startswith(_PREFIX) and name[len(_PREFIX) :][:1].isupper()


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
