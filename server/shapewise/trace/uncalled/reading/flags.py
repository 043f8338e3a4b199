"""Parameters that are flags by their use: asked whether they hold, and nothing else."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .reads import Around, is_name, is_self, walked


def is_only_asked(node: Any, name: str, around: Around) -> bool:
    """Whether a parameter of a constructor decides conditions, there or as what is kept of it, and does nothing else.

    `if group_all: ...`, or `self.group_all = group_all` and `if self.group_all: ...` in another method.
    """
    uses = [use for use in walked(node) if is_name(use, name)]
    keeping = _keeps(node, name)
    kept: list[ast.AST] = []
    for one in around.nodes if keeping else ():
        kept += [use for use in walked(one) if _is_kept(use, name) and _is_read(use)]
    asked = {id(use) for one in around.nodes for use in _asked(one)}
    decides = [use for use in (*uses, *kept) if id(use) in asked]
    return bool(decides) and len(decides) == len(uses) + len(kept) - keeping


def is_field_only_asked(node: Any, config: str, field: str, around: Around) -> bool:
    """The same of a field of a config that a constructor is given: `if config.individual`, or as what is kept of it."""
    kept_as = {
        left.attr
        for left, right in _assigned(node)
        if isinstance(left, ast.Attribute) and is_self(left.value) and _is_field(right, config, field)
    }
    keeping = sum(_is_field(right, config, field) for _, right in _assigned(node))
    uses = [
        use
        for one in around.nodes
        for use in walked(one)
        if _is_field(use, config, field)
        or any(_is_kept(use, attribute) and _is_read(use) for attribute in kept_as)
    ]
    handed = {id(one): (one, called) for own in around.nodes for one, called in around.uses(own, config)}
    others = [(one, called) for one, called in handed.values() if one not in around.nodes]
    uses += [use for one, called in others for use in walked(one) if _is_field(use, called, field)]
    asked = {id(use) for one in (*around.nodes, *[one for one, _ in others]) for use in _asked(one)}
    decides = [use for use in uses if id(use) in asked]
    return bool(decides) and len(decides) == len(uses) - keeping


def _is_field(use: ast.AST, config: str, field: str) -> bool:
    """Whether this is `config.field`, or `self.config.field`."""
    if not isinstance(use, ast.Attribute) or use.attr != field:
        return False
    of = use.value
    return is_name(of, config) or (isinstance(of, ast.Attribute) and of.attr == config and is_self(of.value))


def _assigned(node: Any) -> list[tuple[ast.expr, ast.expr]]:
    """What is bound to what, one by one: `a, b = c, d` is two."""
    pairs: list[tuple[ast.expr, ast.expr]] = []
    for use in walked(node):
        if isinstance(use, ast.Assign) and len(use.targets) == 1:
            left, right = use.targets[0], use.value
            if isinstance(left, ast.Tuple) and isinstance(right, ast.Tuple):
                pairs += zip(left.elts, right.elts)
            else:
                pairs.append((left, right))
    return pairs


def _keeps(node: Any, name: str) -> int:
    """How often a parameter is kept under its own name: `self.a = a`, `self.a, self.b = a, b`."""
    return sum(_is_kept(left, name) and is_name(right, name) for left, right in _assigned(node))


def _is_kept(use: ast.AST, name: str) -> bool:
    return isinstance(use, ast.Attribute) and use.attr == name and is_self(use.value)


def _is_read(use: Any) -> bool:
    return isinstance(use.ctx, ast.Load)


def _asked(node: Any) -> Iterator[ast.AST]:
    """What stands as a condition by itself: `if a`, `not a`, `a and b`, of which each part is one."""
    for use in walked(node):
        if isinstance(use, (ast.If, ast.IfExp, ast.While)):
            yield from _parts(use.test)


def _parts(test: ast.expr) -> Iterator[ast.AST]:
    if isinstance(test, ast.BoolOp):
        for one in test.values:
            yield from _parts(one)
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _parts(test.operand)
    else:
        yield test
