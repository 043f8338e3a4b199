"""A model pickled whole: it loads only where its class still stands where it stood."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TypeGuard

from ..edits.calls import append
from ..program.names import last_name
from ..program.training import is_module
from ..program.values import DISPLAYS, Value, constant, options_of
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.temporary import is_temporary
from .asking.tree import Tree
from .telling.found import argument_node, fix, found

RULE = "save-whole-model"
_SAYS_SO = re.compile(r"(entire|whole|full|complete)_?(model|module|net|object)", re.IGNORECASE)

_ASKED = re.compile(r"\b(entire|whole)\b|" + _SAYS_SO.pattern, re.IGNORECASE)
"""Of an option that says so: `if entire:`."""


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every torch.save of a module, but where the file says that this is what is wanted."""
    if any(constant(one.argument("weights_only")) is False for one in tree.course.calls("torch.load")):
        return
    for event in tree.course.calls("torch.save"):
        node, given = event.node, event.argument("obj", 0)
        if given is None or not isinstance(node, ast.Call):
            continue
        whole = _inside(given)
        if event.function is not None and _SAYS_SO.search(event.function.name):
            continue
        if is_temporary(event) or any(
            one.test is not None and _ASKED.search(ast.unparse(one.test)) for one in event.branches_in(None)
        ):
            continue
        if any(option.by.startswith("torch.jit.") for option in options_of(given)) or not (
            is_module(given) or whole is not None
        ):
            continue
        if any(option.by == ".state_dict" for option in options_of(given)):
            continue  # an option says which of the two
        written = argument_node(node, "obj", 0)
        if isinstance(written, (ast.Dict, ast.Tuple, ast.List)):
            written = next((one for one in ast.iter_child_nodes(written) if _is_named(one, whole)), None)
        elif whole is not None:
            written = None  # it stands where the container is made
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


def _inside(given: Value) -> Value | None:
    """The module that a dict, list or tuple holds as it is."""
    held = (*given.args, *given.kwargs.values()) if given.by in (*DISPLAYS, "builtins.dict") else ()
    return next(
        (one for one in held if is_module(one, surely=True) and not one.by.startswith("torch.jit.")), None
    )


def _is_named(node: ast.AST, value: Value | None) -> TypeGuard[ast.expr]:
    name = last_name(node)
    return value is not None and bool(name) and name == value.name
