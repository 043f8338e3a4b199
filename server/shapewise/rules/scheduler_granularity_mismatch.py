"""A schedule counted in steps that moves once an epoch, or the other way round."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import insert_after, remove_statement, source
from ..program.events import Event, Loop
from ..program.values import Value, constant, roots, same, within
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "scheduler-granularity-mismatch"

_OF_TRANSFORMERS = tuple(
    f"transformers.get_{name}_schedule_with_warmup" for name in ("linear", "cosine", "polynomial_decay")
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every step of a scheduler whose horizon is said in the other unit."""
    for event in tree.course.calls(".step"):
        made = roots(event.on)
        if len(made) != 1 or not event.loops:
            continue
        unit = _unit(tree, made[0], event)
        stepped = _stepped(tree, event)
        if unit is None or stepped is None or unit == stepped:
            continue
        many = "as many steps as the epochs have" if unit == "epoch" else "all steps of all epochs"
        where = [Related(tree.span(made[0].node), "made here")] if made[0].node is not None else []
        yield found(
            RULE,
            tree,
            event.node,
            f"the schedule is made for one step per {unit}, and is stepped once per {stepped}: "
            + (
                "it is over after the first few batches."
                if unit == "epoch"
                else f"made for {many}, it hardly moves."
            ),
            *_fixes(tree, event, unit),
            related=where,
        )


def _fixes(tree: Tree, event: Event, unit: str) -> list[Fix]:
    """The step behind the optimizer's, or at the end of the loop around that of the batches."""
    places, statement = tree.course.places, tree.course.places.statement(event.node)
    if (
        not isinstance(statement, ast.Expr)
        or statement.value is not event.node
        or statement.lineno != statement.end_lineno
    ):
        return []
    inner = event.loops[-1]
    loops = [one for one in places.above(statement) if isinstance(one, ast.For | ast.While)]
    steps = [step.event.node for step in tree.training.steps if step.event.inside(inner)]
    anchor = places.statement(steps[0]) if len(steps) == 1 else None
    if anchor is None or places.function(anchor) is not places.function(statement) or not loops:
        return []
    if unit == "epoch":
        anchor = loops[1].body[-1] if len(loops) > 1 else None
    if anchor is None or len(places.block(statement)) == 1:
        return []
    edits = (
        remove_statement(tree.text, statement, alone=False),
        insert_after(tree.text, anchor, source(tree.text, statement)),
    )
    return [fix(f"step it once per {unit}", *edits)]


def _unit(tree: Tree, made: Value, event: Event) -> str | None:
    """What one step of the schedule stands for, where its horizon says so."""
    if made.by == "torch.optim.lr_scheduler.OneCycleLR":
        if (
            made.argument("steps_per_epoch", 4) is not None
            and constant(made.argument("steps_per_epoch", 4)) != 1
        ):
            return "batch"
        horizon = made.argument("total_steps", 2)
    elif made.by == "torch.optim.lr_scheduler.CosineAnnealingLR":
        horizon = made.argument("T_max", 1)
    elif made.by in _OF_TRANSFORMERS:
        horizon = made.argument("num_training_steps", 2)
    else:
        return None
    if horizon is None:
        return None
    if any(one.by == "builtins.len" for one in within(horizon, 6)):
        return "batch"
    outer = event.loops[0] if len(event.loops) > 1 else None
    if outer is not None and outer.over is not None and outer.over.by == "builtins.range":
        counts = outer.over.args
        if counts and (same(counts[-1], horizon) or _equal(counts[-1], horizon)) and len(counts) == 1:
            return "epoch"
    return None


def _equal(left: Value, right: Value) -> bool:
    return isinstance(left.const, int) and left.const == right.const


def _stepped(tree: Tree, event: Event) -> str | None:
    """How often it is stepped: once per batch or per epoch, where the loops show both."""
    inner = event.loops[-1]
    steps = [step.event for step in tree.training.steps if step.event.inside(inner)]
    if not steps:
        return None
    if any(step.loops[-1] is inner for step in steps):
        return (
            "batch"
            if not event.branches_in(inner) and len(event.loops) > 1 and not _runs_once(inner)
            else None
        )
    return "epoch" if not event.branches_in(inner) else None


def _runs_once(loop: Loop) -> bool:
    return loop.over is None
