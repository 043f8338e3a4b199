"""What was made from the file's own text: functions and classes that may be called."""

from __future__ import annotations

import ast
import types
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ..run import Env

INTERPRETED: dict[int, Any] = {}
"""Functions and classes made from the user's text: id -> the object. Cleared between traces."""

NODES: dict[int, ast.AST] = {}
"""The definition of each function among them. Cleared with them."""


class Made(NamedTuple):
    """How a function of the file was made: its definition, where that stands, and the values of its defaults."""

    node: ast.AST
    env: Env
    defaults: dict[str, Any]


MADE: dict[int, Made] = {}
"""By function, how it was made. Cleared with them."""

CONSTRUCTORS: dict[int, tuple[Any, type]] = {}
"""Constructors that dataclasses wrote for classes of the file: id -> the function, and its class. Cleared with them."""

PREFIX = "__shapewise_file__"
"""Before the name of an interpreted module in the process's own `sys.modules`, so that none of torch's is hidden."""


def alias_of(name: str) -> str:
    """Where Python's own machinery finds an interpreted module: what its functions and classes have for `__module__`."""
    return PREFIX if name == "__main__" else f"{PREFIX}.{name}"


def named_by(alias: str) -> str:
    """The name of the module that has this alias, or the name itself."""
    return "__main__" if alias == PREFIX else alias.removeprefix(f"{PREFIX}.")


UNUSED_METHODS = "__reduce__ __reduce_ex__ __getstate__ __getnewargs__ __getnewargs_ex__ __del__".split()
"""Methods that only pickling, copying and the collector call, natively and on what they like: left out."""


def own(value: Any) -> Any:
    """Something made on behalf of the file's code: it may call it."""
    INTERPRETED[id(value)] = value
    return value


def is_interpreted(value: Any) -> bool:
    """Whether a function or class was made from the user's text."""
    return value is not None and INTERPRETED.get(id(value)) is value


def is_constructor(value: Any) -> bool:
    """Whether this is a constructor that dataclasses wrote for a class of the file."""
    return id(value) in CONSTRUCTORS and CONSTRUCTORS[id(value)][0] is value


def is_on_its_class(function: Any, args: Sequence[Any]) -> bool:
    """Whether such a constructor, if this is one, is called on an object of its class: it writes attributes natively."""
    inner = function.__func__ if isinstance(function, types.MethodType) else function
    if not is_constructor(inner):
        return True
    first = function.__self__ if inner is not function else args[0] if args else None
    return issubclass(type(first), CONSTRUCTORS[id(inner)][1])


def being_made(cls: type) -> bool:
    """Whether a class was made from the user's text, even if it is not complete yet: as the members of an Enum see it."""
    return str(cls.__module__).startswith(PREFIX)


def interpreted_class(cls: type) -> bool:
    """Whether a class was made from the user's text, or inherits from one that was."""
    return any(is_interpreted(base) for base in cls.__mro__)
