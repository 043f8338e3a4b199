"""`iloc`, `loc`, `at`, `iat`: parts of a table by place or label."""

from __future__ import annotations

from typing import Any

from ...arrays.array import np
from ...unknowns.unknown import Lost, Unknown
from ...worlds import worlds
from . import methods
from .columns import FileColumns, between, get, is_mask, named, where
from .held import (
    NONE,
    VALUES,
    Column,
    Data,
    Frame,
    Given,
    Held,
    Labels,
    given_out,
    of_any_dtype,
    of_file,
    pandas,
    wrapped,
)


class Places:
    """`df.iloc` and the like."""

    def __init__(self, table: Held, kind: str) -> None:
        self._table = table
        self._kind = kind

    def __getitem__(self, index: Any) -> Any:
        data = self._table._data()
        rows, columns = index if type(index) is tuple and len(index) == 2 else (index, slice(None))
        if isinstance(rows, Held) and is_mask(rows):
            part = where(data, rows._data())
            return part if _is_all(columns) else Places(part, self._kind)[:, columns]
        if data.rest:
            return _of_file(data, self._kind, rows, columns)
        if self._kind in ("loc", "at") and data.loose is not None and not _is_all(rows):
            raise Lost("rows in an order that nobody knows")
        given = Given()
        real_rows = given.real(_placed(rows))
        lost = given.hidden or given.lost
        real_columns = given.real(columns)
        if given.lost and not lost:
            raise Lost("columns that only data decides")
        alone = not isinstance(data.real, pandas().DataFrame) or type(index) is not tuple
        at = real_rows if alone else (real_rows, real_columns)
        found = methods.natively(lambda: getattr(data.real, self._kind)[at])
        return _part(data, found, _is_all(rows), lost or type(rows) is Unknown)

    def __setitem__(self, index: Any, value: Any) -> None:
        data, given = self._table._data(), Given()
        try:
            if data.rest or data.loose is not None:
                raise Lost("a table that is written into")
            at, new, real = given.real(index), given.real(value), data.real.copy()
            if given.lost or data.hidden:
                raise Lost("a table that is written into")

            def write() -> None:
                getattr(real, self._kind)[at] = new

            methods.natively(write)
            self._table._put(data._replace(real=real))
        except Lost as error:
            self._table._put(_written_somewhere(data, index, value, error.why))


def _written_somewhere(data: Data, index: Any, value: Any, why: str) -> Any:
    """A table of which a column was written into, whichever rows: its dtype may be another, unless it takes such numbers."""
    if not isinstance(data.real, pandas().DataFrame):
        return of_any_dtype(data)
    name = index[1] if type(index) is tuple and len(index) == 2 else None
    if type(name) is str and name in data.real.columns and _is_there(data, index[0]):
        if name not in data.untyped and data.real[name].dtype == np.float64 and type(value) in (int, float):
            return data._replace(hidden=data.hidden | {name})
        return of_any_dtype(data, frozenset((name,)))
    return Unknown(why)


def _is_there(data: Data, row: Any) -> bool:
    """Whether what is written there makes no new row."""
    if isinstance(row, (str, int)):
        return data.loose is None and row in data.real.index
    return type(row) is slice or isinstance(row, Labels) or (isinstance(row, Held) and is_mask(row))


def _is_all(index: Any) -> bool:
    return type(index) is slice and index == slice(None)


def _placed(index: Any) -> Any:
    """A place that nobody knows is the first: what is there is hidden."""
    return 0 if type(index) is Unknown and type(index.sample) is int else index


def _part(data: Data, found: Any, all_rows: bool, lost: bool) -> Any:
    pd = pandas()
    loose = data.loose if all_rows or data.loose is None else object()
    if isinstance(found, pd.DataFrame):
        names = frozenset(found.columns)
        hidden = names if lost else names & data.hidden
        return wrapped(data._replace(real=found, hidden=hidden, untyped=names & data.untyped, loose=loose))
    if not isinstance(found, pd.Series):
        return given_out(found, hidden=lost or bool(data.hidden))
    if not isinstance(data.real, pd.DataFrame):
        return wrapped(data._replace(real=found, hidden=VALUES if lost else data.hidden, loose=loose))
    if len(found) == len(data.real) and all_rows:  # a column
        hidden = VALUES if lost or found.name in data.hidden else NONE
        return wrapped(Data(found, hidden, VALUES if found.name in data.untyped else NONE, loose))
    hidden = VALUES if lost or data.hidden else NONE
    return wrapped(Data(found, hidden, VALUES if data.untyped else NONE))


def _of_file(data: Data, kind: str, rows: Any, columns: Any) -> Any:
    """A part of a table of which not all columns are known."""
    if kind == "loc" and not _is_all(rows):
        raise Lost("rows of a file")
    given = Given()
    real_rows = given.real(rows)
    if type(real_rows) in (int, str):
        raise Lost("a row of a file")
    if not _is_all(rows):
        real = methods.natively(lambda: data.real.iloc[real_rows])
        fresh = real.set_axis(pandas().RangeIndex(len(real)))
        data = data._replace(real=fresh, hidden=frozenset(real.columns), loose=object())
    whole = wrapped(data)
    if _is_all(columns):
        return whole
    if type(columns) is list and all(type(one) is str for one in columns):
        return named(data, columns)
    if type(columns) in (str, FileColumns):
        return get(whole, columns)
    places = _placed(columns)
    if kind != "iloc" or type(places) not in (int, slice, list):
        raise Lost("columns of a file")
    worlds.use()
    if type(places) is int:
        return of_file(len(data.real), None, data.kind, loose=data.loose)
    part = len(places) if type(places) is list else between(given.real(places))
    return wrapped(Data(data.real[[]], NONE, NONE, data.loose, part, data.kind))


def _of(kind: str) -> Any:
    return property(lambda self: Places(self, kind))


for _owner in (Frame, Column):
    for _kind in ("iloc", "loc", "at", "iat"):
        setattr(_owner, _kind, _of(_kind))
