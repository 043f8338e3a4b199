"""Parameters of a function, and how a call's arguments come to stand in them."""

from __future__ import annotations

import ast
import inspect
from typing import TYPE_CHECKING, Any

from ..run import Env

if TYPE_CHECKING:
    from . import Base

_EMPTY = inspect.Parameter.empty


class Signature:
    """The parameters of one `def` or `lambda`. `spans` says where each name stands."""

    def __init__(self, compiler: Base, args: ast.arguments) -> None:
        private = compiler.private
        self.positional = [private(a.arg) for a in [*args.posonlyargs, *args.args]]
        self.positional_only = len(args.posonlyargs)
        self.keyword = [private(a.arg) for a in args.kwonlyargs]
        self.vararg = private(args.vararg.arg) if args.vararg else None
        self.kwarg = private(args.kwarg.arg) if args.kwarg else None
        self.spans = {}
        for arg in [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]:
            if arg is not None and arg.arg not in ("self", "cls"):
                span = compiler.span(arg)
                self.spans[private(arg.arg)] = type(span)(
                    span.line, span.column, span.line, span.column + len(arg.arg)
                )
        first = len(self.positional) - len(args.defaults)
        self._defaults = {
            self.positional[first + i]: compiler.expression(d) for i, d in enumerate(args.defaults)
        }
        self._defaults.update(
            {n: compiler.expression(d) for n, d in zip(self.keyword, args.kw_defaults) if d is not None}
        )
        self.public = self._public()

    def shown(self, defaults: dict[str, Any]) -> inspect.Signature:
        """The signature with these defaults."""
        if not defaults:
            return self.public
        parameters = self.public.parameters.values()
        return inspect.Signature(
            [p.replace(default=defaults[p.name]) if p.name in defaults else p for p in parameters]
        )

    def defaults(self, env: Env) -> dict[str, Any]:
        """Default values, evaluated where the function is defined."""
        return {name: default(env) for name, default in self._defaults.items()}

    def _public(self) -> inspect.Signature:
        kinds = inspect.Parameter
        parameters = [
            kinds(
                n,
                kinds.POSITIONAL_ONLY if i < self.positional_only else kinds.POSITIONAL_OR_KEYWORD,
                default=None if n in self._defaults else _EMPTY,
            )
            for i, n in enumerate(self.positional)
        ]
        if self.vararg:
            parameters.append(kinds(self.vararg, kinds.VAR_POSITIONAL))
        parameters += [
            kinds(n, kinds.KEYWORD_ONLY, default=None if n in self._defaults else _EMPTY)
            for n in self.keyword
        ]
        if self.kwarg:
            parameters.append(kinds(self.kwarg, kinds.VAR_KEYWORD))
        return inspect.Signature(parameters)

    def bind(
        self, name: str, values: tuple[Any, ...], named: dict[str, Any], defaults: dict[str, Any]
    ) -> dict[str, Any]:
        """Parameter -> value, in the order of the signature. Raises TypeError in Python's words."""
        bound = dict(zip(self.positional, values))
        if len(values) > len(self.positional) and self.vararg is None:
            raise TypeError(
                f"{name}() takes {len(self.positional)} positional arguments but {len(values)} were given"
            )
        if self.vararg is not None:
            bound[self.vararg] = tuple(values[len(self.positional) :])
        extra: dict[str, Any] = {}
        for key, value in named.items():
            if key in self.positional[self.positional_only :] or key in self.keyword:
                if key in bound:
                    raise TypeError(f"{name}() got multiple values for argument '{key}'")
                bound[key] = value
            elif self.kwarg is not None:
                extra[key] = value
            else:
                raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
        if self.kwarg is not None:
            bound[self.kwarg] = extra
        for parameter in [*self.positional, *self.keyword]:
            if parameter not in bound:
                if parameter not in defaults:
                    raise TypeError(f"{name}() missing 1 required positional argument: '{parameter}'")
                bound[parameter] = defaults[parameter]
        return bound
