"""A model pickled whole: it loads only where its class still stands where it stood."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..fixes.edits import append
from ..program.training import is_module
from ..program.values import options_of
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .found import argument_node, fix, found
from .tree import Tree

RULE = "save-whole-model"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every torch.save of a module."""
    for event in tree.course.calls("torch.save"):
        node, given = event.node, event.argument("obj", 0)
        if given is None or not isinstance(node, ast.Call):
            continue
        if any(option.by.startswith("torch.jit.") for option in options_of(given)) or not is_module(given):
            continue
        written = argument_node(node, "obj", 0)
        if isinstance(written, (ast.Dict, ast.Tuple, ast.List)):
            continue
        fixes = []
        if written is not None:
            fixes = [fix("save the state dict", append(tree.text, written, ".state_dict()"))]
        yield found(
            RULE,
            tree,
            node,
            "this pickles the object with the path of its class: after a refactoring it no longer loads, and "
            "torch.load refuses it unless weights_only=False. Save model.state_dict().",
            *fixes,
        )
