"""`eval` of a text that is known (`eval("nn.GELU")()`): an expression like one that is written there, followed as such."""

from __future__ import annotations

import ast
from collections import OrderedDict
from typing import Any

from ...vocabulary.span import Span
from ..compiler import Expression
from ..compiler.statements import Compiler
from ..run import Env
from ..sources.places import Places
from ..unknowns.unknown import Unknown
from . import shim

_LONG = 2_000
"""Characters. What is longer is data rather than an expression."""
_KEPT: OrderedDict[tuple[str, Span], Any] = OrderedDict()
"""By text and place: the conditions in it are the same nodes in all worlds."""
_MOST = 512
_NOT_ALONE = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)


class _There(Places):
    """All of the text stands where it is evaluated."""

    def __init__(self, text: str, span: Span) -> None:
        super().__init__(text)
        self._span = span

    def span(self, node: ast.AST) -> Span:
        return self._span


@shim(eval)
def _eval(env: Env, source: Any = None, *spaces: Any) -> Any:
    site = env.run.site
    if site is None or type(source) is not str or len(source) > _LONG or not all(map(_are_names, spaces)):
        return Unknown("evaluates what is not known")
    expression = _compiled(source.lstrip(" \t"), site)
    if expression is None:
        return Unknown("assigns within eval()")
    if not spaces:
        return expression(env)
    inner = Env(env.run, env.module, "function", env.scope, None, frozenset(), env.frame)
    for names in spaces:
        inner.names.update(names)
    return expression(inner)


def _are_names(space: Any) -> bool:
    return type(space) is dict and all(type(name) is str for name in space)


def _compiled(text: str, span: Span) -> Expression | None:
    """The expression as a closure; None if it does more than give a value. Raises SyntaxError."""
    key = text, span
    if key not in _KEPT:
        node = ast.parse(text, mode="eval").body
        alone = not any(isinstance(one, _NOT_ALONE) for one in ast.walk(node))
        _KEPT[key] = Compiler(_There(text, span)).expression(node) if alone else None
        while len(_KEPT) > _MOST:
            _KEPT.popitem(last=False)
    return _KEPT[key]
