"""Evaluation under no_grad, where inference_mode would do less work."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from ..fixes.edits import replace_attribute
from ..program.events import Within
from ..program.modes import mode_calls
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .found import fix, found
from .tree import Tree

RULE = "no-grad-could-be-inference-mode"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every no_grad around the calls of a model in a function that puts it into eval mode.

    Where something else is called outside of it, as a student beside its teacher, the results may be part of a graph;
    so may what it leaves on an object.
    """
    course = tree.course
    evaluating = {event.function for event, mode in mode_calls(course) if mode is False}
    calls = [event for event in course.calls("()") if event.function in evaluating]
    recording = {event.function for event in calls if not any(_no_grad(context) for context in event.where)}
    for event in calls:
        if event.function is None or event.function in recording:
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


def _no_grad(context: object) -> TypeGuard[Within]:
    return isinstance(context, Within) and context.value.by == "torch.no_grad"


def _keeps(block: ast.AST) -> bool:
    """Whether a block leaves something on an object: who reads it there may be training."""
    return any(
        isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) for node in ast.walk(block)
    )
