"""What a constructor is handed of the file's own: a config with its defaults, a layer that is called as its class is."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from torch import nn

from ..own import NODES, interpreted_class, is_interpreted
from . import usage
from .reads import Around
from .sizes import Free
from .specs import Bundle, Plain, Spec
from .targets import functions_of

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


def layer_called(name: str, env: Env, own: type, beside: dict[str, Spec], depth: int = 2) -> Bundle | None:
    """The layer of the file that is called as a parameter is (`attention`: `Attention`), made of numbers of its own.

    A parameter of both has one number.
    """
    found = [
        cls
        for cls in env.names.values()
        if isinstance(cls, type)
        and interpreted_class(cls)
        and issubclass(cls, nn.Module)
        and cls.__name__.lower() == name.replace("_", "").lower()
        and cls is not own
    ]
    init = functions_of(found[0]).get("__init__") if found else None
    if init is None or id(init) not in NODES:
        return None
    nodes = [NODES[id(one)] for one in functions_of(found[0]).values() if id(one) in NODES]
    made = usage.of_constructor(NODES[id(init)], inspect.signature(init), Around(nodes, {}))
    for label, spec in made.items():
        if isinstance(spec, Free):
            same = beside.get(label)
            if isinstance(same, Free):
                made[label] = same
            else:
                spec.label = None
        elif not isinstance(spec, Plain):
            inner = layer_called(label, env, found[0], made, depth - 1) if depth else None
            if inner is None:
                return None
            made[label] = inner
    return Bundle(made, found[0])
