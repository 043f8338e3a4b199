"""Windows, groups and accessors: what is asked of a table in two steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays.array import np
from ...unknowns.unknown import Lost, Unknown
from . import limits, methods
from .held import (
    BY_DATA,
    NONE,
    VALUES,
    Column,
    Data,
    Frame,
    Given,
    Held,
    Labels,
    given_out,
    of_file,
    pandas,
    wrapped,
)

_WINDOWED = "mean sum std var min max median count skew kurt sem"
_GROUPED = (
    "mean sum std var min max median count size first last nunique cumsum cumcount prod rank ngroup head tail"
)


class View:
    """Something of pandas' that stands between a table and what is asked of it."""

    def __init__(self, table: Held, real: Any, lost: bool) -> None:
        self._table = table
        self._held = real
        self._lost = lost

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return Unknown(f"{name} is not followed")


class Windows(View):
    """`rolling`, `ewm`, `expanding`: as many rows as there were."""


class Groups(View):
    """`groupby`, by what is known."""

    def __getitem__(self, names: Any) -> Groups:
        given = Given()
        real = given.real(names)
        return Groups(self._table, methods.natively(lambda: self._held[real]), self._lost)

    def __iter__(self) -> Iterator[Any]:
        if self._lost:
            raise Lost(BY_DATA)
        return iter([(given_out(name), given_out(part)) for name, part in self._held])

    def __len__(self) -> int:
        return len(self._held)

    @property
    def ngroups(self) -> int:
        return int(self._held.ngroups)


def _asked(name: str) -> Any:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        given = Given()
        if (
            name == "transform"
            and len(args) == 1
            and callable(args[0])
            and isinstance(self._held.obj, pandas().Series)
        ):
            data = self._table._data()
            if not self._lost and data.loose is None and len(self) <= _EACH:
                return _transformed(self, args[0])
            # as many rows as there were, and nobody knows of what
            made = of_file(len(data.real), None)._data()
            return wrapped(made._replace(real=made.real.set_axis(data.real.index), loose=data.loose))
        real_args = [given.real(arg) for arg in args]
        real_kwargs = {key: given.real(value) for key, value in kwargs.items()}
        limits.check_libraries(name, real_args, real_kwargs)
        if name in ("agg", "aggregate", "transform"):
            limits.check_names([*real_args, *real_kwargs.values()])
        found = methods.natively(lambda: getattr(self._held, name)(*real_args, **real_kwargs))
        data = self._table._data()
        loose = data.loose if isinstance(self, Windows) else None
        return (
            given_out(found, hidden=self._lost or given.lost, loose=loose)
            if loose
            else given_out(found, self._lost or given.lost)
        )

    method.__name__ = method.__qualname__ = name
    return method


_EACH = 200
"""Groups that are given to a function of the program's one by one."""


def _transformed(groups: Groups, function: Any) -> Any:
    """`groupby(...)["x"].transform(function)` of known values."""
    table, found = groups._table._data().real, []
    for _, part in groups._held:
        one = function(given_out(part))
        data = one._data() if isinstance(one, Column) else None
        if data is None or data.hidden or data.item is not None or len(data.real) != len(part):
            raise Lost("a function over groups")
        found.append(data.real)
    real = methods.natively(lambda: pandas().concat(found).reindex(table.index))
    if len(real) != len(table):
        raise Lost("a function over groups")
    return given_out(real)


for _name in _WINDOWED.split():
    setattr(Windows, _name, _asked(_name))
for _name in f"{_GROUPED} agg aggregate transform shift diff pct_change ffill bfill fillna quantile".split():
    setattr(Groups, _name, _asked(_name))


def _windows(name: str) -> Any:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        data, given = self._data(), Given()
        if data.rest or data.item is not None:
            raise Lost("columns of a file")
        real_args = [given.real(arg) for arg in args]
        real_kwargs = {key: given.real(value) for key, value in kwargs.items()}
        if given.lost:
            raise Lost(BY_DATA)
        limits.check_libraries(name, real_args, real_kwargs)
        real = methods.natively(lambda: getattr(data.real, name)(*real_args, **real_kwargs))
        return Windows(self, real, bool(data.hidden))

    method.__name__ = method.__qualname__ = name
    return method


