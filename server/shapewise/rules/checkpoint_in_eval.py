"""Activation checkpointing also where nothing goes backward."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.definitions import Function
from ..program.events import Branch, Entered, Event
from ..program.values import constant
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "checkpoint-in-eval"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every unconditional checkpoint in the forward of a module, or in a method that it calls."""
    for event in tree.course.calls(
        "torch.utils.checkpoint.checkpoint", "torch.utils.checkpoint.checkpoint_sequential"
    ):
        function = event.function
        if function is None or function.cls is None or not function.cls.is_module:
            continue
        if not _is_written(event) and "self.training" in ast.unparse(function.node):
            continue  # what it calls was chosen by the mode
        if not (function.name == "forward" or _helps_forward(event, function)) or not all(
            _always_holds(one, tree, function) for one in event.branches_in(None)
        ):
            continue
        yield found(
            RULE,
            tree,
            event.node,
            "in evaluation nothing goes backward, and checkpointing only adds work. Ask self.training first.",
            *_fixes(tree, event),
        )


def _helps_forward(event: Event, function: Function) -> bool:
    """Whether it stands in a method that a forward calls by its name, and nothing on the way asks for the mode."""
    ways = [one for one in event.where if isinstance(one, Entered)]
    functions = [one.function for one in ways]
    named = ways and isinstance(ways[-1].site, ast.Call) and isinstance(ways[-1].site.func, ast.Attribute)
    if not named or ways[-1].site.func.attr != function.name:  # type: ignore[union-attr]
        return False
    return any(one.name == "forward" and one.cls is function.cls for one in functions) and not any(
        "training" in ast.unparse(one.node) for one in functions
    )


def _is_written(event: Event) -> bool:
    return isinstance(event.node, ast.Call) and "checkpoint" in ast.unparse(event.node.func)


def _always_holds(branch: Branch, tree: Tree, function: Function) -> bool:
    """Whether it is the way of `if self.checkpointing:`, which the model that the file makes has on."""
    test, owner = branch.test, tree.course.instances.get(function.cls) if function.cls is not None else None
    if not isinstance(test, ast.Attribute) or not isinstance(test.value, ast.Name) or owner is None:
        return False
    if branch.arm != 0 or test.value.id != "self" or function.cls is None:
        return False
    writes = [
        one
        for one in tree.course.nodes(ast.Attribute)
        if isinstance(one, ast.Attribute) and one.attr == test.attr
    ]
    once = sum(isinstance(one.ctx, ast.Store) for one in writes) == 1
    return once and constant(owner.attrs.get(test.attr)) is True


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
