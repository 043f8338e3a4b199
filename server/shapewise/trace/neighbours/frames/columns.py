"""Columns of a table: read, chosen by masks, written, and the arrays that they give."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from ...arrays import Array, blank, tensor_to_array
from ...arrays.array import np
from ...unknowns import texts
from ...unknowns.grown import is_grown
from ...unknowns.unknown import Lost, Unknown
from ...worlds import worlds
from . import methods
from .held import (
    FROM_FILE,
    NONE,
    VALUES,
    Column,
    Data,
    Frame,
    Given,
    Held,
    of_any_dtype,
    of_file,
    other_rows,
    pandas,
    some_columns,
    some_dtype,
    wrapped,
)
from .objects import of_objects

# ---------------------------------------------------------------- arrays


def to_array(self: Held, dtype: Any = None, copy: Any = False, **options: Any) -> Any:
    """`to_numpy`, `values`: the numbers in it. Raises Lost where it holds others."""
    data, given = self._data(), Given()
    kind = None if dtype is None else np.dtype(given.real(dtype))
    if options or type(copy) is not bool:
        raise Lost("an array with options")
    if data.rest:
        return _array_of_file(data, kind)
    if data.item is not None:
        raise Lost("an array of objects")
    real = methods.natively(
        lambda: data.real.values if kind is None and not copy else data.real.to_numpy(kind, copy)
    )
    return of_objects(real, bool(data.hidden))


def _array_of_file(data: Data, kind: Any) -> Array:
    """All columns of a table of which not all are known: pandas gives them column by column."""
    rows, columns, kind = len(data.real), count(data), data.kind if kind is None else kind
    return blank((rows, columns), some_dtype() if kind is None else kind, (1, rows) if columns > 1 else None)


def count(data: Data) -> int:
    """How many columns there are in this world."""
    worlds.use()
    return some_columns() if data.real.shape[1] else data.rest


# ---------------------------------------------------------------- columns


def between(places: slice) -> int:
    """How many of so many columns a slice takes: if not as many as it says, as many as a table has in this world."""
    start, stop = places.start or 0, places.stop
    plain = type(stop) is int and type(start) is int and places.step is None
    if plain and (start >= 0) == (stop > 0) and stop > start:
        return int(stop - start)
    if type(start) is int and start < 0 and stop is None and places.step is None:
        return -start
    return some_columns()


def get(self: Any, key: Any) -> Any:
    """`df[key]`."""
    data = self._data()
    if (
        isinstance(self, Frame)
        and isinstance(key, str)
        and (data.rest or list(data.real.columns).count(key) == 1)
    ):
        return _column(data, key)
    if isinstance(key, Held) and is_mask(key):
        return where(data, key._data())
    if type(key) is Array and key.dtype == np.bool_:
        return where(
            data,
            Data(
                pandas().Series(key._held, index=data.real.index),
                NONE if key._memory.known else VALUES,
                loose=data.loose,
            ),
        )
    if type(key) is list and is_grown(key) is not None and all(map(texts.is_text, key)):
        key = FileColumns(some_columns())
    if type(key) is FileColumns:
        worlds.use()
        return wrapped(Data(data.real[[]], NONE, NONE, data.loose, key.count, data.kind))
    if data.rest and type(key) is list and all(type(one) is str for one in key):
        return named(data, key)
    if type(key) is slice and data.rest:
        return self.iloc[key]
    return methods.call("__getitem__", self, (key,), {})


def _column(data: Data, name: str) -> Any:
    """One column of a table of which not all are known."""
    if name not in data.real.columns:
        return of_file(len(data.real), name, data.kind, loose=data.loose)
    hidden, untyped = (VALUES if name in names else NONE for names in (data.hidden, data.untyped))
    return wrapped(Data(data.real[name], hidden, untyped, data.loose))


def named(data: Data, names: list[str]) -> Frame:
    """Some columns of a table of which not all are known."""
    real, untyped, hidden = {}, set(), set()
    for name in names:
        known = name in data.real.columns
        real[name] = data.real[name].values if known else of_file(len(data.real), name)._data().real.values
        if not known or name in data.untyped:
            untyped.add(name)
        if not known or name in data.hidden:
            hidden.add(name)
    made = pandas().DataFrame(real, index=data.real.index)
    frame: Frame = wrapped(Data(made, frozenset(hidden), frozenset(untyped), data.loose))
    return frame


def is_mask(key: Held) -> bool:
    """Whether this is a series of truth values."""
    return isinstance(key, Column) and key._data().real.dtype == np.bool_


def where(data: Data, mask: Data) -> Any:
    """The rows where a mask holds."""
    methods.check_rows([data, mask])
    if mask.hidden or len(mask.real) != len(data.real):
        return wrapped(other_rows(data, worlds.size()))
    real = methods.natively(lambda: data.real[mask.real])
    loose = data.loose if data.loose is None else object()
    return wrapped(data._replace(real=real, loose=loose))


def put(self: Any, key: Any, value: Any) -> None:
    """`df[key] = value`."""
    try:
        self._put(_with(self._data(), key, value))
    except Lost as error:
        self._put(Unknown(error.why))


def _with(data: Data, key: Any, value: Any) -> Data:
    """A table with another column."""
    given = Given()
    if isinstance(key, Held) and is_mask(key):  # some rows, of whatever columns
        every = frozenset(data.real.columns)
        return of_any_dtype(data, every)
    names = key if type(key) is list else [key]
    if not all(type(name) in (str, int) for name in names):
        raise Lost("a table that is written into")
    if isinstance(value, torch.Tensor):
        value = tensor_to_array(value)
    try:
        new = given.real(value)
    except Lost:
        if isinstance(value, Unknown) or len(names) > 1:
            new, given.hidden = some_dtype().type(0), True
            value = None
        else:
            raise
    if not data.real.shape[1] and not data.rest and not hasattr(new, "__len__"):
        raise Lost("a table of which nobody knows how many rows it has")
    methods.check_rows([data, *[one for one in given.tables if hasattr(one.real, "index")]])
    real = data.real.copy()

    def write() -> None:
        real[key] = new

    methods.natively(write)
    hidden, untyped = data.hidden - set(names), data.untyped - set(names)
    if given.lost:
        hidden |= set(names)
    if value is None or any(table.untyped for table in given.tables):
        untyped |= set(names)
    rest = data.rest
    if rest and not set(names) <= set(data.real.columns):
        rest = some_columns()
    return data._replace(real=real, hidden=hidden, untyped=untyped, rest=rest)


def put_attribute(self: Any, name: str, value: Any) -> None:
    """`df.x = value`: a column, if there is one of this name."""
    if name != "_held" and type(self._held) is Data and name not in vars(Frame):
        real = self._held.real
        if self._held.rest or name in real.columns:
            put(self, name, value)
            return
    object.__setattr__(self, name, value)


def delete(self: Any, name: Any) -> None:
    """`del df[name]`."""
    try:
        pop(self, name)
    except Lost as error:
        self._put(Unknown(error.why))


def lose(self: Any, name: Any) -> None:
    """`del series[name]`."""
    self._put(Unknown("an item is deleted"))


def put_value(self: Any, key: Any, value: Any) -> None:
    """`series[key] = value`: its values are not known any more."""
    data = self._data()
    self._put(of_any_dtype(data))


class FileColumns:
    """The names of the columns of a table of which not all are known."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __len__(self) -> int:
        worlds.use()
        return self.count

    def __iter__(self) -> Iterator[Any]:
        raise Lost("columns of a file")

    def __contains__(self, name: Any) -> bool:
        raise Lost("columns of a file")

    def __getitem__(self, index: Any) -> Any:
        if type(index) is slice:
            return FileColumns(between(Given().real(index)))
        return texts.text(FROM_FILE)

    def __ne__(self, other: Any) -> Any:
        return FileColumns(some_columns()) if isinstance(other, str) else Unknown(FROM_FILE)

    __hash__ = None  # type: ignore[assignment]

    def tolist(self) -> Any:
        """As a list."""
        return texts.some(texts.text(FROM_FILE), FROM_FILE)

    to_list = tolist

    def drop(self, names: Any) -> Any:
        """Without some."""
        return FileColumns(some_columns())


def pop(self: Any, name: Any) -> Any:
    """`DataFrame.pop`."""
    column = get(self, name)
    data = self._data()
    self._put(
        methods._without(data, columns=name)
        if data.rest
        else methods.call("drop", self, (), {"columns": [name]})._data()
    )
    return column
