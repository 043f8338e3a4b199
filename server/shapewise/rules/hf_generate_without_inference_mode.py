"""Text generated outside inference_mode."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..program.modes import may_have_grad_off
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .found import found
from .hugging import is_pretrained
from .tree import Tree

RULE = "hf-generate-without-inference-mode"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every generate of a model of transformers' with nothing around it that decides about gradients."""
    told: set[ast.AST] = set()
    for event in tree.course.calls(".generate"):
        if event.node in told or not is_pretrained(event.on, "AutoModel") or may_have_grad_off(event):
            continue
        told.add(event.node)
        yield found(
            RULE,
            tree,
            event.node,
            "generate() switches gradients off by itself; within torch.inference_mode() torch also leaves out version "
            "counters and view tracking, in every layer for every token.",
        )
