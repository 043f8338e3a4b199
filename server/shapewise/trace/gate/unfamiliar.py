"""Layers of which not all is known: a base class is not followed, or its constructor is not called.

A base class that is not followed, of a class with a `forward`, is a layer of which no more is known than that it is one.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from torch import nn

from ..state import ATTRIBUTE
from ..unknowns.grown import mark_of
from ..unknowns.unknown import Lost, Unknown
from ..wall import allowed
from .own import interpreted_class

if TYPE_CHECKING:
    from ..run import Run

_WHY = "what its base class does is not followed"
_OPEN = "_unfamiliar"
"""The attribute of a layer in which there is more than is known."""


class Unfamiliar(nn.Module):
    """Stands for such a base: it takes whatever it is given, and what else it has is not known (see `lacks`)."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__()
        # A layer without weights of its own may have some there: see `patches`.
        self.__dict__[_OPEN] = Unknown(_WHY)

    def forward(self, *args: Any, **options: Any) -> Any:
        """What the base makes of its inputs."""
        return Unknown(_WHY, True)

    def _lost(self, *args: Any) -> Any:
        raise Lost(_WHY)

    __iter__ = __len__ = __getitem__ = __setitem__ = __contains__ = __enter__ = __exit__ = _lost


allowed.list_callable(Unfamiliar, "Unfamiliar")
for _function in vars(Unfamiliar).values():
    if isinstance(_function, types.FunctionType):
        allowed.list_callable(_function, _function.__name__)
        allowed.own_method(_function, Unfamiliar)
        allowed.TAKES_UNKNOWNS.add(id(_function))


def is_a_layer(node: ast.ClassDef) -> bool:
    """Whether a class is called like one of torch's layers."""
    return any(isinstance(one, ast.FunctionDef) and one.name == "forward" for one in node.body)


def bases_of(parents: list[Any]) -> list[Any]:
    """The bases of a layer, with `Unfamiliar` once for those that are not known."""
    known = [Unfamiliar if type(one) is Unknown else one for one in parents]
    if Unfamiliar in known:
        known = [one for one in known if one not in (nn.Module, object)]
    return list(dict.fromkeys(known))


def left_out(function: Any, args: Sequence[Any], why: str) -> Unknown:
    """What a call gives that is not made: of a layer whose base class is not constructed, what that would put in it."""
    made = Unknown(why)
    if not isinstance(function, (types.FunctionType, types.MethodType)) or function.__name__ != "__init__":
        return made
    layer = getattr(function, "__self__", args[0] if args else None)
    if isinstance(layer, nn.Module):
        if "_modules" not in vars(layer):
            nn.Module.__init__(layer)
        if getattr(function, "__func__", function) is not nn.Module.__init__:
            layer.__dict__[_OPEN] = made
    return made


def unmade(made: Any) -> Unknown | None:
    """Why what a call of a class gave is not the layer that it seems to be: code of torch's reads what it lacks."""
    lost = _left_open(made) if isinstance(made, nn.Module) else None
    if lost is None:
        return None
    bases = type(made).__mro__
    return None if all(interpreted_class(one) for one in bases[: bases.index(nn.Module)]) else lost


def leave_open(run: Run, value: Any) -> None:
    """An attribute of an object of the file's is set, and nobody knows which: what it lacks it may have."""
    if not interpreted_class(type(value)) or isinstance(value, type):
        return
    try:
        names = object.__getattribute__(value, "__dict__")
    except AttributeError:  # it has slots
        return
    run.journal.note(ATTRIBUTE, value, _OPEN)
    names[_OPEN] = Unknown("an attribute whose name is not known")


def leave_layer_open(layer: nn.Module, lost: Unknown) -> None:
    """A layer has weights and attributes of which nothing is known."""
    layer.__dict__[_OPEN] = lost


def _left_open(value: Any) -> Unknown | None:
    known = isinstance(value, nn.Module) or interpreted_class(type(value))
    if not known or isinstance(value, (type, Unfamiliar)):
        return None
    try:
        names = object.__getattribute__(value, "__dict__")
    except AttributeError:  # it has slots
        return None
    if _OPEN in names:
        return names[_OPEN]
    mark = mark_of(names)  # `self.__dict__[key] = value`
    return None if mark is None else Unknown(mark.why)


def lacks(value: Any) -> Unknown | None:
    """What is read of an object, a class or a `super()` that does not have it: not known, if a base is not."""
    if (lost := _left_open(value)) is not None:
        return lost
    kind = value if isinstance(value, type) else getattr(value, "__self_class__", type(value))
    found = isinstance(kind, type) and Unfamiliar in kind.__mro__
    return Unknown(_WHY) if found else None
