"""`super().__getattr__(name)`, `object.__setattr__(self, name, value)`: past the methods of that name of the program's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch import nn

from ..gate import admitted, attributes
from ..gate.own import interpreted_class
from ..state import ATTRIBUTE, settle, unsure
from ..state import write as put
from ..unknowns.unknown import Unknown
from ..wall import allowed
from . import shim

if TYPE_CHECKING:
    from ..run import Env


def _may_be_set(value: Any, name: Any) -> bool:
    own = interpreted_class(type(value)) and not isinstance(value, type)
    return own and type(name) is str and allowed.readable(name)


@shim(object.__setattr__, type.__setattr__)
def _object_setattr(env: Env, value: Any, name: Any, new: Any) -> None:
    """Past a `__setattr__` of the user's own, on the user's own objects only."""
    if _may_be_set(value, name):
        env.run.journal.note(ATTRIBUTE, value, name)
        object.__setattr__(value, name, new)


@shim(object.__getattribute__, type.__getattribute__, super.__getattribute__)
def _object_getattribute(env: Env, value: Any, name: Any) -> Any:
    """Past a `__getattribute__` of the user's own, through the wall all the same."""
    if type(name) is not str or not allowed.readable(name):
        return Unknown("an attribute that is not followed")
    if isinstance(value, type) or not interpreted_class(type(value)):
        return attributes.read(env.run, value, name)
    found = object.__getattribute__(value, name)
    return found if admitted.may_hold(found) else Unknown(f"{name} is not followed")


@shim(object.__delattr__, type.__delattr__)
def _object_delattr(env: Env, value: Any, name: Any) -> None:
    """Past a `__delattr__` of the user's own, on the user's own objects only. Raises AttributeError."""
    if _may_be_set(value, name):
        env.run.journal.note(ATTRIBUTE, value, name)
        object.__delattr__(value, name)


@shim(nn.Module.__getattr__)
def _module_getattr(env: Env, layer: Any, name: Any) -> Any:
    """A parameter, a buffer or a layer. Raises AttributeError."""
    if type(name) is not str or not isinstance(layer, nn.Module):
        return Unknown("an attribute that is not followed")
    lost = unsure(layer, name)
    return admitted.admit(nn.Module.__getattr__(layer, name)) if lost is None else lost


@shim(nn.Module.__setattr__)
def _module_setattr(env: Env, layer: Any, name: Any, new: Any) -> None:
    """On the program's own layers."""
    if type(name) is not str or not isinstance(layer, nn.Module) or not interpreted_class(type(layer)):
        return
    env.run.journal.note(ATTRIBUTE, layer, name)
    settle(layer, name)
    if type(new) is Unknown:
        put(ATTRIBUTE, layer, name, new)  # torch takes no such thing in the place of a parameter or a layer
    else:
        nn.Module.__setattr__(layer, name, new)
