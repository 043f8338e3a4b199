"""A GradScaler used by half: scale, step and update belong together."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.statements import insert_after, replace
from ..program.course import Course
from ..program.events import Event, common_loop, exclusive, only_with
from ..program.training import Step, is_scaler, surely_different
from ..program.values import Value, constant, roots, same
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import fix, found, text_of

RULE = "scaler-protocol"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """A plain step after a scaled backward, a step without update, a backward that is not scaled."""
    told: set[ast.AST] = set()
    yield from _plain_steps(tree, told)
    is_scaled = any(back.scaler is not None for back in tree.training.backwards)
    for step in tree.training.steps:
        if step.scaler is None or step.event.node in told:
            continue
        if not _updated(tree, step.scaler, step) and not tree.course.is_foreign(step.scaler):
            told.add(step.event.node)
            yield _without_update(tree, step)
        elif not is_scaled:
            yield from _unscaled(tree, step, step.scaler, told)


def _plain_steps(tree: Tree, told: set[ast.AST]) -> Iterator[Finding]:
    """Each optimizer that steps by itself after a scaled backward."""
    training, course = tree.training, tree.course
    for back in training.backwards:
        if back.scaler is None or _is_off(back.scaler):
            continue
        steps = [step for step in training.steps if _together(step.event, back.event)]
        plain = [step for step in steps if step.scaler is None and step.event.index > back.event.index]
        if not plain or plain[0].event.node in told or not _is_left_out(tree, plain[0], steps):
            continue
        step = plain[0]
        unscaled = course.calls(".unscale_")
        if exclusive(step.event, back.event) or (unscaled and not _skips_nothing(tree, step, unscaled)):
            continue
        told.add(step.event.node)
        yield found(
            RULE,
            tree,
            step.event.node,
            "the gradients are unscaled, and this step is made even where they overflowed: one inf makes every weight NaN. "
            "Let the scaler step: it leaves such a step out."
            if unscaled
            else "the loss was scaled, so are the gradients, and this step uses them as they are: it is tens of thousands of "
            "times too large. Let the scaler step: it unscales first, and skips a step with inf.",
            *_step_by(tree, step, back.event),
            related=[Related(tree.span(back.event.node), "scaled here")],
        )


def _without_update(tree: Tree, step: Step) -> Finding:
    statement, name = tree.course.places.statement(step.event.node), _scaler_of(tree, step)
    fixes = []
    if statement is not None and name:
        fixes = [fix(f"update: {name}.update()", insert_after(tree.text, statement, f"{name}.update()"))]
    return found(
        RULE,
        tree,
        step.event.node,
        "without update() the scaler remembers that it has unscaled already, and never lowers a scale that "
        "overflows. Call update() once after the steps.",
        *fixes,
    )


def _unscaled(tree: Tree, step: Step, scaler: Value, told: set[ast.AST]) -> Iterator[Finding]:
    """Each plain backward before a step of the scaler's, where nothing is scaled."""
    if constant(scaler.argument("enabled")) is False or _is_scaled_somewhere(tree.course):
        return
    for back in tree.training.backwards:
        if back.manager is not None or not _together(step.event, back.event) or back.event.node in told:
            continue
        if exclusive(step.event, back.event) or step.event.index < back.event.index:
            continue
        told.add(back.event.node)
        yield found(
            RULE,
            tree,
            back.event.node,
            "the loss is not scaled, and the scaler divides the gradients by its scale all the same: the step "
            "is next to nothing. Use scaler.scale(loss).backward().",
            *_scale(tree, step, back.event),
            related=[Related(tree.span(step.event.node), "unscaled and used here")],
        )


def _scale(tree: Tree, step: Step, back: Event) -> list[Fix]:
    node = back.node
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return []
    name, loss = _scaler_of(tree, step), text_of(tree, node.func.value)
    if not name or not loss or step.event.function is not back.function:
        return []
    return [fix("scale the loss", replace(tree.text, node.func.value, f"{name}.scale({loss})"))]


def _scaler_of(tree: Tree, step: Step) -> str:
    """How the text names the scaler that steps; empty if it is more than a line."""
    return text_of(tree, getattr(getattr(step.event.node, "func", None), "value", None))


def _is_off(scaler: Value) -> bool:
    return any(constant(root.argument("enabled")) is False for root in roots(scaler))


def _skips_nothing(tree: Tree, step: Step, unscaled: list[Event]) -> bool:
    """Whether a step follows each unscaling of its gradients whatever they are, and no scaler steps anywhere."""
    near = [one for one in unscaled if _together(one, step.event) and one.index < step.event.index]
    surely = any(
        only_with(one, step.event) and any(same(arg, step.optimizer) for arg in one.args) for one in near
    )
    return surely and all(one.scaler is None for one in tree.training.steps) and not _FINITE.search(tree.text)


_FINITE = re.compile(r"isfinite|nonfinite|isinf|isnan|nan_to_num|found_inf|_check_inf|bfloat16|bf16")
"""What a file skips such steps by, or why there are none."""


def _is_scaled_somewhere(course: Course) -> bool:
    """Whether a scaler scales something: a loss that is an object of its own may do it."""
    return any(is_scaler(event.on) for event in course.calls(".scale"))


def _is_left_out(tree: Tree, plain: Step, steps: list[Step]) -> bool:
    """Whether the scaler steps none of the optimizers, or all but this one and every loss is scaled."""
    by_scaler = [step for step in steps if step.scaler is not None]
    return not by_scaler or (
        all(back.scaler is not None for back in tree.training.backwards if _together(back.event, plain.event))
        and all(
            surely_different(plain.optimizer, step.optimizer) and not exclusive(plain.event, step.event)
            for step in by_scaler
        )
    )


def _together(left: Event, right: Event) -> bool:
    return left.root == right.root and (
        common_loop(left, right) is not None or not (left.loops or right.loops)
    )


def _updated(tree: Tree, scaler: Value, step: Step) -> bool:
    return any(event.on is not None and same(event.on, scaler) for event in tree.course.calls(".update"))


def _step_by(tree: Tree, step: Step, back: Event) -> list[Fix]:
    node, scaled = step.event.node, back.node
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.args:
        return []
    scale = (
        scaled.func.value if isinstance(scaled, ast.Call) and isinstance(scaled.func, ast.Attribute) else None
    )
    if not isinstance(scale, ast.Call) or not isinstance(scale.func, ast.Attribute):
        return []
    scaler, optimizer = text_of(tree, scale.func.value), text_of(tree, node.func.value)
    if not scaler or not optimizer or back.function is not step.event.function:
        return []
    return [fix("let the scaler step", replace(tree.text, node, f"{scaler}.step({optimizer})"))]
