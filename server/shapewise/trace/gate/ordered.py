"""`sorted`, `min` and `max` where what decides the order is not known: what there is to order, or to choose from, is."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from torch._subclasses.fake_tensor import DataDependentOutputException

from ..stdlib import chance
from ..unknowns.grown import is_grown
from ..unknowns.unknown import Lost, Unknown
from . import subscripts

if TYPE_CHECKING:
    from ..run import Env

_KINDS = (list, tuple, dict)
_BY_DATA = (Lost, DataDependentOutputException)
"""What comparing raises where only data decides it."""


def goes_by_items(function: Any, args: Sequence[Any], options: dict[str, Any]) -> bool:
    """Whether this call compares the items of what it is given, or a key of each, and counts on no more of them."""
    if len(args) != 1 or type(args[0]) not in _KINDS or is_grown(args[0]) is not None:
        return False
    if any(type(options.get(name)) is Unknown for name in ("key", "default")):
        return False
    if function is builtins.sorted:
        return True
    return function in (builtins.min, builtins.max) and (
        options.get("key") is not None or all(type(item) is tuple for item in args[0])
    )


def in_order(items: Any, **options: Any) -> list[Any]:
    """`sorted`."""
    items = list(items)
    try:
        return sorted(items, **options)
    except _BY_DATA as error:
        return chance.in_some_order(items, _why(error))


def first(env: Env, function: Any, items: Any, options: dict[str, Any]) -> Any:
    """`min` or `max` of items by a key, or of tuples: one of them."""
    items = list(items)
    try:
        return function(items, **options)
    except _BY_DATA as error:
        try:
            return subscripts.any_of(env.run, items, _why(error))
        except LookupError:
            raise error from None


def _why(error: Exception) -> str:
    return error.why if isinstance(error, Lost) else "depends on the data"
