"""`eval` and `exec` of a text that is known: `eval("nn.GELU")()` is followed like what is written there.

What `exec` writes into objects (`exec(f"self.bias_{i} = nn.Parameter(torch.zeros({n}))")`) is carried out, too; the names
that it binds are lost, for they are not those of a function around it.
"""

from __future__ import annotations

import ast
from collections import OrderedDict
from typing import Any

from ...vocabulary.span import Span
from ..compiler import Expression, Statement
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
_IN_PLACE = (ast.Expr, ast.Assign, ast.AugAssign, ast.If, ast.For, ast.Pass)
"""Statements that leave nothing behind but what they write into objects, if they bind no name."""


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


@shim(exec)
def _exec(env: Env, source: Any = None, *spaces: Any, **options: Any) -> Any:
    site = env.run.site
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, TypeError, ValueError, RecursionError):
        env.run.forget_all(env, "may have been assigned by exec()")
        return None
    if site is not None and type(source) is str and len(source) <= _LONG and not (spaces or options):
        statement = _statement(source, site)
        if statement is not None:
            _unsaid(env, statement)
            return None
    for node in nodes:
        name = getattr(node, "name", None) or (
            node.id if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else None
        )
        if isinstance(name, str):
            env.run.store(env, name, Unknown("assigned by exec()"))
    return None


def _unsaid(env: Env, statement: Statement) -> None:
    """Run it, and write nothing down: its names do not stand where it is called."""
    quiet = env.run.recorder.quiet
    before, quiet[env.frame] = quiet[env.frame], True
    try:
        statement(env)
    finally:
        quiet[env.frame] = before


def _statement(text: str, span: Span) -> Statement | None:
    """The text as a closure; None if it binds a name. Raises SyntaxError."""
    key = text, span
    if key not in _KEPT:
        tree = ast.parse(text)
        alone = not any(
            isinstance(one, _NOT_ALONE)
            or (isinstance(one, ast.stmt) and not isinstance(one, _IN_PLACE))
            or (isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load))
            for one in ast.walk(tree)
        )
        _keep(key, Compiler(_There(text, span)).block(tree.body) if alone else None)
    return _KEPT[key]


def _keep(key: tuple[str, Span], compiled: Any) -> None:
    _KEPT[key] = compiled
    while len(_KEPT) > _MOST:
        _KEPT.popitem(last=False)


def _are_names(space: Any) -> bool:
    return type(space) is dict and all(type(name) is str for name in space)


def _compiled(text: str, span: Span) -> Expression | None:
    """The expression as a closure; None if it does more than give a value. Raises SyntaxError."""
    key = text, span
    if key not in _KEPT:
        node = ast.parse(text, mode="eval").body
        alone = not any(isinstance(one, _NOT_ALONE) for one in ast.walk(node))
        _keep(key, Compiler(_There(text, span)).expression(node) if alone else None)
    return _KEPT[key]