def _groups(self: Any, by: Any = None, **kwargs: Any) -> Any:
    """`groupby`."""
    data, given = self._data(), Given()
    keys = given.real(by)
    names = [keys] if isinstance(keys, str) else keys
    if (
        data.rest
        or given.lost
        or data.loose is not None
        or kwargs.keys() - {"as_index", "sort", "group_keys", "observed"}
    ):
        raise Lost(BY_DATA)
    if isinstance(data.real, pandas().DataFrame):
        plain = type(names) is list and all(type(name) is str for name in names)
        if data.hidden and (not plain or data.hidden & set(names)):
            raise Lost(BY_DATA)
    elif data.hidden and not given.tables:
        raise Lost(BY_DATA)
    real_kwargs = {key: given.real(value) for key, value in kwargs.items()}
    real = methods.natively(lambda: data.real.groupby(keys, **real_kwargs))
    return Groups(self, real, bool(data.hidden))


# ---------------------------------------------------------------- accessors

_TEXTS = frozenset("lower upper strip lstrip rstrip title capitalize replace slice cat get".split())
_OF_TEXTS = frozenset("len contains startswith endswith count isdigit isalpha isnumeric split".split())
_OF_DATES = frozenset(
    "year month day hour minute second dayofweek day_of_week weekday quarter dayofyear day_of_year days seconds "
    "is_month_start is_month_end days_in_month".split()
)


class Texts(View):
    """`series.str`."""


class Dates(View):
    """`series.dt`."""


class Categories(View):
    """`series.cat`."""

    @property
    def codes(self) -> Any:
        return given_out(self._held.codes, loose=self._table._data().loose)

    @property
    def categories(self) -> Any:
        return given_out(self._held.categories)


def _of_text(name: str) -> Any:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        data, given = self._table._data(), Given()
        real_args = [given.real(arg) for arg in args]
        real_kwargs = {key: given.real(value) for key, value in kwargs.items()}
        if given.lost or self._lost:
            raise Lost(BY_DATA)
        limits.check_pattern(name, real_args, real_kwargs)
        found = methods.natively(lambda: getattr(self._held, name)(*real_args, **real_kwargs))
        return given_out(found, loose=data.loose) if data.loose is not None else given_out(found)

    method.__name__ = method.__qualname__ = name
    return method


def _of_date(name: str) -> Any:
    def read(self: Any) -> Any:
        data = self._table._data()
        if self._lost and data.untyped:  # dates of a file
            flags = name.startswith("is_")
            real = pandas().Series(
                np.zeros(len(data.real), np.bool_ if flags else np.int32), index=data.real.index
            )
            return wrapped(Data(real, VALUES, NONE, data.loose))
        found = methods.natively(lambda: getattr(self._held, name))
        return wrapped(Data(found, VALUES if self._lost else NONE, NONE, data.loose))

    return property(read)


for _name in _TEXTS | _OF_TEXTS:
    setattr(Texts, _name, _of_text(_name))
for _name in _OF_DATES:
    setattr(Dates, _name, _of_date(_name))


def _of_dates(name: str) -> Any:
    def read(self: Any) -> Any:
        data = self._data()
        if not isinstance(data.real, pandas().DatetimeIndex):
            raise AttributeError(name)
        return given_out(methods.natively(lambda: getattr(data.real, name)), hidden=bool(data.hidden))

    return property(read)


for _name in _OF_DATES:
    setattr(Labels, _name, _of_dates(_name))


def _accessor(name: str, kind: Any) -> Any:
    def read(self: Any) -> Any:
        data = self._data()
        if kind is Dates and data.untyped:
            return kind(self, None, True)
        if data.untyped or data.item is not None or (data.hidden and kind is not Dates):
            return Unknown(BY_DATA)
        return kind(self, methods.natively(lambda: getattr(data.real, name)), bool(data.hidden))

    return property(read)


Column.str = _accessor("str", Texts)  # type: ignore[attr-defined]
Column.dt = _accessor("dt", Dates)  # type: ignore[attr-defined]
Column.cat = _accessor("cat", Categories)  # type: ignore[attr-defined]
for _owner in (Frame, Column):
    setattr(_owner, "groupby", _groups)  # noqa: B010 (mypy)
    for _name in ("rolling", "ewm", "expanding"):
        setattr(_owner, _name, _windows(_name))
