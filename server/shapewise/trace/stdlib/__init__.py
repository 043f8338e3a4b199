"""Modules of Python's library as the interpreted file sees them: stand-ins under the library's names.

A stand-in module is given for what touches the world outside (os, sys, logging), holds what nobody
can know (random), leads around the gate (inspect) or can be kept busy by a few letters (re).
What it does not hold is unknown. All others are in `wall.namespaces`.
"""

from __future__ import annotations

import importlib
import types
from collections.abc import Callable, Mapping
from typing import Any

from ..control import Thrown
from ..disk import lose
from ..shims import here
from ..wall import allowed, namespaces

_PARTS = (
    "annotations",
    "arguments",
    "chance",
    "distributions",
    "files",
    "objects",
    "tables",
    "functions",
    "paths",
    "patterns",
    "quiet",
    "settings",
    "standing_in",
    "system",
    "texts",
)

AT_THE_START: list[Callable[[str], None]] = []
"""Called with the file's path before each trace: what a file may have changed is as it was."""


def prepare() -> None:
    """Make the stand-in modules, once a process."""
    for part in _PARTS:
        importlib.import_module(f"{__name__}.{part}")


def begin(file: str) -> None:
    """A trace of this file begins."""
    for restore in AT_THE_START:
        restore(file)


def stand_in(path: str, members: Mapping[str, Any]) -> types.ModuleType:
    """Make a stand-in module of these members and list its functions and classes as callable."""
    module = types.ModuleType(path)
    for name, value in members.items():
        setattr(module, name, value)
        if callable(value):
            list_member(value, f"{path}.{name}")
    namespaces.INSTEAD[path] = module
    return module


def list_member(value: Any, name: str) -> None:
    """List a function or a class of ours, and the methods of the class. They may be given unknown values."""
    allowed.list_callable(value, name)
    allowed.TAKES_UNKNOWNS.add(id(value))
    if not isinstance(value, type) or not value.__module__.startswith(__name__):
        return
    for attribute, method in vars(value).items():
        function = getattr(method, "__func__", method)
        if isinstance(function, types.FunctionType) and allowed.readable(attribute):
            allowed.list_callable(function, attribute)
            allowed.TAKES_UNKNOWNS.add(id(function))
            if function is method and function is not nothing:
                allowed.own_method(function, value)


def nothing(*args: Any, **kwargs: Any) -> None:
    """What a call that only speaks to the world outside is to the interpreted file."""
    lose((*args, *kwargs.values()))


def leave(code: Any = None) -> Any:
    """The file ends itself."""
    error = Thrown(SystemExit(code))
    env = here()
    if env is not None:
        env.run.raised.append(error)
    raise error
