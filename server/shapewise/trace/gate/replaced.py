"""Attributes that the file sets on what is not its own: `Tensor.flip_it = f`, `F.relu = f`.

They are not set, as the next file would have them too: nobody knows what they are from there on.
"""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

from ..unknowns.unknown import Unknown
from .own import interpreted_class, is_interpreted

if TYPE_CHECKING:
    from ..run import Run


def note(run: Run, value: Any, name: str) -> None:
    """An attribute is set: of a class or a module that is not the file's own, it is not known any more."""
    foreign = (isinstance(value, type) and not interpreted_class(value)) or (
        isinstance(value, types.ModuleType) and not is_interpreted(value)
    )
    owners = run.switched.replaced.setdefault(name, []) if foreign else []
    if foreign and not any(owner is value for owner in owners):
        owners.append(value)


def read(run: Run, value: Any, name: str) -> Unknown | None:
    """What stands for an attribute that was set so, None if it was not."""
    for owner in run.switched.replaced.get(name, ()):
        cls = value if isinstance(value, type) else type(value)
        if owner is value or (isinstance(owner, type) and issubclass(cls, owner)):
            return Unknown(f"{name} was set on {getattr(owner, '__name__', 'what is not of this file')}")
    return None
