"""Calls of the file's own code with arguments of which nobody knows which they are: `model(**batch)`, `step(*items)`."""

from __future__ import annotations

import inspect
import types
from collections.abc import Sequence
from typing import Any

from torch import nn

from ..unknowns.unknown import Unknown
from .own import interpreted_class, is_interpreted

_KINDS = inspect.Parameter


def completed(
    function: Any, values: Sequence[Any] | None, named: dict[str, Any], why: str
) -> tuple[list[Any], dict[str, Any]] | None:
    """Arguments for every parameter, with an Unknown for each that may be among those; None where it takes any number.

    `values`: None if the positional ones are not known either.
    """
    signature = _signature(function)
    if signature is None:
        return None
    parameters = [*signature.parameters.values()]
    if any(
        one.kind is (_KINDS.VAR_POSITIONAL if values is None else _KINDS.VAR_KEYWORD) for one in parameters
    ):
        return None
    taken, named = [] if values is None else list(values), dict(named)
    for number, one in enumerate(parameters):
        if one.kind in (_KINDS.VAR_POSITIONAL, _KINDS.VAR_KEYWORD) or one.name in named:
            continue
        if one.kind is _KINDS.POSITIONAL_ONLY:
            taken += [Unknown(why)] if number >= len(taken) else []
        elif one.kind is _KINDS.KEYWORD_ONLY or number >= len(taken):
            named[one.name] = Unknown(why)
    return taken, named


def _signature(function: Any) -> inspect.Signature | None:
    """That of a function, a method or a layer of the file."""
    if isinstance(function, nn.Module) and interpreted_class(type(function)):
        function = function.forward
    inner = function.__func__ if isinstance(function, types.MethodType) else function
    if not (isinstance(inner, types.FunctionType) and is_interpreted(inner)) or inner.__name__ == "__init__":
        return None
    return inspect.signature(function)
