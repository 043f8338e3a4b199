"""What an import of the interpreted file gives: a listed module, or an unknown with its reason.

No import of the user's is ever carried out: listed modules were loaded when the tracer started.
"""

from __future__ import annotations

import importlib.util
import types
from typing import TYPE_CHECKING, Any

from . import attributes
from .progress import Bar, trange
from .unknown import Unknown
from .wall import allowed, namespaces

if TYPE_CHECKING:
    from .run import Env


_BARS = {"tqdm": Bar, "trange": trange}
for _name, _bar in _BARS.items():
    allowed.list_callable(_bar, f"tqdm.{_name}")


def module(env: Env, path: str, wanted: str) -> Any:
    """The value that `import wanted` binds, for the name standing for `path`."""
    real = namespaces.ALIASES.get(path.split(".")[0])
    if real is not None:
        path = real + path[len(path.split(".")[0]) :]
    if path in namespaces.MODULES:
        found = namespaces.find(path)
        if found is not None:
            return found
    if wanted.split(".")[0] == path and path in {name.split(".")[0] for name in namespaces.MODULES}:
        found = namespaces.find(path)
        if found is not None:
            return found
    return _absent(env, wanted)


def member(env: Env, path: str, name: str) -> Any:
    """The value that `from path import name` binds."""
    if path.split(".")[0] == "tqdm" and name in _BARS:
        return _BARS[name]
    owner = module(env, path, path)
    if isinstance(owner, types.ModuleType):
        inner = f"{owner.__name__}.{name}"
        if inner in namespaces.MODULES:
            found = namespaces.find(inner)
            if found is not None:
                return found
        try:
            return attributes.read(env.run, owner, name)
        except AttributeError:
            return env.run.absorb(ImportError(f"cannot import name {name!r} from {path!r}"))
    return owner


def star(env: Env, path: str) -> dict[str, Any]:
    """What `from path import *` binds."""
    owner = module(env, path, path)
    if not isinstance(owner, types.ModuleType):
        return {}
    names = getattr(owner, "__all__", None) or [name for name in dir(owner) if not name.startswith("_")]
    found = {name: attributes.read(env.run, owner, name) for name in names if hasattr(owner, name)}
    return {name: value for name, value in found.items() if type(value) is not Unknown}


def _absent(env: Env, path: str) -> Any:
    """A module that is not followed. One that is not even there raises where the file expects that."""
    top = path.split(".")[0]
    missing = ModuleNotFoundError(f"No module named {top!r}")
    if top and env.run.is_caught(missing) and not _exists(top):
        raise missing
    return Unknown(f"{path or 'a relative import'} is not followed")


def _exists(top: str) -> bool:
    """Whether a package could be imported, found without importing anything."""
    try:
        return importlib.util.find_spec(top) is not None
    except (ImportError, ValueError):
        return False
