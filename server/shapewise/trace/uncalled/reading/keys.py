"""Dicts that a function is given: the keys that it asks for."""

from __future__ import annotations

import ast
from typing import Any

from .reads import Around, calls, is_name, lambda_of, walked


def keys_of(node: Any, name: str, around: Around) -> tuple[str, ...]:
    """The keys that a parameter is asked for, if that is all that is done with it, here or where it is handed on in the file."""
    own, handed = only_keys(node, name), around.uses(node, name)[1:]
    if own or not handed:
        return own
    given = sum(
        is_name(arg, name)
        for called, use in calls(node)
        if around.functions.get(called) is not None or lambda_of(node, called) is not None
        for arg in (*use.args, *(one.value for one in use.keywords))
    )
    read = [one for one in walked(node) if is_name(one, name) and isinstance(one.ctx, ast.Load)]  # type: ignore[attr-defined]
    found = [only_keys(one, called) for one, called in handed]
    others = [use for use, keys in zip(handed, found) if not keys]
    is_rebound = any(is_name(one, name) and isinstance(one.ctx, ast.Store) for one in walked(node))  # type: ignore[attr-defined]
    if (
        not given
        or (len(read) > given and not is_rebound)
        or not all(_is_gone_through(*use) for use in others)
    ):
        return ()
    return tuple(dict.fromkeys(key for keys in found for key in keys))


def _is_gone_through(node: Any, name: str) -> bool:
    """Whether a function does no more with a dict than go through it: `{k: v.detach() for k, v in state.items()}`."""
    uses = [one for one in walked(node) if is_name(one, name)]
    through = [
        one
        for one in walked(node)
        if isinstance(one, ast.Attribute)
        and is_name(one.value, name)
        and one.attr in ("items", "values", "keys")
    ]
    return bool(through) and len(through) == len(uses)


def only_keys(node: Any, name: str) -> tuple[str, ...]:
    """The keys that a parameter is asked for (`batch["image"]`), if that is all that is done with it, but to ask if it has one."""
    used = [use for use in walked(node) if isinstance(use, ast.Name) and use.id == name]
    sought = keys_sought(node, name)
    asked = [
        use
        for use in walked(node)
        if isinstance(use, ast.Subscript)
        and is_name(use.value, name)
        and isinstance(use.slice, ast.Constant)
        and isinstance(use.slice.value, str)
    ]
    keys = [use.slice.value for use in asked if isinstance(use.ctx, ast.Load)]  # type: ignore[attr-defined]
    return tuple(dict.fromkeys((*keys, *sought))) if keys and len(asked) + len(sought) == len(used) else ()


def keys_sought(node: Any, name: str) -> list[str]:
    """The keys of which a function asks whether a parameter has them: `if "label" in batch`."""
    return [
        use.left.value
        for use in walked(node)
        if isinstance(use, ast.Compare)
        and isinstance(use.ops[0], (ast.In, ast.NotIn))
        and is_name(use.comparators[0], name)
        and isinstance(use.left, ast.Constant)
        and isinstance(use.left.value, str)
    ]
