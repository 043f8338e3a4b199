"""Tables as the interpreted program holds them: a real one of pandas whose facts are those of the program's.

Its values are the program's where they are known; else they are some that nobody reads, and their columns are
`hidden`. Of columns that came from a file the dtype is not known either: they have another one in each world.
No object of pandas' is ever given out, none of the program's is given to it but plain data, and it is never given a function.
"""

from __future__ import annotations

import importlib
import itertools
from typing import Any, NamedTuple

import torch

from ...arrays import Array, Number, is_scalar
from ...arrays.array import KINDS, made, np
from ...arrays.inputs import Inputs
from ...outside import outside
from ...shims import here
from ...state import ATTRIBUTE
from ...unknowns.grown import is_grown
from ...unknowns.joining import JOINS
from ...unknowns.unknown import NO_SAMPLE, Lost, Unknown
from ...worlds import worlds
from . import limits

BY_DATA = "depends on the data"
FROM_FILE = "what is read from a file is not known"
VALUES: frozenset[Any] = frozenset(("values",))
"""The `hidden` of a series of which no value is known."""
NONE: frozenset[Any] = frozenset()
_ITEMS = 100_000

_LOADED: dict[str, Any] = {}


def pandas() -> Any:
    """The package itself, imported where it is first used. Raises Lost where it cannot be."""
    if "pandas" not in _LOADED:
        try:
            _LOADED["pandas"] = outside(lambda: importlib.import_module("pandas"))
        except Exception:
            _LOADED["pandas"] = None
    if _LOADED["pandas"] is None:
        raise Lost("pandas cannot be imported")
    return _LOADED["pandas"]


class Data(NamedTuple):
    """A table, series or index, and what is not known of it. It is never changed: another takes its place."""

    real: Any
    hidden: frozenset[Any] = NONE
    """The columns whose values nobody knows; of a series or an index `VALUES`."""
    untyped: frozenset[Any] = NONE
    """Those whose dtype nobody knows, nor that they hold numbers."""
    loose: object = None
    """Where nobody knows the labels of its rows: something that tables with the same rows share."""
    rest: int = 0
    """Of a table of which not all columns are known: how many more there are in this world."""
    kind: Any = None
    """The dtype of those, where it is known."""
    item: Any = None
    """What each value of a series is that holds objects of the program's."""


class Held:
    """What a table, a series and an index have in common."""

    _held: Any

    def _data(self) -> Data:
        """What it holds now. Raises Lost where that is not known any more."""
        if type(self._held) is Unknown:
            raise Lost(self._held.why)
        held: Data = self._held
        return held

    def _put(self, data: Any) -> None:
        """From now on it holds this."""
        env = here()
        if env is not None:
            env.run.spoiled += 1
            env.run.journal.note(ATTRIBUTE, self, "_held")
        self._held = data


class Frame(Held):
    """`pandas.DataFrame`: see `frame`."""


class Column(Held):
    """`pandas.Series`."""


class Labels(Held):
    """`pandas.Index`, and other arrays of what are no numbers."""


Frame.__name__, Column.__name__, Labels.__name__ = "DataFrame", "Series", "Index"  # as errors say


def wrapped(data: Data) -> Any:
    """A table, series or index for the program."""
    pd = pandas()
    if len(data.real) > limits.ROWS:
        raise Lost("too long a table to follow")
    kind = (
        Frame
        if isinstance(data.real, pd.DataFrame)
        else Column
        if isinstance(data.real, pd.Series)
        else Labels
    )
    one: Any = object.__new__(kind)
    one._held = data
    return one


# ---------------------------------------------------------------- what goes in


class Given:
    """Arguments on their way to pandas, and what is not known among them."""

    def __init__(self) -> None:
        self.tables: list[Data] = []
        self.hidden = False

    @property
    def lost(self) -> bool:
        """Whether a value in them is not known."""
        return self.hidden or any(data.hidden or data.rest for data in self.tables)

    def real(self, value: Any, depth: int = 4) -> Any:
        """The real argument. Raises Lost for anything but plain data and tables."""
        if isinstance(value, Held):
            data = value._data()
            self.tables.append(data)
            return data.real
        if type(value) in (Array, Number):
            self.hidden |= type(value) is Number or not value._memory.known
            return value.standing() if type(value) is Number else value._held
        if type(value) is Unknown:
            self.hidden = True
            if value.sample is NO_SAMPLE or type(value.sample) not in (int, float):
                raise Lost(value.why)
            worlds.use()
            worlds.take()
            return value.sample
        if value is None or type(value) in (int, float, bool, str) or is_scalar(value):
            return value
        if isinstance(value, np.dtype) or any(value is kind for kind in (int, float, bool, str, object)):
            return value
        if isinstance(value, torch.Tensor) or not depth:
            raise Lost("a table of tensors")
        if type(value) in (list, tuple):
            if is_grown(value) is not None:
                inputs = Inputs()
                found = inputs.real(value)
                self.hidden = True
                return found
            if len(value) > _ITEMS:
                raise Lost("too long a list to follow")
            return type(value)([self.real(item, depth - 1) for item in value])
        if type(value) is dict and is_grown(value) is None:
            return {self.real(key, 1): self.real(item, depth - 1) for key, item in value.items()}
        if type(value) in (range, slice):
            return (
                value
                if type(value) is range
                else slice(*map(self._bound, (value.start, value.stop, value.step)))
            )
        raise Lost(f"pandas is given a {type(value).__name__}")

    def call(self, name: str, function: Any, args: Any, kwargs: Any) -> Any:
        """What pandas gives of arguments that are real by now. What it refuses is not known: another version may not."""
        limits.check(name, [data.real.shape for data in self.tables], list(args), kwargs)
        try:
            with np.errstate(all="ignore"):
                return function(*args, **kwargs)
        except Exception as error:
            raise Lost(f"pandas: {type(error).__name__}") from error

    def _bound(self, value: Any) -> Any:
        """A bound of a slice: the number that it is in this world."""
        hidden, found = self.hidden, self.real(value, 1)
        self.hidden = hidden
        return found


