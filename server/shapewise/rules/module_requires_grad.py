"""`requires_grad` set on a module: an attribute that nothing reads."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.training import is_module
from ..program.values import INSTANCE, Value, roots
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "module-requires-grad"
_NAME = "requires_grad"
_PARTS = (".children", ".modules", ".named_children", ".named_modules")
_OF_ALL = ("item", "for", "[]", "builtins.list", "builtins.tuple", "builtins.reversed", "builtins.enumerate")
"""What gives one or some of several."""


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every `module.requires_grad = ...`, but for classes of the file's that have such an attribute themselves."""
    if any(isinstance(node, ast.Attribute) and _is_own(node) for node in tree.course.nodes(ast.Attribute)):
        return
    told: set[ast.AST] = set()
    for event in tree.course.of_kind("set"):
        statement = tree.course.places.statement(event.node)
        if event.name != _NAME or event.on is None or statement in told:
            continue
        if not _is_a_module(event.on) or not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            continue
        target = statement.targets[0]
        if not isinstance(target, ast.Attribute):
            continue
        if _is_a_parameter_elsewhere(tree, target.value):
            continue
        told.add(statement)
        call = f"{source(tree.text, target.value)}.requires_grad_({source(tree.text, statement.value)})"
        yield found(
            RULE,
            tree,
            target,
            "modules have no requires_grad: this makes a new attribute, and the parameters stay as they were. "
            "It is requires_grad_(...).",
            fix("call requires_grad_", replace(tree.text, statement, call)),
        )


def _is_own(node: ast.Attribute) -> bool:
    return node.attr == _NAME and isinstance(node.value, ast.Name) and node.value.id == "self"


def _is_a_module(value: Value) -> bool:
    """Whether it surely is one: made as one whose class is seen, or a part of another."""
    over: Value | None = value
    while over is not None and over.by in _OF_ALL:
        over = over.on or (over.args[0] if over.args else None)
    if over is not value:
        return over is not None and over.by in (*_PARTS, "torch.nn.Sequential", "torch.nn.ModuleList")
    made = roots(value)
    return bool(made) and all(
        is_module(one, surely=True)
        and (
            one.by != INSTANCE
            or (one.cls is not None and one.cls.is_only_module and not one.cls.method(_NAME))
        )
        for one in made
    )


def _is_a_parameter_elsewhere(tree: Tree, target: ast.expr) -> bool:
    """Whether a class of the file makes a parameter of that name, as one that inherits may."""
    return isinstance(target, ast.Attribute) and any(
        event.name == target.attr and any(one.by == "torch.nn.Parameter" for one in roots(event.args[0]))
        for event in tree.course.of_kind("set")
    )
