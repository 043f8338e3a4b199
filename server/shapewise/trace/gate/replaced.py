"""Attributes that the file sets on what is not its own: `Tensor.flip_it = f`, `F.relu = f`.

They are not set, as the next file would have them too. A new name is looked up here; what stands in for something that
torch has, and would call itself, is not known from there on, nor is what may have been set or not.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..unknowns.unknown import MISSING, Unknown
from ..wall import namespaces
from .own import interpreted_class, is_interpreted

if TYPE_CHECKING:
    from ..run import Run


def note(run: Run, value: Any, name: str, new: Any) -> None:
    """An attribute is set, which matters here if it is one of a class or a module that is not the file's own."""
    if not _is_foreign(value):
        return
    set_before = run.switched.replaced.setdefault(name, {})
    surely = not run.journal.segments and id(value) not in set_before and not _has(value, name)
    if not surely:
        new = Unknown(f"{name} was set on {value.__name__}")
    set_before[id(value)] = value, new


def read(run: Run, value: Any, name: str) -> Any:
    """What was set so, as it is read from this; MISSING if nothing was."""
    owners = run.switched.replaced.get(name, {})
    for owner in _asked(value, name) if owners else ():
        _, found = owners.get(id(owner), (None, MISSING))
        if isinstance(found, types.FunctionType) and not isinstance(value, (type, types.ModuleType)):
            return types.MethodType(found, value)
        if found is not MISSING:
            plain = isinstance(found, (types.FunctionType, Unknown, str, int, float))
            return found if plain else Unknown(f"{name} was set on {owner.__name__}")
    return MISSING


def _is_foreign(value: Any) -> bool:
    if isinstance(value, types.ModuleType):
        return not is_interpreted(value)
    return isinstance(value, type) and not interpreted_class(value)


def _has(value: Any, name: str) -> bool:
    path = namespaces.path_of(value) if isinstance(value, types.ModuleType) else None
    return hasattr(value if path is None else namespaces.behind(path), name)


def _asked(value: Any, name: str) -> Iterator[Any]:
    """What is asked for an attribute, in turn, until one has it."""
    if isinstance(value, types.ModuleType):
        yield value
    elif isinstance(value, type) or name not in getattr(value, "__dict__", ()):
        for base in (value if isinstance(value, type) else type(value)).__mro__:
            yield base
            if name in vars(base):
                return
