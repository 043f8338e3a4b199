"""Tables value by value: as lists, in rows, and under functions of the program's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arrays import Number
from ...arrays.array import KINDS, np
from ...unknowns import texts
from ...unknowns.unknown import Lost, Unknown, is_truth
from ...worlds import worlds
from . import methods
from .columns import get
from .held import (
    BY_DATA,
    FROM_FILE,
    NONE,
    VALUES,
    Column,
    Data,
    Frame,
    Held,
    given_out,
    of_file,
    pandas,
    wrapped,
)

_EACH = 2_000
"""Rows that are gone through one by one."""


def listed(self: Held) -> Any:
    """`tolist`: the values of a series or an index."""
    data = self._data()
    if data.untyped or data.item is not None:
        return texts.some(Unknown(FROM_FILE) if data.item is None else data.item, FROM_FILE)
    if data.hidden:
        if isinstance(data.real.dtype, np.dtype) and data.real.dtype.kind in KINDS:
            return given_out(data.real.values, hidden=True).tolist()
        return texts.some(Unknown(BY_DATA), BY_DATA)
    if len(data.real) > 100_000:
        raise Lost("too long a list to follow")
    return [plain(one) for one in data.real.tolist()]


def plain(value: Any) -> Any:
    """A value of a table for the program."""
    return value if value is None or type(value) in (int, float, bool, str) else given_out(value)


# ---------------------------------------------------------------- functions of the program's over each value


def each(self: Any, function: Any, *args: Any, **options: Any) -> Any:
    """`Series.apply`, `Series.map`: a dict, a series, or a function of the program's, of each value."""
    data = self._data()
    if args or options.keys() - {"axis"}:
        raise Lost("a function with arguments")
    if isinstance(self, Frame):
        return _each_column(self, function) if not options.get("axis") else _each_row(self, function)
    table = function._data() if isinstance(function, Column) else None
    is_known = not data.hidden and data.item is None
    if is_known and (
        type(function) is dict or (table is not None and not table.hidden and table.loose is None)
    ):
        return methods.call("map", self, (function,), {})
    if type(function) is dict or table is not None or type(function) is Unknown:
        return wrapped(data._replace(real=_some_numbers(data), hidden=VALUES, untyped=VALUES, item=None))
    if not callable(function):
        raise Lost("what is done with each value")
    if data.hidden or data.item is not None or len(data.real) > _EACH:
        return _of_each(data, function(_one(data)))
    found = [function(plain(value)) for value in data.real.tolist()]
    if all(value is None or type(value) in (int, float, bool, str) for value in found):
        return wrapped(data._replace(real=pandas().Series(found, index=data.real.index, name=data.real.name)))
    return _of_each(
        data, found[0] if len({type(value) for value in found}) == 1 and found else Unknown(BY_DATA)
    )


def _each_column(self: Any, function: Any) -> Any:
    """`DataFrame.apply`: each column as the function gives it again."""
    data, made = self._data(), {}
    if data.rest or not callable(function):
        raise Lost("columns of a file")
    for name in data.real.columns:
        one = function(get(self, name))
        if not isinstance(one, Column) or len(one._data().real) != len(data.real):
            raise Lost("a function over a table")
        made[name] = one._data()
    methods.check_rows([data, *made.values()])
    real = pandas().DataFrame({name: one.real.values for name, one in made.items()}, index=data.real.index)
    hidden, untyped = (
        frozenset(n for n, one in made.items() if which(one)) for which in (_is_hidden, _is_untyped)
    )
    return wrapped(data._replace(real=real, hidden=hidden, untyped=untyped))


def _is_hidden(data: Data) -> bool:
    return bool(data.hidden)


def _is_untyped(data: Data) -> bool:
    return bool(data.untyped)


def _each_row(self: Any, function: Any) -> Any:
    """`DataFrame.apply(..., axis=1)`: a number for each row, of which one is looked at."""
    data = self._data()
    if data.rest or not len(data.real) or not callable(function):
        raise Lost("a function over a table")
    row = wrapped(Data(data.real.iloc[0], VALUES, VALUES if data.untyped else NONE))
    index = pandas().Series(0, index=data.real.index)
    return _of_each(Data(index, VALUES, NONE, data.loose), function(row))


def _one(data: Data) -> Any:
    """What one of its values is."""
    if data.item is not None:
        return data.item
    if data.untyped or data.real.dtype.kind not in "iufb":
        made = Unknown(FROM_FILE)
        made.kind = "text" if not data.untyped and data.real.dtype.kind not in "iufbM" else None
        return made
    return worlds.number(BY_DATA) if data.real.dtype.kind in "iu" else worlds.real(BY_DATA)


def _of_each(data: Data, value: Any) -> Any:
    """A series of such values."""
    kinds = {int: np.int64, float: np.float64}
    kind: Any = type(value.sample) if type(value) is Unknown else type(value)
    if isinstance(value, (Number, np.generic)) and value.dtype.kind in KINDS:
        return wrapped(
            Data(
                pandas().Series(np.zeros(len(data.real), value.dtype), index=data.real.index),
                VALUES,
                NONE,
                data.loose,
            )
        )
    if kind in kinds or is_truth(value):
        real = pandas().Series(np.zeros(len(data.real), kinds.get(kind, np.bool_)), index=data.real.index)
        return wrapped(data._replace(real=real, hidden=VALUES, untyped=NONE, item=None))
    item = value if type(value) is not Unknown or value.kind else None
    return wrapped(data._replace(real=_some_numbers(data), hidden=VALUES, untyped=VALUES, item=item))


def _some_numbers(data: Data) -> Any:
    return of_file(len(data.real), data.real.name)._data().real.set_axis(data.real.index)


def itertuples(self: Any, index: Any = True, name: Any = "Pandas") -> Iterator[Any]:
    """`itertuples`."""
    data = self._data()
    if data.rest or data.hidden or data.loose is not None or len(data.real) > _EACH or type(name) is not str:
        raise Lost("the rows of a table")
    rows = list(data.real.itertuples(index=index is True, name="Pandas"))
    return iter([type(row)(*map(plain, row)) for row in rows])


def items(self: Any) -> Iterator[Any]:
    """`DataFrame.items`."""
    data = self._data()
    if not isinstance(self, Frame) or data.rest:
        raise Lost("the items of a table")
    return iter([(name, get(self, name)) for name in data.real.columns])


def iterrows(self: Any) -> Iterator[Any]:
    """`DataFrame.iterrows`."""
    data = self._data()
    if data.rest or data.loose is not None or len(data.real) > _EACH:
        raise Lost("the rows of a table")
    return iter(
        [(plain(name), given_out(row, hidden=bool(data.hidden))) for name, row in data.real.iterrows()]
    )
