"""`require_grad`: an attribute that nothing reads."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from ..edits.calls import replace_attribute
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "require-grad-typo"
_TYPOS = {
    "require_grad",
    "requires_grads",
    "require_grads",
    "required_grad",
    "requires_gradient",
    "requiers_grad",
}


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every assignment to it, unless a class of the file has such an attribute itself."""
    for event in tree.course.calls("builtins.setattr"):
        name = event.args[1].const if len(event.args) == 3 else None
        if name in _TYPOS:
            yield found(RULE, tree, event.node, _message(name))
    writes = [node for node in tree.course.nodes(ast.Attribute) if _is_typo(node)]
    own = {node.attr for node in writes if isinstance(node.value, ast.Name) and node.value.id == "self"}
    for node in writes:
        if node.attr not in own:
            yield found(
                RULE,
                tree,
                node,
                _message(node.attr),
                fix("write requires_grad", replace_attribute(tree.text, node, "requires_grad"), safe=True),
            )


def _message(name: str) -> str:
    return f"tensors have no {name}: this makes a new attribute, and gradients stay as they were. It is requires_grad."


def _is_typo(node: ast.AST) -> TypeGuard[ast.Attribute]:
    return isinstance(node, ast.Attribute) and node.attr in _TYPOS and isinstance(node.ctx, ast.Store)
