"""Keyword arguments that are kept in a dict: `options = dict(lr=1e-3)`, then `f(**options)`."""

from __future__ import annotations

import ast
from collections.abc import Callable

from .names import last_name
from .values import Value, open_ended

CHANGES_DICT = (".update", ".setdefault", ".pop", ".popitem", ".clear", ".__setitem__")


def changed_names(tree: ast.AST) -> frozenset[str]:
    """The names under which a text may write into a dict, or hand it to what may."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            found.add(last_name(node.value))
        elif isinstance(node, ast.AugAssign):
            found.add(last_name(node.target))
        elif isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and f".{node.func.attr}" in CHANGES_DICT:
                found.add(last_name(node.func.value))
            found |= {last_name(arg) for arg in node.args}
            found |= {last_name(kw.value) for kw in node.keywords if kw.arg is not None}
    return frozenset(found - {""})


def items_of(
    value: Value, is_changed: Callable[[Value], bool] = lambda value: False
) -> dict[str, Value] | None:
    """What a dict holds by its keys, where all of them are texts that are known, those of a `**` in it too.

    `is_changed`: whether such an inner one may not hold any more what it was written with.
    """
    if value.by == "builtins.dict" and not value.args and not open_ended(value):
        return dict(value.kwargs)
    if value.by == "torch.nn.ModuleDict" and len(value.args) == 1:
        return items_of(value.args[0], is_changed)
    if value.by != "dict":
        return None
    found: dict[str, Value] = {}
    for key, one in zip(value.keys, value.args, strict=True):
        inner = one.on if one.spread and one.on is not None and not is_changed(one.on) else None
        held = None if inner is None else items_of(inner, is_changed)
        if held is not None:
            found |= held
        elif isinstance(key, str) and not one.spread:
            found[key] = one
        else:
            return None
    return found
