"""What an import of the interpreted file gives: a listed module, an interpreted one, or an unknown with its reason.

No import of the user's is ever carried out: listed modules were loaded when the tracer started, and
the text of any other is interpreted like the file itself (`modules`).
"""

from __future__ import annotations

import sys
import types
from typing import TYPE_CHECKING, Any

from .. import shims
from ..gate import attributes
from ..gate.own import is_interpreted
from ..neighbours.bars import BARS
from ..unknowns.grown import is_grown
from ..unknowns.unknown import Unknown
from ..wall import allowed, namespaces
from .gathered import absolute_in

if TYPE_CHECKING:
    from ..run import Env


_BARS = BARS["tqdm"]
for _name, _bar in _BARS.items():
    allowed.list_callable(_bar, f"tqdm.{_name}")


def module(env: Env, path: str, wanted: str) -> Any:
    """The value that `import wanted` binds, for the name standing for `path`."""
    if not env.run.modules.is_native(wanted):
        try:
            whole = env.run.modules.get(wanted)
            return whole if path == wanted else env.run.modules.get(path)
        except ImportError as error:
            return env.run.absorb(error)
    if namespaces.is_listed(path):
        found = namespaces.find(path)
        if found is not None:
            env.run.modules.table[wanted] = found
            return found
    if wanted.split(".")[0] == path and path in {name.split(".")[0] for name in namespaces.MODULES}:
        found = namespaces.find(path)
        if found is not None:
            return found
    return Unknown(f"{wanted} is not followed")


def member(env: Env, path: str, name: str) -> Any:
    """The value that `from path import name` binds."""
    if path.split(".")[0] == "tqdm" and name in _BARS:
        return _BARS[name]
    try:
        path = absolute(env, path)
    except ImportError as error:
        return env.run.absorb(error)
    owner = module(env, path, path)
    if type(owner) is Unknown:
        return _listed_elsewhere(path, name) or owner
    inner = f"{path}.{name}"
    if isinstance(owner, types.ModuleType) and not is_interpreted(owner):
        listed = f"{namespaces.path_of(owner)}.{name}"
        if namespaces.is_listed(listed) and listed.split(".")[0] not in namespaces.NEIGHBOURS:
            found = namespaces.find(listed)
            if found is not None:
                return found
    try:
        return attributes.read(env.run, owner, name)
    except AttributeError:
        if "__path__" in getattr(owner, "__dict__", ()) and namespaces.path_of(owner) is None:
            try:
                return env.run.modules.get(inner)
            except ModuleNotFoundError as error:
                if error.name != inner:
                    return env.run.absorb(error)
            except ImportError as error:
                return env.run.absorb(error)
        return env.run.absorb(ImportError(f"cannot import name {name!r} from {path!r}"))


def _listed_elsewhere(path: str, name: str) -> Any:
    """What an unlisted module of torch's holds, if that is listed by another path: `torch.utils.data._utils.collate.default_collate`."""
    home = sys.modules.get(path) if path.partition(".")[0] == "torch" else None
    found = None if home is None else vars(home).get(name)
    return None if found is None or allowed.name_of(found) is None else shims.given_out(found)


def star(env: Env, path: str) -> dict[str, Any]:
    """What `from path import *` binds."""
    try:
        path = absolute(env, path)
    except ImportError as error:
        env.run.switched.open_names = True
        env.run.absorb(error)
        return {}
    owner = module(env, path, path)
    if not isinstance(owner, types.ModuleType):
        env.run.switched.open_names = True
        return {}
    if is_interpreted(owner):
        env.run.modules.catch_up(owner, "*")
        return {name: member(env, path, name) for name in _public(owner)}
    real = namespaces.behind(namespaces.path_of(owner) or "")
    names = getattr(real, "__all__", None) or [name for name in dir(real) if not name.startswith("_")]
    found = {name: attributes.read(env.run, owner, name) for name in names if hasattr(real, name)}
    return {name: value for name, value in found.items() if type(value) is not Unknown}


def _public(owner: types.ModuleType) -> list[str]:
    """The names that a star takes from an interpreted module."""
    listed = owner.__dict__.get("__all__")
    if isinstance(listed, (list, tuple)) and is_grown(listed) is None:
        return [name for name in listed if type(name) is str]
    return [name for name in owner.__dict__ if type(name) is str and not name.startswith("_")]


def absolute(env: Env, path: str) -> str:
    """The absolute name of a module, as `from path import` names it there. Raises ImportError."""
    return absolute_in(env.module.package, path)
