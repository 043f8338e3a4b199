"""`importlib`: modules by a name that is known only when the program runs."""

from __future__ import annotations

import importlib
import importlib.util
import types
from typing import TYPE_CHECKING, Any

from ..sources.gathered import absolute_in
from ..unknowns.unknown import Unknown
from . import shim

if TYPE_CHECKING:
    from ..run import Env


@shim(importlib.import_module)
def _import_module(env: Env, name: Any, package: Any = None) -> Any:
    from ..sources import imports  # which needs the gate, and the gate this table

    if type(name) is not str or not isinstance(package, (str, type(None))):
        return Unknown("a module whose name is not known")
    path = absolute_in(package or "", name)
    return imports.module(env, path, path)


@shim(importlib.util.find_spec)
def _find_spec(env: Env, name: Any, package: Any = None) -> Any:
    """Something true where the module is there, else None."""
    if type(name) is not str or package is not None:
        return Unknown("a module whose name is not known")
    return types.SimpleNamespace(name=name) if env.run.modules.exists(name) else None
