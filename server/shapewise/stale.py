"""Work about a text that has changed meanwhile: nobody waits for it, and it is in the way of what somebody waits for.

Whoever begins it says how to ask (`until`); whoever takes long looks now and then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_is_stale: ContextVar[Callable[[], bool] | None] = ContextVar("is_stale", default=None)


class Stale(BaseException):
    """The text has changed. No `Exception`: nobody but who began the work has anything to say to it."""


@contextmanager
def until(is_stale: Callable[[], bool]) -> Iterator[None]:
    """What is done within ends, where it looks, once this is so."""
    before = _is_stale.set(is_stale)
    try:
        yield
    finally:
        _is_stale.reset(before)


def look() -> None:
    """Raises Stale where nobody waits any more. Quick."""
    is_stale = _is_stale.get()
    if is_stale is not None and is_stale():
        raise Stale
