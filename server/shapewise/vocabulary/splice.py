"""Two logs of one file have most of their events and frames in common: only what lies between those is sent.

Both ends keep the last log of each file, under the number of the request that it answered.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import fields, is_dataclass, replace
from typing import Any

from . import events
from .events import Log

_MOST = 120_000
"""Events that are kept."""


class Kept:
    """The last log of each file."""

    def __init__(self) -> None:
        self._logs: OrderedDict[str, tuple[int, Log]] = OrderedDict()

    def number(self, file: str) -> int | None:
        """Under which number a log of that file is kept, if one is."""
        return self._logs[file][0] if file in self._logs else None

    def keep(self, file: str, number: int, log: Log) -> None:
        """Keep this one, in the place of any other of that file."""
        self._logs.pop(file, None)
        self._logs[file] = number, log
        while len(self._logs) > 1 and sum(len(one.events) for _, one in self._logs.values()) > _MOST:
            self._logs.popitem(last=False)

    def get(self, file: str, number: int | None) -> Log | None:
        """The log that is kept under a number."""
        kept = self._logs.get(file)
        return kept[1] if kept is not None and kept[0] == number else None


def between(old: Log, new: Log) -> tuple[Log, list[list[int]]]:
    """The new log without what its rows have in common with those of the old one: how much that is, at both ends of each."""
    around: list[list[int]] = []
    rows: dict[str, Any] = {}
    for name in _ROWS:
        then, now = getattr(old, name), getattr(new, name)
        most = min(len(then), len(now))
        before = _equal(then, now, 0, 1, most)
        after = _equal(then, now, -1, -1, most - before)
        rows[name] = now[before : len(now) - after]
        around.append([before, after])
    return replace(new, **rows), around


def whole(old: Log | None, part: Log, around: Any) -> Log:
    """What `between` was given. Raises ValueError for an `around` that cannot be of it, or where that is not the old log."""
    if old is None or not _is_around(around):
        raise ValueError("not the log that it goes on from")
    rows: dict[str, Any] = {}
    for name, (before, after) in zip(_ROWS, around):
        then = getattr(old, name)
        if min(before, after) < 0 or before + after > len(then):
            raise ValueError("not the log that it goes on from")
        rows[name] = (*then[:before], *getattr(part, name), *then[len(then) - after :])
    return replace(part, **rows)


def _is_around(around: Any) -> bool:
    """Whether it is two numbers for each of the rows: another process has said so."""
    return (
        isinstance(around, list)
        and len(around) == len(_ROWS)
        and all(isinstance(ends, list) and [*map(type, ends)] == [int, int] for ends in around)
    )


_ROWS = ("events", "frames", "weights")


def _equal(old: tuple[object, ...], new: tuple[object, ...], at: int, step: int, most: int) -> int:
    count = 0
    while count < most:
        if old[at] is not new[at] and not _same(old[at], new[at]):  # most are; thousands at every keystroke
            break
        at += step
        count += 1
    return count


def _same(one: Any, other: Any) -> bool:
    """Whether nothing tells them apart: 1 is not 1.0, nor True."""
    if one is other:
        return True
    kind = type(one)
    if kind is not type(other):
        return False
    if kind is tuple:
        return len(one) == len(other) and all(map(_same, one, other))
    names = _NAMES.get(kind)
    if names is None:
        return bool(one == other) and (kind is not float or str(one) == str(other))
    return all(_same(getattr(one, name), getattr(other, name)) for name in names)


_NAMES = {
    kind: tuple(field.name for field in fields(kind))
    for kind in vars(events).values()
    if is_dataclass(kind) and isinstance(kind, type)
}
