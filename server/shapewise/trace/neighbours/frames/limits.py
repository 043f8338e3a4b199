"""What pandas is not asked for, because it could not be stopped: tables far longer than what they are made of, slow patterns."""

from __future__ import annotations

import math
from typing import Any

from ...unknown import Lost

ROWS = 2_000_000
"""Rows of the longest table that is followed."""
_CELLS = 20_000_000
_SOME = 20_000
"""Rows of what is spread out by its values."""
_SPREAD = frozenset(
    "pivot_table pivot unstack stack crosstab get_dummies melt corr cov transpose explode".split()
)
_BY_PATTERN = frozenset("replace contains count split startswith endswith".split())
_SPECIAL = frozenset(".^$*+?{}[]|()\\")


def check(name: str, sizes: list[tuple[int, ...]], args: list[Any], kwargs: dict[str, Any]) -> None:
    """Raise Lost where a call may make too much. `sizes`: the shapes of the tables in it."""
    rows = [size[0] for size in sizes]
    if name in ("merge", "join") and math.prod(rows) > _CELLS:
        raise Lost("too long tables to be joined")
    if name in _SPREAD and any(math.prod(size) > _SOME * 5 for size in sizes):
        raise Lost("too long a table to be spread out")
    for value in [*args, *kwargs.values()]:
        if type(value) is range and len(value) > ROWS:
            raise Lost("too long a table to follow")
    if name in ("sample", "date_range") and any(
        type(value) is int and abs(value) > ROWS for value in [*args, *kwargs.values()] if value is not None
    ):
        raise Lost("too long a table to follow")
    if name == "date_range" and kwargs.get("periods") is None and len(args) < 3:
        freq = str(kwargs.get("freq", "D"))
        if freq not in _DAYS and not (freq in _HOURS and _years(args) <= _LONGEST):
            raise Lost("too long a row of dates")
    if name == "DataFrame" and kwargs.get("index") is not None and kwargs.get("columns") is not None:
        if len(kwargs["index"]) * len(kwargs["columns"]) > _CELLS:
            raise Lost("too long a table to follow")


_DAYS = frozenset("D B W M ME MS Q QE QS Y YE YS A W-SUN W-MON".split())
_HOURS = frozenset("h H 30min 15min 6h 12h 3h".split())
_LONGEST = 20


def _years(dates: list[Any]) -> float:
    """How many years there are between two texts that begin with one."""
    years = [str(date)[:4] for date in dates]
    return (
        abs(int(years[1]) - int(years[0])) if len(years) == 2 and all(map(str.isdigit, years)) else math.inf
    )


def check_pattern(name: str, args: list[Any], kwargs: dict[str, Any]) -> None:
    """Raise Lost where a pattern may take long."""
    if name not in _BY_PATTERN or kwargs.get("regex") is False:
        return
    for value in [*args, *kwargs.values()]:
        if type(value) in (dict, list, tuple) or (type(value) is str and set(value) & _SPECIAL):
            raise Lost("a pattern")
