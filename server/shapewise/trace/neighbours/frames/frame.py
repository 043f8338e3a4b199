"""Tables, series and indices: what they say of themselves, their columns and their operators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from ... import shims, texts, worlds
from ...alike import kind_of_items
from ...arrays import Array, Number, blank, tensor_to_array
from ...arrays.array import KINDS, np
from ...grown import AS_LISTS, is_grown
from ...recorder import same
from ...unknown import Lost, Unknown, is_truth
from . import methods
from .held import (
    BY_DATA,
    FROM_FILE,
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
    other_rows,
    pandas,
    some_columns,
    some_dtype,
    wrapped,
)
from .objects import of_objects

_EACH = 2_000
"""Rows that are gone through one by one."""


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
    rows, columns, kind = len(data.real), _count(data), data.kind if kind is None else kind
    return blank((rows, columns), some_dtype() if kind is None else kind, (1, rows) if columns > 1 else None)


def _count(data: Data) -> int:
    """How many columns there are in this world."""
    worlds.use()
    return some_columns() if data.real.shape[1] else data.rest


# ---------------------------------------------------------------- columns


def _get(self: Any, key: Any) -> Any:
    """`df[key]`."""
    data = self._data()
    if (
        isinstance(self, Frame)
        and isinstance(key, str)
        and (data.rest or list(data.real.columns).count(key) == 1)
    ):
        return _column(data, key)
    if isinstance(key, Held) and _is_mask(key):
        return _where(data, key._data())
    if type(key) is Array and key.dtype == np.bool_:
        return _where(
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
        return _named(data, key)
    if type(key) is slice and data.rest:
        raise Lost("rows of a file")
    return methods.call("__getitem__", self, (key,), {})


def _column(data: Data, name: str) -> Any:
    """One column of a table of which not all are known."""
    if name not in data.real.columns:
        return of_file(len(data.real), name, data.kind, loose=data.loose)
    hidden, untyped = (VALUES if name in names else NONE for names in (data.hidden, data.untyped))
    return wrapped(Data(data.real[name], hidden, untyped, data.loose))


def _named(data: Data, names: list[str]) -> Frame:
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


def _is_mask(key: Held) -> bool:
    return isinstance(key, Column) and key._data().real.dtype == np.bool_


def _where(data: Data, mask: Data) -> Any:
    """The rows where a mask holds."""
    methods.check_rows([data, mask])
    if mask.hidden or len(mask.real) != len(data.real):
        return wrapped(other_rows(data, worlds.size()))
    real = methods.natively(lambda: data.real[mask.real])
    loose = data.loose if data.loose is None else object()
    return wrapped(data._replace(real=real, loose=loose))


def _set(self: Any, key: Any, value: Any) -> None:
    """`df[key] = value`."""
    try:
        self._put(_with(self._data(), key, value))
    except Lost as error:
        self._put(Unknown(error.why))


def _with(data: Data, key: Any, value: Any) -> Data:
    """A table with another column."""
    given = Given()
    if isinstance(key, Held) and _is_mask(key):  # some rows, of whatever columns
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


def _set_attribute(self: Any, name: str, value: Any) -> None:
    """`df.x = value`: a column, if there is one of this name."""
    if name != "_held" and type(self._held) is Data and name not in vars(Frame):
        real = self._held.real
        if self._held.rest or name in real.columns:
            _set(self, name, value)
            return
    object.__setattr__(self, name, value)


def _delete(self: Any, name: Any) -> None:
    """`del df[name]`."""
    try:
        _pop(self, name)
    except Lost as error:
        self._put(Unknown(error.why))


def _lose(self: Any, name: Any) -> None:
    self._put(Unknown("an item is deleted"))


def _set_values(self: Any, key: Any, value: Any) -> None:
    """`series[key] = value`: its values are not known any more."""
    data = self._data()
    self._put(of_any_dtype(data))


def _length(self: Held) -> int:
    return len(self._data().real)


def _rows(self: Held) -> Iterator[Any]:
    data = self._data()
    if isinstance(self, Frame):
        if data.rest:
            raise Lost("columns of a file")
        return iter([*data.real.columns])
    items = _listed(self)
    if (lost := is_grown(items)) is not None:
        raise Lost(lost.why)
    return iter(items)


def _listed(self: Held) -> Any:
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
    return [_plain(one) for one in data.real.tolist()]


def _plain(value: Any) -> Any:
    return value if value is None or type(value) in (int, float, bool, str) else given_out(value)


def _unique(self: Any) -> Any:
    """`unique`: nobody knows how many there are."""
    data = self._data()
    if data.untyped:
        return wrapped(other_rows(data, worlds.size()))
    if not data.hidden or not isinstance(data.real.dtype, np.dtype) or data.real.dtype.kind not in KINDS:
        return methods.call("unique", self, (), {})
    return blank((worlds.size(),), data.real.dtype)


def _count_unique(self: Any) -> Any:
    """`nunique`."""
    return worlds.length(BY_DATA) if self._data().hidden else methods.call("nunique", self, (), {})


def _contains(self: Held, item: Any) -> bool:
    data = self._data()
    if data.rest or (data.hidden and isinstance(self, Labels)):
        raise Lost("columns of a file")
    return item in data.real


# ---------------------------------------------------------------- functions of the program's over each value


def _each(self: Any, function: Any, *args: Any, **options: Any) -> Any:
    """`Series.apply`, `Series.map`: a dict, or a function of the program's, of each value."""
    data = self._data()
    if args or options.keys() - {"axis"}:
        raise Lost("a function with arguments")
    if isinstance(self, Frame):
        return _each_column(self, function) if not options.get("axis") else _each_row(self, function)
    if type(function) is dict and not data.hidden and data.item is None:
        return methods.call("map", self, (function,), {})
    if type(function) is dict or type(function) is Unknown:
        return wrapped(data._replace(real=_some_numbers(data), hidden=VALUES, untyped=VALUES, item=None))
    if not callable(function):
        raise Lost("what is done with each value")
    if data.hidden or data.item is not None or len(data.real) > _EACH:
        return _of_each(data, function(_one(data)))
    found = [function(_plain(value)) for value in data.real.tolist()]
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
        one = function(_get(self, name))
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


