"""A language model loaded without saying in which dtype."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import add_keyword
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "hf-no-dtype"
_SAYING = ("torch_dtype", "dtype", "quantization_config", "load_in_8bit", "load_in_4bit", "**", "config")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every AutoModelForCausalLM without one."""
    for event in tree.course.calls("transformers.AutoModelForCausalLM.from_pretrained"):
        if any(name in event.kwargs for name in _SAYING):
            continue
        yield found(
            RULE,
            tree,
            event.node,
            "without dtype transformers before 5 loads the weights as float32, at twice the memory of what most were "
            'saved in. Say dtype="auto" or torch.bfloat16.',
            *_fixes(tree, event.node),
        )


def _fixes(tree: Tree, node: ast.AST) -> Iterator[Fix]:
    """By the older name of the two, which every version takes."""
    if isinstance(node, ast.Call):
        yield fix("load them as they were saved", add_keyword(tree.text, node, 'torch_dtype="auto"'))
