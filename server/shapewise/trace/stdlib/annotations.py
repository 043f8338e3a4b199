"""`from __future__ import annotations`; typing_extensions, which torch itself needs: typing's own names, under whatever Python, and what only marks what is written."""

from __future__ import annotations
import __future__

import typing
from typing import Any

from ..gate.own import own
from ..shims import given_out
from ..shims import stdlib as _shims_of_typing  # noqa: F401
from ..wall import namespaces
from . import stand_in


def override(method: Any) -> Any:
    """`typing_extensions.override`."""
    return method


def deprecated(*args: Any, **options: Any) -> Any:
    """`typing_extensions.deprecated(message)`, a decorator."""
    return own(lambda made: made)


_MARKS = {"override": override, "deprecated": deprecated}
_module = stand_in("typing_extensions", _MARKS)
for _name in set(typing.__all__) - namespaces.WHOLE["typing"] - set(_MARKS):
    setattr(_module, _name, given_out(getattr(typing, _name)))

namespaces.MEMBERS["__future__", "annotations"] = __future__.annotations
