"""The result of an in-place op under another name: two names, one tensor."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..fixes.edits import replace_attribute
from ..program.ops import is_tensor
from ..program.values import options_of
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .found import fix, found
from .tree import Tree

RULE = "assign-from-inplace"
_ARITHMETIC = frozenset(
    "add_ sub_ mul_ div_ pow_ clamp_ exp_ log_ sqrt_ neg_ abs_ relu_ sigmoid_ tanh_ masked_fill_".split()
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every `b = a.add_(c)` where `a` is a tensor that is used again later."""
    course = tree.course
    for event in course.of_kind("bind"):
        made = event.args[0]
        node = made.node
        if not made.by.startswith(".") or made.by[1:] not in _ARITHMETIC or made.on is None:
            continue
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        target = node.func.value
        if not isinstance(target, ast.Name) or target.id == event.name or not is_tensor(made.on):
            continue
        statement = course.places.statement(node)
        if not isinstance(statement, ast.Assign) or statement.value is not node:
            continue
        later = any(
            isinstance(one, ast.Name)
            and one.id == target.id
            and isinstance(one.ctx, ast.Load)
            and one.lineno > statement.lineno
            for one in course.nodes(ast.Name)
        )
        if later and len(options_of(made.on)) == 1:
            plain = node.func.attr[:-1]
            yield found(
                RULE,
                tree,
                node,
                f"{node.func.attr} changes {target.id} itself, and {event.name} is the same tensor: {target.id} "
                "is used again below, with the changed numbers.",
                fix(f"use {plain}, which makes a new tensor", replace_attribute(tree.text, node.func, plain)),
            )
