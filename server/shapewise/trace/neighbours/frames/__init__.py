"""pandas: what tables are made of, where the file says it, and how many rows and columns they have, where it does not.

held       a table as the program holds it, what goes into pandas and what comes out
methods    methods that are carried out
frame      DataFrame, Series, Index
places     iloc, loc
merges     merge by keys that are known
uniques    numpy.unique of texts
views      rolling, groupby, str, dt, cat
files      read_csv, to_csv
"""

from __future__ import annotations

import math
import types
from typing import Any

from ...arrays.array import TEXTS, np
from ...arrays.compute import APART, compute
from ...arrays.inputs import CONVERTED
from ...unknowns.grown import STORES
from ...unknowns.unknown import Lost, Unknown
from ...wall import allowed, namespaces
from . import columns, files, limits, methods, objects, places, uniques, views
from . import frame as _filled  # noqa: F401 (it gives the classes their methods)
from .held import NONE, VALUES, Column, Data, Frame, Given, Held, Labels, given_out, pandas, wrapped

to_array = columns.to_array
__all__ = ["PANDAS", "Column", "Frame", "Held", "Labels", "to_array"]


def _function(name: str, by_data: bool) -> Any:
    """A function of the package itself on tables and plain data."""

    def function(*args: Any, **kwargs: Any) -> Any:
        given = Given()
        real_args = [given.real(arg) for arg in args]
        real_kwargs = {key: given.real(value) for key, value in kwargs.items()}
        if any(table.rest for table in given.tables) or (by_data and given.lost):
            raise Lost("depends on the data")
        if name != "concat" or real_kwargs.get("axis") in (1, "columns"):
            methods.check_rows(given.tables)
        result = given.call(name, getattr(pandas(), name), real_args, real_kwargs)
        if not given.lost:
            return given_out(result)
        loose = next((table.loose for table in given.tables if table.loose is not None), None)
        untyped = any(table.untyped for table in given.tables)
        found = given_out(result, hidden=True)
        if not isinstance(found, Held):
            return found
        data = found._data()
        if name == "concat" and isinstance(found, Frame):
            return wrapped(_by_column(data, given.tables))
        return wrapped(
            data._replace(
                loose=loose if name != "concat" else object(), untyped=data.hidden if untyped else NONE
            )
        )

    function.__name__ = function.__qualname__ = name
    return function


def _by_column(data: Data, tables: list[Data]) -> Data:
    """A table put together of several: of a column is hidden what is in any of them."""
    names = data.hidden
    plain = [table for table in tables if isinstance(table.real, pandas().DataFrame)]
    if len(plain) != len(tables):
        untyped = names if any(table.untyped for table in tables) else NONE
        return data._replace(loose=object(), untyped=untyped)
    hidden, untyped = (NONE.union(*found) & names for found in zip(*[(t.hidden, t.untyped) for t in plain]))
    loose = object() if any(table.loose is not None for table in plain) else None
    return data._replace(hidden=names if loose else hidden, untyped=untyped, loose=loose)


def _to_datetime(arg: Any, *args: Any, **kwargs: Any) -> Any:
    """`to_datetime`."""
    if isinstance(arg, Column) and arg._data().hidden:
        data = arg._data()
        dates = pandas().Series(np.zeros(len(data.real), "datetime64[ns]"), index=data.real.index)
        return wrapped(data._replace(real=dates, hidden=VALUES, untyped=VALUES, item=None))
    if isinstance(arg, Labels):
        return _dates(arg)
    return _function("to_datetime", True)(arg, *args, **kwargs)


def _dates(data: Any = None, *args: Any, **kwargs: Any) -> Any:
    """`DatetimeIndex`, and `to_datetime` of what is no series."""
    given = Given()
    real = given.real(data)
    if args or kwargs or any(table.rest for table in given.tables):
        raise Lost("dates with options")
    if not given.lost:
        return given_out(given.call("DatetimeIndex", pandas().DatetimeIndex, [real], {}))
    blank = np.zeros(len(real), "datetime64[ns]")
    return wrapped(Data(pandas().DatetimeIndex(blank), VALUES))


def _date(*args: Any, **kwargs: Any) -> Any:
    return Unknown("a date")


def _nothing(*args: Any, **kwargs: Any) -> None:
    return None


def _numeric(arg: Any, *args: Any, **kwargs: Any) -> Any:
    """`to_numeric`."""
    if isinstance(arg, Column) and arg._data().untyped:
        return arg
    return _function("to_numeric", True)(arg, *args, **kwargs)


# ---------------------------------------------------------------- beside numpy

_GIVE_ARRAYS = frozenset(
    "array asarray asanyarray where concatenate stack vstack hstack column_stack argmax argmin argsort unique "
    "expand_dims reshape nan_to_num isin linspace zeros ones full".split()
)


