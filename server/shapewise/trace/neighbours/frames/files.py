"""Tables in files: what the program wrote is read back as it was written. Of others no more is known than that they have rows."""

from __future__ import annotations

import io
from typing import Any

from ...arrays.array import np
from ...stdlib import files, objects
from ...unknowns.unknown import Lost, Unknown
from ...worlds import worlds
from . import methods
from .held import FROM_FILE, NONE, Column, Data, Frame, Given, Held, pandas, some_columns, some_dtype, wrapped

_TABLE = "table"
_LONG = 20_000
"""Rows of a table that is written out."""
_WRITING = frozenset("index header sep columns float_format na_rep".split())
_READING = frozenset(
    "sep delimiter header names index_col usecols dtype nrows skiprows skipinitialspace parse_dates na_values comment "
    "low_memory encoding engine".split()
)
_NO_MATTER = frozenset(("low_memory", "encoding", "engine", "memory_map", "on_bad_lines"))


def to_csv(self: Held, path_or_buf: Any = None, **options: Any) -> Any:
    """`to_csv`: nothing is written."""
    held: Any = Unknown(FROM_FILE)
    try:
        held = _text(self._data(), options)
    except Lost:
        pass
    if path_or_buf is None:
        return held if type(held) is str else Unknown(FROM_FILE)
    files.put(path_or_buf, held)
    return None


def _text(data: Data, options: dict[str, Any]) -> Any:
    given = Given()
    real = {key: given.real(value) for key, value in options.items() if key not in _NO_MATTER}
    if (
        data.rest
        or data.loose is not None
        or data.untyped
        or given.lost
        or len(data.real) > _LONG
        or real.keys() - _WRITING
    ):
        raise Lost(FROM_FILE)
    text = methods.natively(lambda: data.real.to_csv(**real))
    return objects.Saved((text, data.hidden), _TABLE) if data.hidden else text


def read_csv(filepath_or_buffer: Any, **options: Any) -> Any:
    """`read_csv`: what the program wrote itself, or a table of nobody knows which columns."""
    held = files.content(filepath_or_buffer)
    hidden: Any = NONE
    if type(held) is objects.Saved and held.form == _TABLE:
        held, hidden = held.value
    given = Given()
    if type(held) is not str:
        return _of_file(given, options)
    real = {key: given.real(value) for key, value in options.items() if key not in _NO_MATTER}
    separator = real.get("sep", real.get("delimiter", ","))
    if real.keys() - _READING or given.lost or (separator not in (r"\s+", None) and len(separator) > 1):
        raise Lost("a table read with options")
    table = methods.natively(lambda: pandas().read_csv(io.StringIO(held), **real))
    if hidden and set(options) - _NO_MATTER - {"index_col"}:
        raise Lost("a table read with options")
    return wrapped(Data(table, frozenset(table.columns) & hidden if hidden else NONE))


def _of_file(given: Given, options: dict[str, Any]) -> Any:
    """A table from outside: its columns are known where they are named."""
    if options.keys() & {"chunksize", "iterator"}:
        raise Lost("a table in parts")
    pd = pandas()
    rows, kind = worlds.size(), _dtype_of(given, options)
    names = options.get("usecols", options.get("names"))
    real = pd.DataFrame(index=pd.RangeIndex(rows))
    loose = object() if options.get("index_col") not in (None, False) else None
    if type(names) is list and names and all(type(name) is str for name in names):
        index = options.get("index_col")
        found = [name for name in names if name != index]
        real = pd.DataFrame({name: _numbers(rows, kind) for name in found})
        every = frozenset(found)
        return wrapped(Data(real, every, NONE if kind is not None else every, loose))
    return wrapped(Data(real, NONE, NONE, loose, some_columns(), kind))


def _dtype_of(given: Given, options: dict[str, Any]) -> Any:
    kind = options.get("dtype")
    return None if kind is None or type(kind) is dict else np.dtype(given.real(kind))


def _numbers(rows: int, kind: Any) -> Any:
    return np.zeros(rows, some_dtype() if kind is None else kind)


def read_other(*args: Any, **options: Any) -> Any:
    """`read_parquet`, `read_excel`: tables of files that nobody looks at."""
    return _of_file(Given(), options)


for _owner in (Frame, Column):
    setattr(_owner, "to_csv", to_csv)  # noqa: B010 (mypy)
