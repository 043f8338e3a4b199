"""What pandas is not asked for: what could not be stopped (tables far longer than what they are made of, slow patterns), methods by name, other packages."""

from __future__ import annotations

import math
from typing import Any

from ...unknowns.unknown import Lost

ROWS = 2_000_000
"""Rows of the longest table that is followed."""
_CELLS = 20_000_000
_SOME = 20_000
"""Rows of what is spread out by its values."""
_SPREAD = frozenset(
    "pivot_table pivot unstack stack crosstab get_dummies melt corr cov transpose explode".split()
)
_NAMES = frozenset(
    "mean sum std var sem min max median prod first last size count nunique cumsum cumcount ngroup rank skew kurt "
    "any all head tail".split()
)
"""Functions that may be handed over by name."""
_ADDS_UP = frozenset(("pivot_table", "crosstab"))
_BY_PATTERN = frozenset("replace contains count split startswith endswith".split())
_SPECIAL = frozenset(".^$*+?{}[]|()\\")


def check(name: str, sizes: list[tuple[int, ...]], args: list[Any], kwargs: dict[str, Any]) -> None:
    """Raise Lost where a call may make too much. `sizes`: the shapes of the tables in it."""
    rows = [size[0] for size in sizes]
    check_libraries(name, args, kwargs)
    if name in _ADDS_UP:
        check_names([kwargs.get("aggfunc")])
        if len(args) > 3:  # one of them may be that
            raise Lost("a function by name")
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


_ELSEWHERE = frozenset("engine engine_kwargs win_type".split())
"""Options for which pandas asks numba or scipy, which nothing lists."""
_OWN_METHODS = {"interpolate": "linear", "corr": "pearson"}
_BEFORE_WIN_TYPE = 3


def check_libraries(name: str, args: list[Any], kwargs: dict[str, Any]) -> None:
    """Raise Lost where pandas would leave the work to another package."""
    own = _OWN_METHODS.get(name)
    other = own is not None and any(value != own for value in [*args, kwargs.get("method", own)])
    if other or kwargs.keys() & _ELSEWHERE or (name == "rolling" and len(args) > _BEFORE_WIN_TYPE):
        raise Lost("another package")


def check_names(functions: Any) -> None:
    """Raise Lost where a name is none of a listed function: pandas would call whatever method it names."""
    for value in functions:
        if type(value) is str and value not in _NAMES:
            raise Lost("a function by name")
        if type(value) is tuple and len(value) == 2:
            check_names([value[1]])
        elif type(value) in (list, dict):
            check_names(value.values() if type(value) is dict else value)


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
