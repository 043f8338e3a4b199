"""Evaluation under no_grad, where inference_mode would do less work."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..fixes.edits import replace_attribute
from ..program.events import Within
from ..program.modes import mode_calls
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .found import fix, found
from .tree import Tree

RULE = "no-grad-could-be-inference-mode"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every no_grad around the calls of a model in a function that puts it into eval mode."""
    course = tree.course
    evaluating = {event.function for event, mode in mode_calls(course) if mode is False}
    for event in course.calls("()"):
        if event.function is None or event.function not in evaluating:
            continue
        for context in event.where:
            if not isinstance(context, Within) or context.value.by != "torch.no_grad":
                continue
            node = context.value.node
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                yield found(
                    RULE,
                    tree,
                    node,
                    "inference_mode also leaves out version counters and view tracking; its tensors can never "
                    "take part in autograd.",
                    fix("use inference_mode", replace_attribute(tree.text, node.func, "inference_mode")),
                )
