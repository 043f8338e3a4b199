"""A trained model used for evaluation while it is still in train mode."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import insert_before
from ..program.events import Entered, Event, common_loop
from ..program.layers import has_layer, minds_mode
from ..program.modes import mode_calls, no_grad_around
from ..program.training import is_module, owned
from ..program.values import Value, same, within
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .asking.switches import covers
from .asking.tree import Tree
from .telling.found import call_of, fix, found, text_of

RULE = "inference-without-eval"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every call of a model under no_grad that surely happens in train mode, of one with layers that mind."""
    course = tree.course
    modes = mode_calls(course)
    if not course.whole:
        return
    for event in course.calls("()"):
        model = event.on
        if model is None or not is_module(model) or (block := no_grad_around(event)) is None:
            continue
        if any(isinstance(one, Entered) and one.function.name == "forward" for one in event.where):
            continue
        trained = _trained(tree, event, model)
        if trained is None or has_layer(model, minds_mode) is not True:
            continue
        before = [
            (other, mode)
            for other, mode in modes
            if other.root == event.root and other.index < event.index and covers(other.on, model)
        ]
        if before and (before[-1][1] is not True or no_grad_around(before[-1][0]) is block):
            continue
        if not before and _evaluated_later(event, trained, modes, model):
            continue
        if _feeds_training(tree, event):
            continue
        yield found(
            RULE,
            tree,
            event.node,
            "the model is evaluated in train mode: dropout still drops, and batch norm uses and changes its "
            "statistics with this data. Call eval() before, and train() again afterwards.",
            *_fixes(tree, event),
            related=[Related(tree.span(trained.node), "trained here")],
        )


def _trained(tree: Tree, event: Event, model: Value) -> Event | None:
    """A backward before it, or in the same loop, of an optimizer that has the model's parameters."""
    training = tree.training
    for step in training.steps:
        if not any(same(model, one) for one in owned(step.optimizer) or ()):
            continue
        for back in training.backwards:
            near = back.event.index < event.index or common_loop(back.event, event) is not None
            if back.event.root == event.root and near:
                return back.event
    return None


def _evaluated_later(
    event: Event, trained: Event, modes: list[tuple[Event, bool | None]], model: Value
) -> bool:
    """Whether a switch later in the same loop may hold from the round before."""
    loop = common_loop(event, trained)
    return loop is not None and any(other.inside(loop) and covers(other.on, model) for other, _ in modes)


def _feeds_training(tree: Tree, event: Event) -> bool:
    """Whether what comes out is part of what is differentiated: a target, a fake."""
    out = event.value
    return any(any(one is out for one in within(back.loss, 20)) for back in tree.training.backwards)


def _fixes(tree: Tree, event: Event) -> tuple[Fix, ...]:
    call = call_of(event.node)
    name = text_of(tree, call.func) if call is not None else ""
    for one in tree.course.places.above(event.node):
        if getattr(one, "items", None) and no_grad_around(event) is one and name:
            return (
                fix("eval mode before", insert_before(tree.text, one, f"{name}.eval()")),  # type: ignore[arg-type]
            )
    function = tree.course.places.function(event.node)
    first = _first_of(function) if function is not None and no_grad_around(event) is function else None
    known = name.split(".")[0] in {arg.arg for arg in function.args.args} if function is not None else False
    if first is None or not known or not name.replace(".", "").isidentifier():
        return ()
    return (fix("eval mode before", insert_before(tree.text, first, f"{name}.eval()")),)


def _first_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.stmt | None:
    """The first statement of a function behind its docstring."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return body[0] if body else None
