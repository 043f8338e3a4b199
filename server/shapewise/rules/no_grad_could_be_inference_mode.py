"""Evaluation under no_grad, where inference_mode would do less work."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from ..edits.calls import replace_attribute
from ..program.course import Course
from ..program.events import Event, Within
from ..program.modes import mode_calls
from ..program.values import within
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "no-grad-could-be-inference-mode"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every no_grad around the calls of a model in a function that puts it into eval mode.

    Where something else is called outside of it, as a student beside its teacher, the results may be part of a graph;
    so may what it leaves on an object.
    """
    course = tree.course
    evaluating = {event.function for event, mode in mode_calls(course) if mode is False}
    calls = course.calls("()")
    recording = {event.function for event in calls if not any(_no_grad(context) for context in event.where)}
    trains = any(mode is not False for _, mode in mode_calls(course))
    for event in calls:
        if event.function is None or event.function in recording:
            continue
        if event.function not in evaluating and (trains or not _is_for_good(event, course)):
            continue
        for context in filter(_no_grad, event.where):
            node = context.value.node
            if _keeps(context.node):
                continue
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                yield found(
                    RULE,
                    tree,
                    node,
                    "inference_mode also leaves out version counters and view tracking; its tensors can never "
                    "take part in autograd.",
                    fix("use inference_mode", replace_attribute(tree.text, node.func, "inference_mode")),
                )


def _is_for_good(event: Event, course: Course) -> bool:
    """Whether a method calls what its constructor has put into eval mode, and hands no result of it out as a tensor."""
    if event.on is None or event.on.by != ".eval" or event.function is None or event.function.cls is None:
        return False
    returned = [one for one in course.of_kind("return") if one.function is event.function]
    return bool(returned) and all(
        any(inner.by in (".tolist", ".item") for inner in within(one.args[0], 6))
        for one in returned
        if one.args
    )


def _no_grad(context: object) -> TypeGuard[Within]:
    return isinstance(context, Within) and context.value.by == "torch.no_grad"


def _keeps(block: ast.AST) -> bool:
    """Whether a block leaves something on an object: who reads it there may be training."""
    return any(
        isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) for node in ast.walk(block)
    )
