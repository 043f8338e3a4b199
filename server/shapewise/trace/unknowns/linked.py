"""Containers of which a value is one, and nobody knows which: what is done to it may be done to each of them.

`(train if is_new else held_out).append(row)` makes either of two lists longer. The value is a container of its own;
what changes it, or one of those that it may be, is done to the others on one of two ways.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from .grown import MUTABLE, copied, grown, mark_of

_MOST = 64
"""A container that may be one of more than this is not followed to all of them: what they hold is not known then."""


class _Link(NamedTuple):
    container: Any
    one_of: list[Any]
    """Those that it may be."""
    latest: list[Any]
    """The last one that it may be: those before it are seldom held any more."""


_LINKS: dict[int, _Link] = {}


def forget() -> None:
    """Called between traces."""
    _LINKS.clear()


def linked(joined: Any, values: list[Any]) -> Any:
    """The join of these values, as one that is changed with those that it may be."""
    every = {id(one): one for one in values}
    if len(every) < 2 or type(joined) not in MUTABLE or any(type(one) not in MUTABLE for one in values):
        return joined
    if id(joined) in every:
        joined = copied(joined)
    _link(joined).one_of.extend(every.values())
    for one in every.values():
        _link(one).latest[:] = [joined]
    return joined


def _link(container: Any) -> _Link:
    known = _LINKS.get(id(container))
    if known is None or known.container is not container:
        known = _LINKS[id(container)] = _Link(container, [], [])
    return known


def others(container: Any) -> Iterator[Any]:
    """Those that may be the same one as a container."""
    if not _LINKS:
        return
    seen, waiting = {id(container)}, [container]
    while waiting:
        link = _LINKS.get(id(waiting.pop()))
        for one in () if link is None else (*link.one_of, *link.latest):
            if id(one) not in seen:
                seen.add(id(one))
                waiting.append(one)
                if len(seen) < _MOST:
                    yield one
                elif mark_of(one) is None:
                    grown(one, "one of too many")