# ---------------------------------------------------------------- what they say of themselves


def _shape(self: Held) -> tuple[Any, ...]:
    data = self._data()
    if data.rest:
        return len(data.real), _count(data)
    return tuple(data.real.shape)


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
            return FileColumns(len(range(self.count)[Given().real(index)]))
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


def _columns(self: Held) -> Any:
    data = self._data()
    if data.rest:
        return FileColumns(_count(data))
    return given_out(data.real.columns)


def _set_columns(self: Held, names: Any) -> None:
    data = self._data()
    try:
        if data.rest:
            raise Lost("columns of a file")
        real, given = data.real.copy(), Given()
        new = given.real(names)
        methods.natively(lambda: setattr(real, "columns", new))
        every = frozenset(real.columns)
        self._put(
            data._replace(
                real=real, hidden=every if data.hidden else NONE, untyped=every if data.untyped else NONE
            )
        )
    except Lost as error:
        self._put(Unknown(error.why))


def _dtype(self: Held) -> Any:
    data = self._data()
    kind = data.real.dtype
    if data.untyped or not isinstance(kind, np.dtype) or kind.kind not in KINDS:
        return Unknown("the dtype of a column")
    return kind


def _index(self: Held) -> Any:
    data = self._data()
    return Unknown(BY_DATA) if data.loose is not None else given_out(data.real.index)


def _attribute(self: Any, name: str) -> Any:
    """A column by its name, or what is not followed: it may have changed the table."""
    if name.startswith("_"):
        raise AttributeError(name)
    data = self._data()
    if isinstance(self, Frame) and (
        name in data.real.columns or (data.rest and not hasattr(data.real, name))
    ):
        return _get(self, name)
    made = Unknown(f"{name} of a table is not followed")

    def answer(*args: Any, **options: Any) -> Any:
        if options.get("inplace") is not None or name in ("update", "eval", "query", "pop", "insert"):
            self._put(Unknown(made.why))
        return Unknown(made.why)

    made.answer = answer
    return made


def _itertuples(self: Any, index: Any = True, name: Any = "Pandas") -> Iterator[Any]:
    """`itertuples`."""
    data = self._data()
    if data.rest or data.hidden or data.loose is not None or len(data.real) > _EACH or type(name) is not str:
        raise Lost("the rows of a table")
    rows = list(data.real.itertuples(index=index is True, name="Pandas"))
    return iter([type(row)(*map(_plain, row)) for row in rows])


def _pop(self: Any, name: Any) -> Any:
    column = _get(self, name)
    data = self._data()
    self._put(
        methods._without(data, columns=name)
        if data.rest
        else methods.call("drop", self, (), {"columns": [name]})._data()
    )
    return column


def _items(self: Any) -> Iterator[Any]:
    data = self._data()
    if not isinstance(self, Frame) or data.rest:
        raise Lost("the items of a table")
    return iter([(name, _get(self, name)) for name in data.real.columns])


def _iterrows(self: Any) -> Iterator[Any]:
    data = self._data()
    if data.rest or data.loose is not None or len(data.real) > _EACH:
        raise Lost("the rows of a table")
    return iter(
        [(_plain(name), given_out(row, hidden=bool(data.hidden))) for name, row in data.real.iterrows()]
    )


# ---------------------------------------------------------------- the classes


