"""Packages beside torch: those whose own code runs, and those that stand-ins of ours take the place of.

`packages` lists all. The code of einops, torchvision's models, timm and transformers runs on fake tensors; data sets,
transforms, pictures, tables, trainers, spaces of environments and hubs are stand-ins, a file each.

What runs is imported when a file first imports it, from the user's interpreter, outside of the trace: in a
thread of its own no mode of the trace holds. A file that only has such a name is never imported,
since the tracer sees the installed packages alone (`-I`), and one beside the file goes first
(`modules`). What is given out are stand-in modules: of each real one the callables that
`packages` lists, and plain data.
"""

from __future__ import annotations

import importlib
import types
from typing import Any

from ..outside import outside
from ..wall import allowed, namespaces
from . import hugging, packages


def prepare() -> None:
    """Once a process: from now on `namespaces` finds them."""
    namespaces.NEIGHBOURS.update(dict.fromkeys(packages.PACKAGES, _module))
    hugging.prepare()


def _module(path: str) -> types.ModuleType | None:
    """The stand-in of one module, made when it is first asked for; None where there is no such module."""
    package = packages.PACKAGES[path.split(".")[0]]
    if path not in package.instead and path != package.name:
        if _imported(package, path) is None or _is_hidden(package, path):
            return None
    module = types.ModuleType(path)
    namespaces.INSTEAD[path] = module
    for name, value in package.instead.get(path, {}).items():
        setattr(module, name, value)
        if callable(value):
            allowed.list_callable(value, f"{path}.{name}")
        if isinstance(value, type):
            allowed.list_methods(value, (__name__,))
    module.__getattr__ = lambda name: _member(package, path, name)  # type: ignore[method-assign]
    module.__dir__ = lambda: _names(package, path)  # type: ignore[method-assign]
    return module


def _names(package: packages.Package, path: str) -> list[str]:
    """The names of a module: what it would yet import when asked (`transformers`) is none of them."""
    real = _imported(package, path)
    return sorted({*package.instead.get(path, {}), *(() if real is None else vars(real))})


def _is_hidden(package: packages.Package, path: str) -> bool:
    """Whether something else has the name of a module where it lies: `transformers.utils.auto_docstring`."""
    above, _, name = path.rpartition(".")
    around = _imported(package, above)
    return around is not None and not isinstance(vars(around).get(name, around), types.ModuleType)


def _member(package: packages.Package, path: str, name: str) -> Any:
    """One name of a module. Raises AttributeError for what is not given out."""
    if f"{path}.{name}" in package.instead:
        return namespaces.behind(f"{path}.{name}")
    real = None if name.startswith("__") else _imported(package, path)
    if real is None:
        raise AttributeError(name)
    value = outside(lambda: getattr(real, name))
    if isinstance(value, types.ModuleType):
        found = namespaces.behind(value.__name__) if value.__name__.startswith(f"{package.name}.") else None
        if found is None:
            raise AttributeError(name)
        return found
    if callable(value):
        if name not in package.wrapped and not package.lists(value):
            raise AttributeError(name)
        if name in package.wrapped:
            value = package.wrapped[name](value)
            setattr(namespaces.INSTEAD[path], name, value)
        allowed.list_callable(value, f"{path}.{name}")
        if isinstance(value, type):
            allowed.list_methods(value, (package.name,), package.denied)
            if package.final:
                allowed.FINAL[id(value)] = package.base_for(value)
    elif not isinstance(value, (*allowed.PLAIN, tuple)):
        raise AttributeError(name)
    return value


_ABSENT: set[str] = set()
_LOADED: set[str] = set()


def _imported(package: packages.Package, path: str) -> types.ModuleType | None:
    """The real module, or None where there is none or it may not be looked at."""
    if path in _ABSENT or not package.imported:
        return None
    try:
        module = outside(lambda: _load(package, path))
    except Exception:  # whatever a package raises that does not fit its torch
        _ABSENT.add(path)
        return None
    return module


def _load(package: packages.Package, path: str) -> types.ModuleType:
    """Import a module; what must be otherwise in its package is so before any other of it is there."""
    importlib.import_module(package.name)
    if package.name not in _LOADED:
        package.loaded()
        _LOADED.add(package.name)
        allowed.NEIGHBOURS_DENY[package.name] = package.denied
    return importlib.import_module(path)
