"""The result of an in-place op under another name: two names, one tensor."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import replace_attribute
from ..program.course import Course
from ..program.definitions import Function
from ..program.events import Entered, Event
from ..program.values import Value, options_of
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.statements import block, reads, rebinds
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "assign-from-inplace"
_ARITHMETIC = frozenset(
    "add_ sub_ mul_ div_ pow_ clamp_ exp_ log_ sqrt_ neg_ abs_ relu_ sigmoid_ tanh_ masked_fill_ leaky_relu_ elu_ clip_ "
    "clamp_min_ clamp_max_ copysign_ floor_ round_ subtract_ multiply_ divide_ floor_divide_ remainder_ fmod_ lerp_ "
    "addcmul_ addcdiv_ addmm_ addmv_ baddbmm_ square_ rsqrt_ reciprocal_ sin_ cos_ exp2_ expm1_ log1p_ log2_ log10_ "
    "ceil_ trunc_ frac_ sign_ erf_ logit_ nan_to_num_ tril_ triu_ cumsum_ cumprod_ masked_scatter_ scatter_ "
    "scatter_add_ index_add_ index_fill_ index_copy_".split()
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every `b = a.add_(c)` where `a` is a tensor that is used again later."""
    course = tree.course
    for event in course.of_kind("bind"):
        made = event.args[0]
        node = made.node
        if not isinstance(node, ast.Call) or not isinstance(node.func, (ast.Attribute, ast.Name)):
            continue
        target, changed = _changed(made, node)
        if changed is None or not isinstance(target, ast.Name) or target.id == event.name:
            continue
        statement = course.places.statement(node)
        if not isinstance(statement, ast.Assign) or statement.value is not node:
            continue
        if len(options_of(changed)) == 1 and (
            _is_read_again(tree, statement, target.id) or _is_computed_with_outside(course, event, changed)
        ):
            name = made.short()
            fixes = []
            if isinstance(node.func, ast.Attribute):
                edit = replace_attribute(tree.text, node.func, name[:-1])
                fixes = [fix(f"use {name[:-1]}, which makes a new tensor", edit)]
            yield found(
                RULE,
                tree,
                node,
                f"{name} changes {target.id} itself, and {event.name} is the same tensor: {target.id} "
                "is used again below, with the changed numbers.",
                *fixes,
            )


def _changed(made: Value, node: ast.Call) -> tuple[ast.expr | None, Value | None]:
    """What a call changes in place, as it is written and as a value."""
    if made.by.startswith(".") and made.by[1:] in _ARITHMETIC and made.on is not None:
        return (node.func.value, made.on) if isinstance(node.func, ast.Attribute) else (None, None)
    if made.by.startswith(("torch.", "torch.nn.functional.")) and made.short() in _ARITHMETIC and node.args:
        return node.args[0], made.argument("input", 0)
    return None, None


def _is_read_again(tree: Tree, statement: ast.stmt, name: str) -> bool:
    """Whether what a name held is read further down its block, under it or under another name that it was given before."""
    around = block(tree, statement)
    at = around.index(statement)
    others = {
        one.targets[0].id
        for one in around[:at]
        if isinstance(one, ast.Assign) and isinstance(one.value, ast.Name) and one.value.id == name
        if isinstance(one.targets[0], ast.Name)
    }
    return any(_is_read(around[at + 1 :], one) for one in (name, *others))


def _is_computed_with_outside(course: Course, made: Event, changed: Value) -> bool:
    """Whether a function computes with a tensor after it gave it to the one that changes it in place."""
    return any(
        use.index > made.index
        and use.root == made.root
        and use.kind in ("op", "call", "index")
        and use.function is not made.function
        and use.function in _callers(made)
        and any(one is changed for one in (use.on, *use.inputs()))
        for use in course.uses(changed)
    )


def _callers(event: Event) -> list[Function | None]:
    """The functions on the way to an event, from outside; None is the file itself."""
    entered = [one for one in event.where if isinstance(one, Entered)]
    return [None, *(one.function for one in entered)]


def _is_read(statements: list[ast.stmt], name: str) -> bool:
    for one in statements:
        if reads(one, name):
            return True
        if rebinds(one, name):
            return False
    return False