# ---------------------------------------------------------------- what comes out


def given_out(real: Any, hidden: bool = False, **more: Any) -> Any:
    """What pandas gave, for the program. `hidden`: its values are not known, its type and sizes are."""
    pd = pandas()
    if isinstance(real, pd.DataFrame):
        return wrapped(Data(real, frozenset(real.columns) if hidden else NONE, **more))
    if isinstance(real, (pd.Series, pd.Index)):
        return wrapped(Data(real, VALUES if hidden else NONE, **more))
    if isinstance(real, np.ndarray) and real.dtype.kind in KINDS:
        return made(real, not hidden)
    if isinstance(real, np.ndarray) and real.ndim != 1:
        raise Lost("an array of objects")
    if isinstance(real, (np.ndarray, pd.api.extensions.ExtensionArray)):
        return wrapped(Data(pd.Index(real), VALUES if hidden else NONE))
    if hidden:
        return _hidden_scalar(real)
    if isinstance(real, np.generic) and real.dtype.kind in KINDS:
        return real
    if type(real) in (tuple, list):
        return type(real)([given_out(one) for one in real])
    if type(real) is dict:
        return {key: given_out(one) for key, one in real.items()}
    if real is None or type(real) in (int, float, bool, str):
        return real
    return Unknown("a value of a table")


def _hidden_scalar(real: Any) -> Any:
    if isinstance(real, np.generic) and real.dtype.kind in KINDS:
        return Number(real.dtype)
    if type(real) is int:
        return worlds.number(BY_DATA)
    return worlds.real(BY_DATA) if type(real) is float else Unknown(BY_DATA)


# ---------------------------------------------------------------- made up


def some_dtype() -> Any:
    """The dtype of a column of a file: another one in each world."""
    worlds.use()
    return worlds.picked(np.dtype(np.float64), np.dtype(np.int64))


def some_columns() -> int:
    """How many columns a table of a file has in this world."""
    return worlds.sides()[0]


def of_file(rows: int, name: Any, kind: Any = None, **more: Any) -> Column:
    """A column of which nobody knows more than how many rows it has in this world, and perhaps its dtype."""
    real = pandas().Series(np.zeros(rows, some_dtype() if kind is None else kind), name=name)
    made: Column = wrapped(Data(real, VALUES, VALUES if kind is None else NONE, **more))
    return made


def of_any_dtype(data: Data, names: frozenset[Any] = VALUES) -> Data:
    """A series, or some columns of a table, of which neither values nor dtype are known any more."""
    pd, rows = pandas(), len(data.real)
    if not isinstance(data.real, pd.DataFrame):
        real = pd.Series(np.zeros(rows, some_dtype()), index=data.real.index, name=data.real.name)
        return data._replace(real=real, hidden=VALUES, untyped=VALUES, item=None)
    real = data.real.copy()
    for name in names:
        real[name] = np.zeros(rows, some_dtype())
    return data._replace(real=real, hidden=data.hidden | names, untyped=data.untyped | names)


def other_rows(data: Data, rows: int) -> Data:
    """A table or series with the same columns and so many rows, of which nobody knows which they are."""
    pd = pandas()
    if isinstance(data.real, pd.DataFrame):
        columns = {name: _blank(data.real.iloc[:, at], rows) for at, name in enumerate(data.real.columns)}
        if len(columns) != data.real.shape[1]:
            raise Lost("columns of one name")
        real = pd.DataFrame(columns, index=pd.RangeIndex(rows))
        return data._replace(real=real, hidden=frozenset(real.columns), loose=object())
    real = pd.Series(_blank(data.real, rows), name=data.real.name)
    return data._replace(real=real, hidden=VALUES, loose=object())


def _blank(column: Any, rows: int) -> Any:
    pd = pandas()
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in KINDS:
        return np.zeros(rows, column.dtype)
    return pd.array(list(itertools.repeat(column.iloc[0] if len(column) else None, rows)), dtype=column.dtype)


def _joined(left: Data, right: Data) -> Any:
    """What is known of a table that is one of two."""
    pd, one, other = pandas(), left.real, right.real
    alike = type(one) is type(other) and len(one) == len(other) and left.rest == right.rest
    same_rows = alike and left.loose is right.loose and _index(one).equals(_index(other))
    loose = left.loose if same_rows else object()
    hidden, untyped = left.hidden | right.hidden, left.untyped | right.untyped
    if alike and isinstance(one, pd.DataFrame):
        alike = list(one.columns) == list(other.columns) and list(one.dtypes) == list(other.dtypes)
        if alike:
            hidden |= {name for name in one.columns if not one[name].equals(other[name])}
    elif alike:
        alike = one.dtype == other.dtype and left.item is right.item
        hidden = hidden if alike and one.equals(other) else VALUES
    if not alike:
        return Unknown("a table that differs between two ways")
    return left._replace(hidden=hidden, untyped=untyped, loose=loose)


def _index(real: Any) -> Any:
    return real.index if hasattr(real, "index") and not callable(real.index) else real


JOINS[Data] = _joined
