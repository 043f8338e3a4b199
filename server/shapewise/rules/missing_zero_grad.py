"""Gradients that are never cleared: each step uses the sum of all batches so far."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import insert_after, insert_before
from ..program.events import common_loop
from ..program.training import Backward, Step, made_in
from ..program.values import EITHER, Value, constant, options_of, same, within
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import fix, found, text_of

RULE = "missing-zero-grad"
_ANEW = (".detach_", ".requires_grad_", "torch.autograd.grad")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every loop with backward and step in which nothing clears the gradients."""
    training = tree.training
    if not tree.course.whole:
        return
    yield from _by_hand(tree)
    for step in training.steps:
        before = [
            back
            for back in training.backwards
            if back.event.root == step.event.root
            and back.event.index < step.event.index
            and common_loop(back.event, step.event) is not None
        ]
        if not before:
            continue
        back = before[-1]
        loop = common_loop(back.event, step.event)
        if loop is None or training.zeroed_in(loop, step) or made_in(tree.course, step.optimizer, loop):
            continue
        name = text_of(tree, _optimizer_node(step)) or "the optimizer"
        yield found(
            RULE,
            tree,
            back.event.node,
            f"backward adds to the gradients, and nothing in this loop clears them: each step of {name} "
            f"uses the gradients of all rounds so far. Call {name}.zero_grad() once a step.",
            *_fixes(tree, back, step),
            related=[Related(tree.span(step.event.node), "the step that uses them")],
        )


def _by_hand(tree: Tree) -> Iterator[Finding]:
    """A tensor that is made before a loop and moved along its own `grad` in it, which nothing clears."""
    course, training = tree.course, tree.training
    for event in (*course.of_kind("augmented"), *course.calls(".sub_", ".add_")):
        cls = event.function.cls if event.function is not None else None
        if cls is not None and any(base.startswith("torch.optim.") for base in cls.foreign()):
            continue  # an optimizer: who calls it clears them
        given = [
            one for arg in event.inputs() for one in within(arg, 4) if one.by == "." and one.name == "grad"
        ]
        moved = (
            event.on.on
            if event.on is not None and event.on.by == "." and event.on.name == "data"
            else event.on
        )
        if moved is None or not any(one.on is not None and same(one.on, moved) for one in given):
            continue
        backs = [
            back for back in training.backwards if back.event.root == event.root and back.manager is None
        ]
        backs = [back for back in backs if back.event.index < event.index]
        loop = common_loop(backs[-1].event, event) if backs else None
        if loop is None or any(cleared.inside(loop) for cleared, _ in training.zeroings):
            continue
        inside = course.in_loop(loop)
        if any(one.value is moved or one.name in _ANEW for one in inside if one.kind == "call"):
            continue
        if moved.by not in ("for", "item"):
            anew = moved.by != EITHER and any(one.kind == "bind" and one.name == moved.name for one in inside)
            if anew or not all(_is_leaf(one) for one in options_of(moved)):
                continue
        yield found(
            RULE,
            tree,
            backs[-1].event.node,
            "backward adds to the gradients, and nothing in this loop clears them: each update uses the gradients of all "
            "rounds so far. Set grad to None after the update.",
            related=[Related(tree.span(event.node), "the update that uses them")],
        )
        return


def _is_leaf(value: Value) -> bool:
    """Whether it was made to be trained: a Parameter, a tensor with requires_grad."""
    return (
        value.by == "torch.nn.Parameter"
        or (value.by.startswith("torch.") and constant(value.argument("requires_grad")) is True)
        or value.by == ".requires_grad_"
    )


def _optimizer_node(step: Step) -> ast.expr | None:
    node = step.event.node
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    return node.args[0] if step.scaler is not None and node.args else node.func.value


def _fixes(tree: Tree, back: Backward, step: Step) -> tuple[Fix, ...]:
    name = text_of(tree, _optimizer_node(step))
    places = tree.course.places
    first, last = places.statement(back.event.node), places.statement(step.event.node)
    if not name or first is None or last is None or back.event.function is not step.event.function:
        return ()
    if step.event.branches_in(common_loop(back.event, step.event)):
        edit = insert_after(tree.text, last, f"{name}.zero_grad()")
        return (fix(f"clear the gradients after the step: {name}.zero_grad()", edit),)
    edit = insert_before(tree.text, first, f"{name}.zero_grad()")
    return (fix(f"clear the gradients before backward: {name}.zero_grad()", edit),)