def _beside_numpy(name: str, function: Any, kind: str, args: Any, kwargs: Any) -> Any:
    """A function of numpy's on a table: of numbers one by one it gives a table again."""
    first = next(arg for arg in args if isinstance(arg, Held))
    if kind == "ufunc" and not kwargs:
        given = Given()
        real = [given.real(arg) for arg in args]
        methods.check_rows(given.tables)
        data = first._data()
        if data.rest:
            raise Lost("columns of a file")
        return methods.outcome(name, data, methods.natively(lambda: function(*real)), given)
    if name == "unique" and len(args) == 1 and uniques.are_texts(first):
        return uniques.unique(first, kwargs)
    if name in _GIVE_ARRAYS:
        plain = [columns.to_array(arg) if isinstance(arg, Held) else arg for arg in args]
        return compute(name, function, kind, tuple(plain), kwargs)
    if (
        name in ("mean", "sum", "std", "var", "min", "max", "median")
        and isinstance(first, Column)
        and len(args) == 1
    ):
        plain = [columns.to_array(first)]
        return compute(name, function, kind, tuple(plain), kwargs)
    raise Lost(f"numpy.{name} of a table")


def _texts(real: Any, known: bool) -> Any:
    """An array of texts, where pandas is there to hold it."""
    return given_out(pandas().Index(real), hidden=not known)


if namespaces.is_installed("pandas"):
    TEXTS.append(_texts)
for _kind in (Frame, Column, Labels):
    CONVERTED[_kind] = columns.to_array
    APART[_kind] = _beside_numpy


# ---------------------------------------------------------------- the package


class MultiIndex(Labels):
    """`pandas.MultiIndex`."""


def _index_of(name: str) -> Any:
    def make(*args: Any, **kwargs: Any) -> Any:
        given = Given()
        real_args = [
            given.real(list(arg) if name == "from_product" and type(arg) is range else arg) for arg in args
        ]
        real_kwargs = {key: given.real(value) for key, value in kwargs.items()}
        if given.lost or (name == "from_product" and math.prod(map(len, real_args[0])) > limits.ROWS // 10):
            raise Lost("depends on the data")
        return given_out(given.call(name, getattr(pandas().MultiIndex, name), real_args, real_kwargs))

    make.__name__ = make.__qualname__ = name
    return staticmethod(make)


for _name in ("from_product", "from_arrays", "from_tuples"):
    setattr(MultiIndex, _name, _index_of(_name))

_STRUCTURAL = ("concat", "isna", "isnull", "notna", "notnull")
_BY_DATA = "merge get_dummies date_range cut qcut unique factorize crosstab pivot_table melt".split()
_CLASSES = {"DataFrame": Frame, "Series": Column, "Index": Labels, "MultiIndex": MultiIndex}
PANDAS: dict[str, dict[str, Any]] = {
    "pandas": {
        **_CLASSES,
        **{name: _function(name, False) for name in _STRUCTURAL},
        **{name: _function(name, True) for name in _BY_DATA},
        "to_datetime": _to_datetime,
        "DatetimeIndex": _dates,
        "to_numeric": _numeric,
        "to_timedelta": _function("to_timedelta", False),
        "read_csv": files.read_csv,
        "read_table": files.read_other,
        "read_excel": files.read_other,
        "Timestamp": _date,
        "Timedelta": _date,
        "DateOffset": _date,
        "set_option": _nothing,
        "NA": Unknown("a missing value"),
        "NaT": Unknown("a missing date"),
    }
}
"""What is given out of it. What else it has is not followed."""


STORES.update((Frame, Column, Labels, places.Places))


def _list() -> None:
    """Tables come from functions, too: their methods may be called wherever one is. They look for unknown arguments themselves."""
    for owner in (
        MultiIndex,
        objects.Objects,
        Frame,
        Column,
        Labels,
        columns.FileColumns,
        places.Places,
        views.Windows,
        views.Groups,
        views.Texts,
        views.Dates,
        views.Categories,
    ):
        allowed.list_methods(owner, (__name__,))
        allowed.TAKES_UNKNOWNS.add(id(owner))
        for value in vars(owner).values():
            if callable(value):
                allowed.TAKES_UNKNOWNS.add(id(value))
            if isinstance(value, types.FunctionType) and issubclass(owner, Held):
                allowed.own_method(value, Held)
    for value in PANDAS["pandas"].values():
        if callable(value):
            allowed.TAKES_UNKNOWNS.add(id(value))
    allowed.FINAL.update({id(kind): None for kind in (Frame, Column, Labels)})


if np is not None:
    _list()
