"""Which values are plain data: real functions of Python's library may be handed them."""

from __future__ import annotations

import pathlib
from typing import Any

from ..unknowns.grown import is_grown

SCALARS = frozenset((int, float, complex, bool, str, bytes, type(None)))
_BITS = 10_000
_LETTERS = 200_000
_ITEMS = 20_000


def is_scalar(value: Any) -> bool:
    """Whether a value is a number, a short text, a truth value or None; of exactly that type, not of one derived."""
    kind = type(value)
    if kind is int:
        return value.bit_length() <= _BITS
    if kind is str or kind is bytes:
        return len(value) <= _LETTERS
    return kind in SCALARS


def is_plain(value: Any) -> bool:
    """Whether a value is made of scalars and of Python's own containers only, and not too large."""
    waiting, seen = [value], 0
    while waiting:
        item = waiting.pop()
        kind = type(item)
        if kind in SCALARS:
            if not is_scalar(item):
                return False
            continue
        seen += 1
        if kind is range:
            if len(item) > _ITEMS:
                return False
            continue
        if kind not in (list, tuple, dict, set, frozenset) or is_grown(item) is not None:
            return False
        seen += len(item)
        if seen > _ITEMS:
            return False
        if kind is dict:
            waiting.extend(item.values())
            waiting.extend(item)
        else:
            waiting.extend(item)
    return True


def as_path(value: Any) -> str | None:
    """The text of a path, None if it is not known."""
    if isinstance(value, pathlib.PurePath):
        return str(value)
    return value if type(value) is str and len(value) <= _LETTERS else None
