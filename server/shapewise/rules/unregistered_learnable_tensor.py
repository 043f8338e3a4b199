"""A learnable tensor set as a plain attribute of a module: no optimizer will find it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import remove_keyword
from ..edits.text import text_map
from ..program.freezing import made_to_learn
from ..program.tensors import is_tensor
from ..program.values import Value, constant
from ..vocabulary.events import Log
from ..vocabulary.findings import Edit, Finding, Fix
from ..vocabulary.span import Span
from .asking.tree import Tree
from .telling.found import fix, found, name_for

RULE = "unregistered-learnable-tensor"
_MOVES = (".to", ".cuda")
_OF_PARAMETERS = (*_MOVES, "*", "+", "-", "/")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every attribute that is a tensor made to require grad, and no Parameter."""
    switched = made_to_learn(tree.course)
    for event, _, value in tree.course.attributes_made():
        if not _learns(value) and not (id(value) in switched and is_tensor(value)):
            continue
        moved = "where .to() changes anything, it gives a tensor that is none, and " * (value.by in _MOVES)
        yield found(
            RULE,
            tree,
            event.node,
            f"{moved}only an nn.Parameter is registered: parameters() does not give this tensor to the optimizer, to() "
            "does not move it, state_dict() does not save it.",
            *_fixes(tree, value),
        )


def _learns(value: Value) -> bool:
    if value.by == ".requires_grad_" and value.on is not None:
        return is_tensor(value.on) and value.argument("requires_grad", 0) is None
    if value.by in _OF_PARAMETERS:  # no leaf, unless the device is the one that it was on
        return any(one.by == "torch.nn.Parameter" for one in (value.on, *value.args) if one is not None)
    if value.by.startswith("torch.") and value.by.count(".") == 1:
        return constant(value.kwargs.get("requires_grad")) is True
    return False


def _fixes(tree: Tree, value: Value) -> tuple[Fix, ...]:
    name, node = name_for(tree, "torch.nn.Parameter"), value.node
    if name is None or not isinstance(node, ast.Call):
        return ()
    span = text_map(tree.text).span(node)
    before = Span(span.line, span.column, span.line, span.column)
    after = Span(span.end_line, span.end_column, span.end_line, span.end_column)
    edits = [Edit(before, f"{name}("), Edit(after, ")")]
    if any(keyword.arg == "requires_grad" for keyword in node.keywords):
        edits.append(remove_keyword(tree.text, node, "requires_grad"))
    return (fix("make it a parameter", *edits),)