def _operator(name: str) -> Any:
    def operate(self: Any, *others: Any) -> Any:
        if any(isinstance(other, torch.Tensor) for other in others):
            raise Lost("a table beside a tensor")
        return methods.call(name, self, others, {})

    return operate


def _method(name: str) -> Any:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return methods.call(name, self, args, kwargs)
        except Lost as error:
            if (env := shims.here()) is not None:
                env.run.spoiled += 1
            return Unknown(error.why)

    method.__name__ = method.__qualname__ = name
    return method


def _construct(name: str) -> Any:
    def construct(self: Any, *args: Any, **kwargs: Any) -> None:
        """Made by the program itself."""
        try:
            given = Given()
            args = tuple(_as_data(arg) for arg in args)
            if name == "DataFrame" and len(args) == 1 and not kwargs and is_grown(args[0]) is not None:
                self._held = _of_records(args[0])
                return
            kwargs = {key: _as_data(value) for key, value in kwargs.items()}
            reals = (
                [given.real(arg) for arg in args],
                {key: given.real(value) for key, value in kwargs.items()},
            )
            methods.check_rows(given.tables)
            real = given.call(name, getattr(pandas(), name), *reals)
            several = isinstance(real, pandas().DataFrame)
            lost = frozenset(real.columns) if several else VALUES
            self._held = Data(real, lost if given.lost else NONE)
            if given.lost and several and args and type(args[0]) is dict:
                self._held = self._held._replace(
                    hidden=frozenset(n for n, v in args[0].items() if _is_lost(v))
                )
        except Lost as error:
            self._held = Unknown(error.why)

    return construct


def _of_records(records: Any) -> Data:
    """A table of nobody knows how many dicts of numbers."""
    try:
        one = kind_of_items(records, same)
    except LookupError:
        one = None
    if type(one) is not dict or not all(type(key) is str for key in one):
        raise Lost("a table of what is not known")
    rows, columns, untyped = worlds.some(), {}, set()
    for key, value in one.items():
        kind = type(value.sample) if type(value) is Unknown else type(value)
        if kind not in (int, float):
            untyped.add(key)
        columns[key] = np.zeros(rows, kind if kind in (int, float) else some_dtype())
    return Data(pandas().DataFrame(columns), frozenset(columns), frozenset(untyped))


def _as_data(value: Any) -> Any:
    """What pandas is given in the place of tensors: in a dict, arrays of them."""
    if isinstance(value, torch.Tensor) and not value.requires_grad:
        return tensor_to_array(value)
    return {key: _as_data(one) for key, one in value.items()} if type(value) is dict else value


def _is_lost(value: Any) -> bool:
    given = Given()
    given.real(value)
    return given.lost


_OPERATORS = [name for name in methods.OTHER_VALUES if name.startswith("__")]


def _refuses_truth(self: Held) -> bool:
    raise Lost("whether a table is true")


def _fill(owner: Any, **more: Any) -> None:
    for name in _OPERATORS:
        setattr(owner, name, _operator(name))
    for name in methods.LISTED - {"__getitem__", *_OPERATORS}:
        setattr(owner, name, _method(name))
    for name, value in more.items():
        setattr(owner, name, value)


_SHARED: dict[str, Any] = {
    "__len__": _length,
    "__iter__": _rows,
    "__contains__": _contains,
    "__getattr__": _attribute,
    "__bool__": _refuses_truth,
    "__array_ufunc__": None,
    "__hash__": None,
    "shape": property(_shape),
    "values": property(to_array),
    "size": property(lambda self: int(np.prod(_shape(self)))),
    "ndim": property(lambda self: len(_shape(self))),
    "empty": property(lambda self: Unknown(BY_DATA)),
    "to_numpy": to_array,
    "T": property(lambda self: methods.call("transpose", self, (), {})),
}
_fill(
    Frame,
    **_SHARED,
    __init__=_construct("DataFrame"),
    __getitem__=_get,
    __setitem__=_set,
    __setattr__=_set_attribute,
    __delitem__=_delete,
    columns=property(_columns, _set_columns),
    index=property(_index),
    items=_items,
    iterrows=_iterrows,
    itertuples=_itertuples,
    pop=_pop,
    apply=_each,
)
_fill(
    Column,
    **_SHARED,
    __init__=_construct("Series"),
    __getitem__=_get,
    __setitem__=_set_values,
    __delitem__=_lose,
    dtype=property(_dtype),
    index=property(_index),
    tolist=_listed,
    to_list=_listed,
    apply=_each,
    map=_each,
    unique=_unique,
    nunique=_count_unique,
)
_fill(
    Labels,
    **_SHARED,
    __init__=_construct("Index"),
    __getitem__=_get,
    dtype=property(_dtype),
    tolist=_listed,
    to_list=_listed,
)

AS_LISTS.update({Column: _listed, Labels: _listed, FileColumns: FileColumns.tolist})
