"""What a constructor is handed of the file's own: a config with its defaults."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from ..own import is_interpreted
from . import usage
from .specs import Bundle

if TYPE_CHECKING:
    from ..run import Env


def fill(bundle: Bundle, env: Env, own: type) -> None:
    """A config of the file's own that has the fields that are read: with its defaults."""
    for cls in env.names.values():
        if not isinstance(cls, type) or not is_interpreted(cls) or cls is own:
            continue
        given = {**getattr(cls, "__annotations__", {}), **vars(cls)}
        if bundle.fields and all(name in given for name in bundle.fields):
            fields = getattr(cls, "__dataclass_fields__", None)
            for name in fields if fields is not None else vars(cls):
                default = vars(cls).get(name, inspect.Parameter.empty)
                if name.startswith("__") or callable(default) and default is not inspect.Parameter.empty:
                    continue
                bundle.fields[name] = (
                    usage.of_field(name)
                    if default is inspect.Parameter.empty
                    else usage.of_default(name, default)
                )
            return
