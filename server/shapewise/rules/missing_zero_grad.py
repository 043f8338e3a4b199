"""Gradients that are never cleared: each step uses the sum of all batches so far."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..fixes.statements import insert_after, insert_before
from ..program.events import common_loop
from ..program.training import Backward, Step, made_in
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .found import fix, found, text_of
from .tree import Tree

RULE = "missing-zero-grad"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every loop with backward and step in which nothing clears the gradients."""
    training = tree.training
    if not tree.course.whole:
        return
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
