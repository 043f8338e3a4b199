"""Activation checkpointing also where nothing goes backward."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..fixes.statements import replace, source
from ..program.events import Event
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix
from .found import fix, found
from .tree import Tree

RULE = "checkpoint-in-eval"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every unconditional checkpoint in the forward of a module."""
    for event in tree.course.calls(
        "torch.utils.checkpoint.checkpoint", "torch.utils.checkpoint.checkpoint_sequential"
    ):
        function = event.function
        if function is None or function.cls is None or not function.cls.is_module:
            continue
        if event.branches_in(None) or function.name != "forward":
            continue
        yield found(
            RULE,
            tree,
            event.node,
            "in evaluation nothing goes backward, and checkpointing only adds work. Ask self.training first.",
            *_fixes(tree, event),
        )


_OWN = ("use_reentrant", "preserve_rng_state", "context_fn", "determinism_check", "debug", "early_stop")
"""The options that are not handed on to what is checkpointed."""


def _fixes(tree: Tree, event: Event) -> list[Fix]:
    call, places = event.node, tree.course.places
    if not isinstance(call, ast.Call) or any(one.arg not in _OWN for one in call.keywords):
        return []
    given = call.args[:1] + call.args[2:] if event.name.endswith("_sequential") else call.args
    if len(given) < 2 or any(isinstance(one, ast.Starred) for one in given):
        return []
    if not isinstance(given[0], (ast.Name, ast.Attribute, ast.Subscript)):
        return []
    body, *inputs = (source(tree.text, one) for one in given)
    either = f"{source(tree.text, call)} if self.training else {body}({', '.join(inputs)})"
    if not isinstance(places.parent(call), (ast.Assign, ast.Return)):
        either = f"({either})"
    return [fix("only in training", replace(tree.text, call, either))]
