"""What a client sends that the protocol does not name: settings, and the parameters of requests of our own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def given(params: Any, name: str) -> Any:
    """A part of it, None if it is not there. pygls makes objects of what was JSON."""
    if isinstance(params, Mapping):
        return params.get(name)
    return getattr(params, name, None)
