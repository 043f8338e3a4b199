"""What the statements of one block do to the names in it."""

from __future__ import annotations

import ast

from ...program.definitions import Places
from ...program.events import Event
from .tree import Tree


def block(tree: Tree, statement: ast.stmt) -> list[ast.stmt]:
    """The statements among which one stands."""
    parent = tree.course.places.parent(statement)
    for _, value in ast.iter_fields(parent) if parent is not None else ():
        if isinstance(value, list) and any(one is statement for one in value):
            return value
    return [statement]


def writes(statement: ast.stmt, name: str) -> bool:
    """Whether a statement sets a part of what a name holds, or changes it in place."""
    if isinstance(statement, ast.AugAssign):
        targets = [statement.target]
    elif isinstance(statement, ast.Assign):
        targets = [one for one in statement.targets if isinstance(one, ast.Subscript)]
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        func = statement.value.func
        in_place = isinstance(func, ast.Attribute) and (
            func.attr in ("fill", "sort") or func.attr.endswith("_")
        )
        return in_place and isinstance(func, ast.Attribute) and getattr(func.value, "id", None) == name
    else:
        return False
    return any(
        getattr(one.value if isinstance(one, ast.Subscript) else one, "id", None) == name for one in targets
    )


def rebinds(statement: ast.stmt, name: str) -> bool:
    """Whether a statement gives a name another object."""
    in_place = {id(node.target) for node in ast.walk(statement) if isinstance(node, ast.AugAssign)}
    return any(
        isinstance(node, ast.Name)
        and node.id == name
        and isinstance(node.ctx, ast.Store)
        and id(node) not in in_place
        for node in ast.walk(statement)
    )


def reads(statement: ast.stmt, name: str) -> bool:
    """Whether a statement uses what a name holds."""
    return any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
        for node in ast.walk(statement)
    )


def is_dropped(tree: Tree, event: Event) -> bool:
    """Whether what a call gives is dropped, or kept in a variable of its function that is never read."""
    places = tree.course.places
    parent, function = places.parent(event.node), event.function
    if isinstance(parent, ast.Expr):
        return True
    if (
        isinstance(parent, ast.Call)
        and isinstance(parent.func, ast.Attribute)
        and parent.func.attr == "append"
    ):
        kept: ast.AST = parent.func.value
    else:
        if isinstance(parent, (ast.ListComp, ast.List)):
            parent = places.parent(parent)
        kept = (
            parent.targets[0] if isinstance(parent, ast.Assign) and len(parent.targets) == 1 else event.node
        )
    if not isinstance(kept, ast.Name) or function is None or isinstance(function.node, ast.Lambda):
        return False
    if kept.id not in function.locals:
        return False
    names = [one for one in ast.walk(function.node) if isinstance(one, ast.Name) and one.id == kept.id]
    return all(isinstance(one.ctx, ast.Store) or _is_filled(tree, one) for one in names)


def _is_filled(tree: Tree, name: ast.Name) -> bool:
    """Whether a list is only added to, or counted."""
    attribute = tree.course.places.parent(name)
    if isinstance(attribute, ast.Call) and isinstance(attribute.func, ast.Name):
        return attribute.func.id == "len"
    if not isinstance(attribute, ast.Attribute) or attribute.attr != "append":
        return False
    call = tree.course.places.parent(attribute)
    return isinstance(call, ast.Call) and isinstance(tree.course.places.parent(call), ast.Expr)


def shared_write(tree: Tree, statement: ast.stmt, written: str, read: str) -> ast.stmt | None:
    """After a statement that made two names share their memory, the first that writes to the one before the other is read.

    Looks at its block only, and until one of the names gets another value.
    """
    around = block(tree, statement)
    later = around[around.index(statement) + 1 :]
    for number, one in enumerate(later):
        if rebinds(one, written) or rebinds(one, read):
            return None
        if writes(one, written) and any(reads(after, read) for after in later[number + 1 :]):
            return one
    return None


def is_known_at(places: Places, name: ast.expr, here: ast.AST, there: ast.AST) -> bool:
    """Whether a name, or an attribute of `self`, that is known at one place means the same at another one."""
    mine, its = places.function(here), places.function(there)
    if isinstance(name, ast.Name):
        return mine is None or mine is its
    is_own = isinstance(name, ast.Attribute) and isinstance(name.value, ast.Name) and name.value.id == "self"
    return is_own and mine is not None and its is not None and places.parent(mine) is places.parent(its)
