"""Syntax trees compiled once into closures.

`Compiler.expression(node)` gives a function of the environment that gives a value;
`Compiler.statement(node)` one that runs it and gives None or a signal (see `control`).
Adding a kind of node means adding a method of its name, in the file of its concern.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ...vocabulary.span import Span
from ..control import Signal
from ..run import Env
from ..sources.places import Places

Expression = Callable[[Env], Any]
Target = Callable[[Env, Any], None]
Statement = Callable[[Env], "Signal | None"]


class Base:
    """What every part of the compiler needs: places, and the dispatch by node class."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.mangled_by = ""
        """The class around the node being compiled, without leading underscores."""

    def private(self, name: str) -> str:
        """The name that Python makes of `__name` inside a class."""
        if self.mangled_by and name.startswith("__") and not name.endswith("__"):
            return f"_{self.mangled_by}{name}"
        return name

    def span(self, node: ast.AST) -> Span:
        return self.places.span(node)

    def expression(self, node: ast.expr) -> Expression:
        method = getattr(self, f"expr_{type(node).__name__}", None)
        return method(node) if method is not None else self.unsupported(node)

    def statement(self, node: ast.stmt) -> Statement:
        method = getattr(self, f"stmt_{type(node).__name__}", None)
        return method(node) if method is not None else self.unsupported(node)

    def block(self, body: list[ast.stmt], top: bool = False) -> Statement:
        """Statements one after the other."""
        raise NotImplementedError

    def target(self, node: ast.expr) -> Target:
        """A function that binds a value to what stands left of an assignment."""
        raise NotImplementedError

    def function(
        self, node: Any, name: str, args: ast.arguments, body: list[ast.stmt], decorators: list[ast.expr]
    ) -> Expression:
        """An expression that makes a function."""
        raise NotImplementedError

    @staticmethod
    def home(env: Env, name: str) -> Env:
        """The environment in which an assignment in `env` binds the name (global and nonlocal move it)."""
        moved = env.names.get("<moved>")
        if moved is not None and name in moved:
            return moved[name]
        return env

    def unsupported(self, node: ast.AST) -> Any:
        from ..unknowns.unknown import Unknown

        why = f"{type(node).__name__} is not followed yet"
        return (lambda env: Unknown(why)) if isinstance(node, ast.expr) else (lambda env: None)
