"""`with` blocks. A context manager of the file is walked around the block: up to its `yield`, the block, the rest."""

from __future__ import annotations

import ast
from collections.abc import Callable

from .definitions import Function
from .events import Within
from .following import Following
from .values import INSTANCE, Value

_MAKES_ONE = ("contextlib.contextmanager", "contextlib.asynccontextmanager")
MANAGER = "manager"
"""What a call of a function of the file's gives that is a context manager: `on` is the function."""


class Contexts(Following):
    """The part of the walk that knows `with` blocks."""

    def stmt_With(self, node: ast.With | ast.AsyncWith) -> bool:
        return self._with(node, 0)

    stmt_AsyncWith = stmt_With

    def _with(self, node: ast.With | ast.AsyncWith, number: int) -> bool:
        if number == len(node.items):
            return self.block(node.body)
        item = node.items[number]
        value = self.value(item.context_expr)
        leaves = False

        def inner(given: Value) -> None:
            nonlocal leaves
            if item.optional_vars is not None:
                self.assign(item.optional_vars, given)
            leaves = self._with(node, number + 1)

        if self.within_manager(value, inner):
            return leaves
        with self.around(Within(value, node)):
            inner(value)
        return leaves

    def within_manager(self, value: Value, inner: Callable[[Value], None]) -> bool:
        """Walk something within a context manager of the file. Whether it is one that could be followed."""
        if value.by == MANAGER and value.on is not None and value.on.function is not None:
            if not self.can_enter(value.on.function):
                return False
            self.enter(value.on, value.args, value.kwargs, value.node, self._set_apart(inner))
            return True
        if value.by != INSTANCE or value.cls is None or value.cls.foreign() - {"builtins.object"}:
            return False
        enter, leave = (value.cls.method(name) for name in ("__enter__", "__exit__"))
        if enter is None or leave is None or not (self.can_enter(enter) and self.can_enter(leave)):
            return False
        if any(_switches_gradients(one.node) for one in (enter, leave)):
            return False
        inner(self.enter(self.method(value, enter.node, enter.node), (), {}, value.node))
        nothing = [Value() for _ in leave.parameters()[1:]]
        self.enter(self.method(value, leave.node, leave.node), nothing, {}, value.node)
        return True

    def _set_apart(self, inner: Callable[[Value], None]) -> Callable[[Value], None]:
        """What is to be walked at the `yield`, in the names and places of the block itself."""
        scope, depth, active = self.scope, len(self.where), list(self._active)

        def walked(given: Value) -> None:
            within = self.where, self.scope, self._active
            blocks = [one for one in self.where[depth:] if isinstance(one, Within)]
            self.where = [*self.where[:depth], *blocks]
            self.scope, self._active = scope, active
            inner(given)
            self.where, self.scope, self._active = within

        return walked

    def is_manager(self, function: Function) -> bool:
        """Whether a function makes a context manager, by one `yield` that it surely comes to."""
        made = any(self.value(one).path in _MAKES_ONE for one in function.decorators)
        return made and _yields_once(function.node) and not _switches_gradients(function.node)


def _yields_once(function: ast.AST) -> bool:
    yields = [node for node in ast.walk(function) if isinstance(node, (ast.Yield, ast.YieldFrom))]
    return len(yields) == 1 and _comes_to(getattr(function, "body", []), yields[0])


def _comes_to(block: list[ast.stmt], sought: ast.expr) -> bool:
    """Whether a block surely comes to an expression: through `with` and `try`, past no condition and no loop."""
    for statement in block:
        if isinstance(statement, (ast.With, ast.AsyncWith, ast.Try)):
            if _comes_to(statement.body, sought):
                return True
        elif isinstance(statement, (ast.Expr, ast.Assign)) and statement.value is sought:
            return True
    return False


def _switches_gradients(function: ast.AST) -> bool:
    """Whether it says so by a call that stays in force, which no block shows."""
    return any(
        isinstance(node, ast.Attribute) and node.attr in ("set_grad_enabled", "_set_grad_enabled")
        for node in ast.walk(function)
    )
