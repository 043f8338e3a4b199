"""What the items are of a container of which nobody knows how many it has."""

from __future__ import annotations

import contextlib
import itertools
from collections import Counter, deque
from collections.abc import Sequence
from typing import Any

from .grown import DICTS, LOOKED_AT, grown, mark_of
from .joining import NUMBERS, Same, join
from .linked import linked
from .unknown import MISSING, Lost, Unknown, likely


def value_in(container: dict[Any, Any], same: Same) -> Any:
    """What a value of a dict of unknown length is. Raises LookupError where they differ."""
    mark = mark_of(container)
    if mark is None or mark.of is MISSING:
        raise LookupError
    kind = (
        join(mark.of, 0, same) if type(container) is Counter else mark.of
    )  # which has no key that is not there
    for item in itertools.islice(container.values(), LOOKED_AT):
        kind = join(kind, item, same)
    return kind


def fill(container: dict[Any, Any], why: str, of: Any, key: Any, same: Same) -> None:
    """A dict gets nobody knows how many more items such as this one."""
    mark = mark_of(container)
    if mark is not None:
        of = MISSING if mark.of is MISSING else join(mark.of, of, same)
        key = MISSING if mark.key is MISSING else join(mark.key, key, same)
    grown(container, why, of=of, key=key)


def more_alike(container: dict[Any, Any], why: str, same: Same) -> None:
    """A dict gets nobody knows how many more items such as those in it."""
    of, key = (_common([*items], MISSING, False, same) for items in (container.values(), container))
    grown(container, why, of=of, key=key)


def with_unknown(container: Any, method: str, args: Sequence[Any], why: str) -> None:
    """A method was called on a container with what is not known: a set may have one such item more, or one of its own less."""
    mark = mark_of(container)
    alike = type(container) is set and method in ("add", "discard", "remove") and (mark is None or mark.alike)
    if alike and method == "add":
        container.update(args)
    grown(container, why, alike)


def key_in(container: dict[Any, Any], same: Same) -> Any:
    """What a key of a dict of unknown length is. Raises LookupError where nothing is known of it."""
    mark = mark_of(container)
    if mark is None or mark.key is MISSING:
        raise LookupError
    kind = mark.key
    for key in itertools.islice(container, LOOKED_AT):
        kind = join(kind, key, same)
    return kind


def kind_of_items(container: Any, same: Same) -> Any:
    """What every item of a container of unknown length is. Raises LookupError where they differ."""
    mark = mark_of(container)
    if isinstance(container, dict):
        kind = key_in(container, same)
    elif mark is None or not mark.alike or not container:
        raise LookupError
    elif isinstance(container, (list, tuple, deque, set)):
        kind = _one_of_these(list(container), mark.why, same)
    else:
        raise LookupError
    if type(likely(kind)) is Unknown and kind.kind is None and type(kind.sample) not in NUMBERS:
        if not kind.options:
            raise LookupError
    return kind


def _one_of_these(items: list[Any], why: str, same: Same) -> Any:
    items = [*{id(item): item for item in items}.values()]
    with contextlib.suppress(LookupError, Lost):
        from .standing import standing  # it needs arrays, and they need what is alike

        return linked(standing(items, why), items)
    kind = items[0]
    for item in items[1:]:
        kind = join(kind, item, same)
    return linked(kind, items)


def of_several_lengths(target: Any, states: list[Any], why: str, same: Same) -> None:
    """A container that has other items on each way: of a list every item is like one of those.

    A dict has for certain what it has on all of them.
    """
    mark = mark_of(target)
    if type(target) in DICTS:
        of, key = (MISSING, MISSING) if mark is None else (mark.of, mark.key)
        sure = _on_all(states, same) if mark is None or mark.sure else {}
        values = [value for state in states for key, value in state.items() if key not in sure]
        keys = [key for state in states for key in state if key not in sure]
        if sure:
            target.clear()
            target.update(sure)
        grown(
            target,
            why,
            of=_common(values, of, mark is not None, same),
            key=_common(keys, key, mark is not None, same),
            sure=bool(sure),
        )
        return
    lists = isinstance(target, (list, deque, set))
    if lists:
        items = {id(item): item for state in states for item in state}
        target.clear()
        (target.update if isinstance(target, set) else target.extend)(items.values())
    grown(target, why, alike=lists and (mark is None or mark.alike))


def _on_all(states: list[dict[Any, Any]], same: Same) -> dict[Any, Any]:
    """The items that a dict has in each of these states, joined."""
    first, *others = states
    made = {}
    for key, value in first.items():
        if all(key in other for other in others):
            values = [value, *(other[key] for other in others)]
            for one in values[1:]:
                value = join(value, one, same)
            made[key] = linked(value, values)
    return made


def _common(items: list[Any], more: Any, marked: bool, same: Same) -> Any:
    """What all of these are, and what more of them is, where some are marked to be there; MISSING if nobody knows."""
    every = items if more is MISSING else [*items, more]
    if not every or len(every) > LOOKED_AT or (marked and more is MISSING):
        return MISSING
    kind = every[0]
    for item in every[1:]:
        kind = join(kind, item, same)
    return kind
