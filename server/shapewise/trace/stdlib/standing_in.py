"""`types.ModuleType` for a program that puts an object of its own in the place of a module:
`sys.modules[__name__] = _LazyModule(__name__, ...)`, whose `__getattr__` imports what is asked for."""

from __future__ import annotations

import types
from typing import Any

from ..wall import namespaces
from . import list_member


class _Kind(type):
    """A module that was imported is one of `types.ModuleType`, too."""

    def __instancecheck__(cls, value: Any) -> bool:
        return type.__instancecheck__(cls, value) or (
            cls is ModuleType and isinstance(value, types.ModuleType)
        )


class ModuleType(metaclass=_Kind):
    """An object like any other, with the names that a module has."""

    def __init__(self, name: Any, doc: Any = None) -> None:
        self.__name__, self.__doc__ = name, doc
        self.__package__ = self.__loader__ = self.__spec__ = None


list_member(ModuleType, "types.ModuleType")
namespaces.MEMBERS["types", "ModuleType"] = ModuleType
