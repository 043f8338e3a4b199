"""Tables, series and indices: what they say of themselves, their columns and their operators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from ... import shims
from ...arrays import blank, tensor_to_array
from ...arrays.array import KINDS, Array, np
from ...log.facts import same
from ...unknowns.alike import kind_of_items
from ...unknowns.grown import AS_LISTS, is_grown
from ...unknowns.unknown import Lost, Unknown
from ...worlds import worlds
from . import methods
from .columns import FileColumns, count, delete, get, lose, pop, put, put_attribute, put_value, to_array
from .each import each, items, iterrows, itertuples, listed
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
    other_rows,
    pandas,
    some_dtype,
    wrapped,
)


def _length(self: Held) -> int:
    return len(self._data().real)


def _rows(self: Held) -> Iterator[Any]:
    data = self._data()
    if isinstance(self, Frame):
        if data.rest:
            raise Lost("columns of a file")
        return iter([*data.real.columns])
    items = listed(self)
    if (lost := is_grown(items)) is not None:
        raise Lost(lost.why)
    return iter(items)


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


# ---------------------------------------------------------------- what they say of themselves


def _shape(self: Held) -> tuple[Any, ...]:
    data = self._data()
    if data.rest:
        return len(data.real), count(data)
    return tuple(data.real.shape)


def _columns(self: Held) -> Any:
    data = self._data()
    if data.rest:
        return FileColumns(count(data))
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
    return given_out(data.real.index, hidden=data.loose is not None)


def _attribute(self: Any, name: str) -> Any:
    """A column by its name, or what is not followed: it may have changed the table."""
    if name.startswith("_"):
        raise AttributeError(name)
    data = self._data()
    if isinstance(self, Frame) and (
        name in data.real.columns or (data.rest and not hasattr(data.real, name))
    ):
        return get(self, name)
    made = Unknown(f"{name} of a table is not followed")

    def answer(*args: Any, **options: Any) -> Any:
        if options.get("inplace") is not None or name in ("update", "eval", "query", "pop", "insert"):
            self._put(Unknown(made.why))
        return Unknown(made.why)

    made.answer = answer
    return made


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
            lost_columns = _lost_columns(args[0]) if name == "DataFrame" and len(args) == 1 else {}
            args = ({**args[0], **lost_columns},) if lost_columns else args
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
                    hidden=frozenset(n for n, v in args[0].items() if _is_lost(v)),
                    untyped=frozenset(lost_columns),
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


def _lost_columns(columns: Any) -> dict[str, Any]:
    """Of a table made of a dict the columns that nobody knows: as long as what beside them is no series and no number."""
    if type(columns) is not dict or not all(type(name) is str for name in columns):
        return {}
    rows = next(
        (len(one) for one in columns.values() if type(one) in (list, Array) and is_grown(one) is None), None
    )
    lost = [name for name, one in columns.items() if type(one) is Unknown]
    return {} if rows is None else {name: blank((rows,), some_dtype()) for name in lost}


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
    __getitem__=get,
    __setitem__=put,
    __setattr__=put_attribute,
    __delitem__=delete,
    columns=property(_columns, _set_columns),
    index=property(_index),
    items=items,
    iterrows=iterrows,
    itertuples=itertuples,
    pop=pop,
    apply=each,
)
_fill(
    Column,
    **_SHARED,
    __init__=_construct("Series"),
    __getitem__=get,
    __setitem__=put_value,
    __delitem__=lose,
    dtype=property(_dtype),
    index=property(_index),
    tolist=listed,
    to_list=listed,
    apply=each,
    map=each,
    unique=_unique,
    nunique=_count_unique,
)
_fill(
    Labels,
    **_SHARED,
    __init__=_construct("Index"),
    __getitem__=get,
    dtype=property(_dtype),
    tolist=listed,
    to_list=listed,
)

AS_LISTS.update({Column: listed, Labels: listed, FileColumns: FileColumns.tolist})
