"""A discriminator and a generator whose losses push the scores of what is generated the same way."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from ..program.adversaries import Push, Pushes
from ..program.training import Backward, Step, Training, owned
from ..program.values import Value, flows_into, same
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.gradients import gradients_are_changed
from .asking.tree import Tree
from .telling.found import found

RULE = "adversaries-agree"
_TURNED = re.compile(r"maximize|register_\w*hook|Function\)|revers", re.IGNORECASE)
"""Words of a file in which a step may go up, or a gradient may be turned on its way."""


class _Side(NamedTuple):
    """A step, the networks that it changes, and the losses that went backward for it, with where they push scores."""

    step: Step
    trained: list[Value]
    pushes: list[tuple[Push, Backward]]


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each step of what one network makes that gets the same from the other, whose scores both losses take, as that one's own step."""
    training = tree.training
    if len(training.steps) < 2 or len(training.backwards) < 2:
        return
    if _TURNED.search(tree.text) or gradients_are_changed(tree):
        return
    sides = _sides(training, Pushes(tree.course))
    told: set[ast.AST] = set()
    for maker in sides:
        for made, back in maker.pushes:
            judge = _judge(maker, made, sides)
            finding = None if judge is None else _agreed(tree, judge, maker, made, back)
            if finding is not None and finding[0] not in told:
                told.add(finding[0])
                yield finding[1]


def _sides(training: Training, pushes: Pushes) -> list[_Side]:
    """Every step that is seen, with all backwards since the step before it."""
    sides: list[_Side] = []
    for step in training.steps:
        trained, event = owned(step.optimizer), step.event
        before = [one.event.index for one in training.steps if one.event.root == event.root]
        since = max((index for index in before if index < event.index), default=-1)
        backs = [
            back
            for back in training.backwards
            if back.event.root == event.root and since < back.event.index < event.index
        ]
        if trained and not event.passed_over and not any(_is_given_a_gradient(back) for back in backs):
            sides.append(
                _Side(step, trained, [(one, back) for back in backs for one in pushes.of(back.loss)])
            )
    return sides


def _is_given_a_gradient(back: Backward) -> bool:
    """Whether a backward starts from another gradient than 1: with -1 the loss is made large."""
    return back.manager is None and back.event.argument("gradient", 0) not in (None, back.loss)


def _judge(maker: _Side, made: Push, sides: list[_Side]) -> _Side | None:
    """The step of the network that scores what is made: the nearest one, before rather than after."""
    mine = maker.step.event
    if _has(maker.trained, made.network) or not _is_made(made, maker.trained):
        return None
    near = [
        one
        for one in sides
        if one.step.event.root == mine.root and _has(one.trained, made.network) and one.pushes
    ]
    return min(
        near,
        key=lambda one: (one.step.event.index > mine.index, abs(one.step.event.index - mine.index)),
        default=None,
    )


def _agreed(
    tree: Tree, judge: _Side, maker: _Side, made: Push, back: Backward
) -> tuple[ast.AST, Finding] | None:
    if sum(same(one.network, made.network) for one, _ in maker.pushes) != 1:
        return None
    ways: dict[bool, set[int]] = {True: set(), False: set()}
    theirs = [(one, behind) for one, behind in judge.pushes if same(one.network, made.network)]
    for one, _ in theirs:
        ways[_is_made(one, maker.trained)].add(one.way)
    if ways != {True: {made.way}, False: {-made.way}}:
        return None
    other = next(behind for one, behind in theirs if one.way == made.way)
    wrong, right = (other, back) if made.way > 0 else (back, other)
    node = _written(tree, wrong)
    way = "up" if made.way > 0 else "down"
    why = (
        "the loss of the one that judges has its signs, or its targets, turned"
        if wrong is other
        else "the loss of the one that generates takes the sign, or the target, of the one that judges"
    )
    return node, found(
        RULE,
        tree,
        node,
        f"both losses push the scores of what is generated {way}, so that the two networks work together and not against each "
        f"other: {why}.",
        related=[Related(tree.span(_written(tree, right)), "the other loss")],
    )


def _written(tree: Tree, back: Backward) -> ast.AST:
    """Where the function that goes backward has its loss from."""
    node, places = back.loss.node, tree.course.places
    here = places.function(back.event.node)
    bound = [one for one in tree.course.of_kind("bind") if one.args and one.args[0] is back.loss]
    for one in (node, *(getattr(places.statement(bind.node), "value", None) for bind in bound)):
        if isinstance(one, ast.expr) and places.function(one) is here:
            return one
    return back.event.node


def _has(trained: list[Value], network: Value) -> bool:
    return any(same(one, network) for one in trained)


def _is_made(push: Push, makers: list[Value]) -> bool:
    """Whether what is scored comes from one of these networks."""
    return any(
        one.by == "()" and any(same(one.on, maker) for maker in makers)
        for arg in push.call.args
        for one in flows_into(arg)
    )
