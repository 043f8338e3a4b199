"""A model put into eval mode each epoch and never back: from the second epoch on it trains in eval mode."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import insert_before
from ..program.events import Entered, Event, Loop, common_loop, exclusive
from ..program.layers import has_layer, minds_mode
from ..program.modes import may_have_grad_off, mode_calls
from ..program.training import is_module, made_in, owned
from ..program.values import Value, roots, same
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .asking.switches import covers
from .asking.tree import Tree
from .telling.found import call_of, fix, found, text_of

RULE = "missing-train-after-eval"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every eval() in a loop that trains the same model, without a train() in the loop."""
    course, training = tree.course, tree.training
    modes = mode_calls(course)
    if not course.whole:
        return
    for event, mode in modes:
        model = event.on
        if mode is not False or model is None or not event.loops or not is_module(model):
            continue
        for loop in event.loops:
            back = _trains(tree, loop, model, event)
            if back is None or made_in(course, model, loop):
                continue
            restored = any(
                other.inside(loop) and other is not event and on is not False and covers(other.on, model)
                for other, on in modes
            )
            if restored or training.touched_in(loop, model) or has_layer(model, minds_mode) is False:
                break
            node = _in_loop(event, loop)
            related = [Related(tree.span(back.node), "trained here")]
            if node is not event.node:
                related.append(Related(tree.span(event.node), "eval() is called here"))
            yield found(
                RULE,
                tree,
                node,
                "eval() stays in force: from the second round on the model trains with dropout off and with "
                "batch norm's statistics frozen. Call train() at the start of each round.",
                *_fixes(tree, loop, event),
                related=related,
            )
            break


def _in_loop(event: Event, loop: Loop) -> ast.AST:
    """Where the loop itself does it: the call of the helper, where a helper that others may use does."""
    at = next(number for number, one in enumerate(event.where) if one is loop)
    site = next((one.site for one in event.where[at:] if isinstance(one, Entered)), None)
    return event.node if site is None else site


def _trains(tree: Tree, loop: Loop, model: Value, evaluated: Event) -> Event | None:
    """The backward in the loop that trains this model, if that is sure."""
    training = tree.training
    steps = [
        step
        for step in training.steps
        if step.event.inside(loop) and not all(map(_has_tensors_only, roots(step.optimizer)))
    ]
    backs = [
        back.event
        for back in training.backwards
        if back.event.inside(loop) and any(_goes_with(back.event, step.event, loop) for step in steps)
    ]
    if not backs or any(exclusive(evaluated, back) for back in backs):
        return None
    if not any(any(same(model, one) for one in owned(step.optimizer) or ()) for step in steps):
        if any(owned(step.optimizer) is not None for step in steps):
            return None
        called = [
            event
            for event in tree.course.calls("()")
            if event.inside(loop)
            and not any(isinstance(one, Entered) and one.function.name == "forward" for one in event.where)
            and not may_have_grad_off(event)
            and event.on is not None
            and is_module(event.on)
        ]
        models = {id(root) for event in called for root in roots(event.on) if "Loss" not in root.by}
        if not models or models != {id(root) for root in roots(model)}:
            return None
    return backs[0]


def _has_tensors_only(optimizer: Value) -> bool:
    """Whether an optimizer was given new tensors, each by itself, and no model."""
    given = optimizer.argument("params", 0)
    return (
        given is not None
        and given.by == "list"
        and all(one.by.startswith("torch.") and one.by.count(".") == 1 for one in given.args)
    )


def _goes_with(back: Event, step: Event, loop: Loop) -> bool:
    """Whether a step may use the gradients of a backward: they do not stand in two loops side by side."""
    return common_loop(back, step) is not loop or loop in (back.loops[-1], step.loops[-1])


def _name_in(tree: Tree, loop: Loop, event: Event) -> str:
    """What the loop calls the model itself: where it puts it into eval mode, else where it runs it."""
    runs = (one for one in tree.course.calls("()") if one.inside(loop) and same(one.on, event.on))
    for one in (event, *runs):
        call = call_of(one.node)
        if call is None or all(above is not loop.node for above in tree.course.places.above(call)):
            continue
        written = call.func.value if one is event and isinstance(call.func, ast.Attribute) else call.func
        if isinstance(written, (ast.Name, ast.Attribute)):
            return text_of(tree, written)
    return ""


def _fixes(tree: Tree, loop: Loop, event: Event) -> tuple[Fix, ...]:
    body = getattr(loop.node, "body", None)
    name = _name_in(tree, loop, event)
    if not body or event.args or not name:
        return ()
    return (
        fix(
            "train mode at the start of each round",
            insert_before(tree.text, body[0], f"{name}.train()"),
            safe=True,
        ),
    )
