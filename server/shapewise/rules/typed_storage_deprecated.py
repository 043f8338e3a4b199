"""Tensor.storage(), which untyped_storage() has replaced."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import replace_attribute
from ..program.tensors import is_tensor
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .asking.versions import is_for_older
from .telling.found import fix, found

RULE = "typed-storage-deprecated"
_ADDRESS = ("data_ptr", "nbytes", "_cdata")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every call of it on a tensor whose address is asked."""
    places = tree.course.places
    asked = {id(one.on) for one in tree.course.calls(*(f".{name}" for name in _ADDRESS))}
    for event in tree.course.calls(".storage"):
        node = event.node
        if event.args or not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if is_for_older(tree, node):
            continue
        parent = places.parent(node)
        addressed = isinstance(parent, ast.Attribute) and parent.attr in _ADDRESS
        if event.on is None or not (addressed or id(event.value) in asked or is_tensor(event.on)):
            continue
        fixes = []
        if addressed:
            edit = replace_attribute(tree.text, node.func, "untyped_storage")
            fixes = [fix("use untyped_storage", edit, safe=True)]
        yield found(
            RULE, tree, node, "TypedStorage is deprecated: ask untyped_storage(), which counts bytes.", *fixes
        )
