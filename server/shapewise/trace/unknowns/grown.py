"""Containers of which nobody knows how many items they have."""

from __future__ import annotations

import itertools
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from torch import nn

from .unknown import MISSING, Undecided, Unknown, find_unknown


class Mark(NamedTuple):
    """That nobody knows how many items a container has, and `alike`: that all are like those in it."""

    container: Any
    why: str
    alike: bool
    of: Any
    """What each value of a dict is that is not among those in it."""
    key: Any
    """And its key."""
    sure: bool = False
    """Whether what is in a dict surely is: it may only have more. Whatever marks it anew takes that back."""
    more: int | None = None
    """How many more items a list has in this world than are in it, where its length follows from that of others: see `lengths`."""


_GROWN: dict[int, Mark] = {}
LOOKED_AT = 2_000
"""Items of one container that are looked at for one of unknown length."""


DICTS = (dict, OrderedDict, defaultdict, Counter)
"""Those of which it is known what their keys and values are when their number is not."""


MUTABLE = frozenset((list, set, deque, *DICTS))
"""Those that may be changed, and copied."""


def grown(
    container: Any,
    why: str,
    alike: bool = False,
    of: Any = MISSING,
    key: Any = MISSING,
    sure: bool = False,
    more: int | None = None,
) -> None:
    """From now on nobody knows how many items this container has. `alike`: but all are like those in it.

    `of`: what the values of a dict are that are not in it, `key` their keys. `sure`: those in it surely are.
    """
    _GROWN[id(container)] = Mark(container, why, alike, of, key, sure, more)


def copied(container: Any) -> Any:
    """A copy of a container, of which as much is known."""
    return as_long_as(container, container.copy())


def as_long_as(container: Any, made: Any, each: Callable[[Any], Any] = lambda item: item) -> Any:
    """What was made of a container, by this of each item: of unknown length if that is."""
    mark = mark_of(container)
    if mark is not None:
        of, key = (one if one is MISSING else each(one) for one in (mark.of, mark.key))
        grown(made, mark.why, mark.alike, of, key, mark.sure, mark.more)
    return made


def of_unknown_length(containers: Sequence[Any]) -> Any:
    """One of which nobody knows how long it is, if there is one; else the first."""
    return next((one for one in containers if mark_of(one) is not None), containers[0])


def mark_of(container: Any) -> Mark | None:
    """The mark of a container of unknown length: a new one each time that it changes in an unknown way."""
    mark = _GROWN.get(id(container))
    return mark if mark is not None and mark.container is container else None


def surely_has(container: Any, key: Any) -> bool:
    """Whether a dict of unknown length has this key for certain, and its value is the one in it."""
    mark = mark_of(container)
    try:
        return mark is not None and mark.sure and key in container
    except TypeError:
        return False


def put_mark(container: Any, mark: Mark | None) -> None:
    """Give a container the mark that it had."""
    if mark is None:
        _GROWN.pop(id(container), None)
    else:
        _GROWN[id(container)] = mark


def is_grown(value: Any) -> Unknown | None:
    """An Unknown in place of a container whose length is not known, else None."""
    if isinstance(value, nn.Module):
        value = value.__dict__.get("_modules")
    mark = mark_of(value) if _GROWN else None
    return None if mark is None else Unknown(mark.why)


def may_hold_any(value: Any) -> bool:
    """Whether nobody knows what is in a container, be it tensors."""
    mark = mark_of(value) if _GROWN else None
    if mark is None:
        return False
    return type(mark.of) is Unknown or mark.of is MISSING if isinstance(value, dict) else not mark.alike


def any_grown() -> bool:
    """Whether there is any container of unknown length."""
    return bool(_GROWN)


AS_LISTS: dict[type, Callable[[Any], Any]] = {}
"""Types of ours that are gone through as a list of theirs, of which nobody may know how long it is: what gives it."""


STORES: set[type] = set()
"""Types of ours that are written into whatever is known of it: they note what changes themselves."""


BY_INDEX: list[Callable[[Any], Any]] = []
"""The same of objects that are only asked for one item after another, until one is not there."""


def as_list(value: Any) -> Any:
    """The list that a value is gone through as, or the value itself. Raises Lost where its items are not known."""
    kind = type(value)
    make = AS_LISTS.get(kind)
    if make is not None:
        return make(value)
    if BY_INDEX and hasattr(kind, "__getitem__") and not hasattr(kind, "__iter__"):
        return BY_INDEX[0](value)
    return value


def forget_grown() -> None:
    """Called between traces."""
    _GROWN.clear()


def unknown_in(value: Any, undecided: bool = True) -> Unknown | None:
    """An Unknown anywhere in a value: itself, an item, or a container of unknown length."""
    found = grown_in(value) if _GROWN else None
    return find_unknown(value, undecided) if found is None else found


def grown_in(value: Any, depth: int = 3) -> Unknown | None:
    """An Unknown in place of a container of unknown length: the value itself, or one in it to a depth of three."""
    found = is_grown(value)
    if found is not None or not depth:
        return found
    items = value if isinstance(value, (tuple, list)) else value.values() if type(value) is dict else ()
    for item in itertools.islice(items, LOOKED_AT):
        if isinstance(item, (tuple, list, dict, set, deque, nn.Module)):
            found = grown_in(item, depth - 1)
            if found is not None:
                return found
    return None


def decided(value: Any, depth: int = 3) -> Any:
    """The value with an Unknown in place of each that is undecided."""
    if isinstance(value, Undecided):
        return value.unknown()
    if not depth or type(value) not in (list, tuple, slice):
        return value
    items = [value.start, value.stop, value.step] if type(value) is slice else list(value)
    made = [decided(item, depth - 1) for item in items]
    if all(one is other for one, other in zip(made, items)):
        return value
    whole: Any = slice(*made) if type(value) is slice else type(value)(made)
    if (mark := mark_of(value)) is not None:
        grown(whole, mark.why, mark.alike, more=mark.more)
    return whole
