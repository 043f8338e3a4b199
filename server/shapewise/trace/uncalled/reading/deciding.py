"""Which parameters decide what is done with others, as the text has it."""

from __future__ import annotations

import ast
from typing import Any

from .reads import is_attribute, is_name, walked


def decides_on(node: Any, flag: str, name: str) -> bool:
    """Whether what is done with a parameter depends on a flag: `if self.flag: x = cat((x, context))`."""
    return any(
        _mentions([use.test], flag) and _mentions(use.body if isinstance(use, ast.If) else [use.body], name)
        for use in walked(node)
        if isinstance(use, (ast.If, ast.IfExp))
    )


def rebinds_on(node: Any, option: str, name: str) -> bool:
    """Whether a parameter is bound anew where another is given: `if self.k is not None: mask = mask.gather(...)`."""
    bound = (
        one
        for use in walked(node)
        if isinstance(use, ast.If) and _mentions([use.test], option)
        for part in use.body
        for one in walked(part)
    )
    return any(
        isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Store) for one in bound
    )


def _mentions(nodes: list[Any], name: str) -> bool:
    return any(
        is_name(use, name) or (isinstance(use, ast.Attribute) and use.attr == name)
        for node in nodes
        for use in walked(node)
    )


def is_otherwise_in_use(node: Any) -> bool:
    """Whether a function asks if it is trained: `if self.training`."""
    return any(is_attribute(use, "training") and isinstance(use.ctx, ast.Load) for use in walked(node))  # type: ignore[attr-defined]
