"""Which parameters decide what is done with others, as the text has it."""

from __future__ import annotations

import ast
from typing import Any

from .reads import Around, is_attribute, is_name, walked


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


def uses_what_rebinds(node: Any, flag: str, option: str) -> bool:
    """Whether a flag decides on what is bound anew where a parameter is given: `if use_cache: present = k` after `if past is not None: k = cat((past, k))`."""
    given = [use for use in walked(node) if isinstance(use, ast.If) and _mentions([use.test], option)]
    bound = {
        one.id
        for use in given
        for part in use.body
        for one in walked(part)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }
    return any(decides_on(node, flag, name) for name in sorted(bound))


def hands_on_both(node: Any, one: str, other: str) -> bool:
    """Whether two parameters are handed on to the same call: `self.attn(x, past_kv=past_kv, use_cache=use_cache)`."""
    return any(
        all(
            any(is_name(arg, name) for arg in (*use.args, *[k.value for k in use.keywords]))
            for name in (one, other)
        )
        for use in walked(node)
        if isinstance(use, ast.Call)
    )


def is_decided_on(node: Any, name: str, around: Around) -> bool:
    """Whether a statement is run or not as a parameter of a constructor is: `if self.p == 0: return x`, here or where it is handed on."""
    kept = [place for method in around.nodes for place in around.uses(method, name, kept=True)]
    return any(
        isinstance(use, ast.If) and _mentions([use.test], called)
        for function, called in [*around.uses(node, name), *kept]
        for use in walked(function)
    )


def stands_in(node: Any, name: str) -> bool:
    """Whether another parameter is taken where one is not given: `if key is None: key = query`."""
    others = {arg.arg for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)} - {name}
    return any(
        isinstance(one, ast.Assign)
        and is_name(one.targets[0], name)
        and any(is_name(one.value, other) for other in others)
        for use in walked(node)
        if isinstance(use, ast.If) and _mentions([use.test], name)
        for one in use.body
    )


def decides(node: Any, flag: str) -> bool:
    """Whether statements are run or not as a flag is: `if self.flag:`."""
    return any(isinstance(use, ast.If) and _mentions([use.test], flag) for use in walked(node))


def _mentions(nodes: list[Any], name: str) -> bool:
    return any(
        is_name(use, name) or (isinstance(use, ast.Attribute) and use.attr == name)
        for node in nodes
        for use in walked(node)
    )


def is_otherwise_in_use(node: Any) -> bool:
    """Whether a function asks if it is trained: `if self.training`."""
    return any(is_attribute(use, "training") and isinstance(use.ctx, ast.Load) for use in walked(node))  # type: ignore[attr-defined]
