"""Backward, step and clearing of gradients in an order in which the step gets nothing."""

from __future__ import annotations

from collections.abc import Iterator

from ..program.events import Event, common_loop
from ..program.training import Step, Training, is_optimizer, owned
from ..program.values import Value, same
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.moving import moved
from .asking.rounds import every_few
from .asking.tree import Tree
from .telling.found import found

RULE = "training-step-order"


def _is_accelerated(tree: Tree) -> bool:
    """Whether it is Accelerate that differentiates: the rest of the step is as ever."""
    managers = [back.manager for back in tree.training.backwards if back.manager is not None]
    return bool(managers) and all(one.by == "accelerate.Accelerator" for one in managers)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Gradients cleared between backward and step; steps before the first backward of a round."""
    training = tree.training
    if training.managed and not _is_accelerated(tree):
        return
    yield from _cleared_each_time(tree)
    for step in training.steps:
        back, cleared = _cleared_before(training, step)
        if back is not None and cleared is not None:
            yield found(
                RULE,
                tree,
                cleared.node,
                "the gradients are cleared after backward and before the step, so that the step has none to "
                "use. Clear them before backward or after the step.",
                *(
                    moved(tree, "clear after the step", cleared.node, step.event.node, behind=True)
                    or moved(tree, "clear before backward", cleared.node, back.node, behind=False)
                ),
                related=[Related(tree.span(step.event.node), "the step")],
            )
        elif (late := _steps_first(training, step)) is not None:
            yield found(
                RULE,
                tree,
                step.event.node,
                "the step comes before backward: it uses the gradients of the round before, or none at all.",
                *moved(tree, "step after backward", step.event.node, late.node, behind=True),
                related=[Related(tree.span(late.node), "the gradients are computed here")],
            )


def _cleared_each_time(tree: Tree) -> Iterator[Finding]:
    """Gradients that are cleared in each round of a loop in which backward comes each time too, and the step every few rounds."""
    training = tree.training
    for step in training.steps:
        for event, target in training.zeroings:
            loop = common_loop(event, step.event)
            if loop is None or event.root != step.event.root or event.branches_in(loop):
                continue
            around = [
                one for one in step.event.branches_in(loop) if one.arm == 0 and every_few(tree, one.test)
            ]
            if not around or target is None or not _is_of(target, step.optimizer):
                continue
            backs = [back.event for back in training.backwards if back.event.inside(loop)]
            each = [back for back in backs if not back.branches_in(loop) and back.loops[-1:] == [loop]]
            others = [one for one in training.steps if one.event.inside(loop) and one is not step]
            if len(backs) == len(each) == 1 and not others and event.loops[-1:] == [loop]:
                yield found(
                    RULE,
                    tree,
                    event.node,
                    "the gradients are cleared in each round, and the step comes every few rounds: it uses the gradients of "
                    "one batch only. Clear them after the step.",
                    *moved(
                        tree, "clear after the step", event.node, step.event.node, behind=True, deeper=True
                    ),
                    related=[Related(tree.span(step.event.node), "the step")],
                )


def _cleared_before(training: Training, step: Step) -> tuple[Event | None, Event | None]:
    """The backward of a step, and what clears its gradients between the two."""
    last = [
        back.event
        for back in training.backwards
        if back.event.index < step.event.index and _comes_before(back.event, step.event)
    ]
    if not last:
        return None, None
    back = last[-1]
    if any(
        back.index < other.event.index < step.event.index and same(other.optimizer, step.optimizer)
        for other in training.steps
    ):
        return None, None
    for event, target in training.zeroings:
        if back.index < event.index < step.event.index and _straight(event, step.event):
            if target is not None and _is_of(target, step.optimizer):
                return back, event
    return None, None


def _is_of(target: Value, optimizer: Value) -> bool:
    if is_optimizer(target):
        return same(target, optimizer)
    return any(same(target, model) for model in owned(optimizer) or ())


def _steps_first(training: Training, step: Step) -> Event | None:
    if len({id(one.optimizer) for one in training.steps if one.event.root == step.event.root}) > 1:
        return None
    for back in training.backwards:
        if back.event.index < step.event.index and back.event.root == step.event.root:
            loop = common_loop(back.event, step.event)
            if loop is not None or not step.event.loops:
                return None
    after = [
        back.event
        for back in training.backwards
        if back.event.index > step.event.index and _straight(back.event, step.event) and step.event.loops
    ]
    if not after or step.event.args:  # a closure
        return None
    if any(one.name == "grad" and one.root == step.event.root for one in training.course.of_kind("set")):
        return None  # the gradients are put there by hand
    return after[0]


def _comes_before(back: Event, step: Event) -> bool:
    """Whether a backward surely happened in the round of a step, which may come every few rounds."""
    arms = {(id(one.fork), one.arm) for one in step.branches_in(None)}
    return (
        back.root == step.root
        and [id(loop) for loop in back.loops] == [id(loop) for loop in step.loops]
        and all((id(one.fork), one.arm) in arms for one in back.branches_in(None))
    )


def _straight(left: Event, right: Event) -> bool:
    """Whether both surely happen, one after the other, in each round of the same loop."""
    return (
        left.root == right.root
        and [id(loop) for loop in left.loops] == [id(loop) for loop in right.loops]
        and {id(b.fork) for b in left.branches_in(None)} == {id(b.fork) for b in right.branches_in(None)}
        and {(id(b.fork), b.arm) for b in left.branches_in(None)}
        == {(id(b.fork), b.arm) for b in right.branches_in(None)}
    )
