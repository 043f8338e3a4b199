"""Methods of tables that are carried out, by what they look at. All others are not followed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...arrays.array import np
from ...unknowns.unknown import Lost, Unknown
from ...worlds import worlds
from .held import (
    BY_DATA,
    NONE,
    VALUES,
    Data,
    Given,
    Held,
    given_out,
    other_rows,
    pandas,
    some_columns,
    wrapped,
)
from .merges import merged


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SAME_COLUMNS = _words(
    "copy head tail drop rename fillna ffill bfill interpolate abs clip round shift reset_index set_index sort_index "
    "add_prefix add_suffix sort_values sample reindex assign squeeze infer_objects truncate set_axis __getitem__"
)
"""What gives columns with the values and dtypes that they had, as far as is known."""
OTHER_VALUES = _words(
    "astype diff pct_change cumsum cumprod cummax cummin isna isnull notna notnull add sub mul div truediv pow mod "
    "floordiv rsub rdiv eq ne lt le gt ge where mask between isin rank to_frame dot transpose "
    "__add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __truediv__ __rtruediv__ __floordiv__ __rfloordiv__ __mod__ "
    "__rmod__ __pow__ __rpow__ __and__ __rand__ __or__ __ror__ __xor__ __rxor__ __invert__ __neg__ __abs__ __eq__ __ne__ "
    "__lt__ __le__ __gt__ __ge__ "
    "sum mean std var sem median min max count prod any all skew kurt"
)
"""What computes others, whose shape and dtype do not depend on them."""
BY_VALUES = _words(
    "dropna drop_duplicates duplicated value_counts unique nunique merge join pivot_table pivot melt stack unstack "
    "explode nlargest nsmallest quantile describe corr cov idxmax idxmin argmax argmin select_dtypes factorize mode "
    "replace map get_dummies searchsorted to_dict item keys argsort append"
)
"""What the values decide, or what is in them: carried out where all are known."""
LISTED = SAME_COLUMNS | OTHER_VALUES | BY_VALUES
_OTHER_ORDER = _words("sort_values sample sort_index reindex")
_WITH_THE_REST = _words(
    "copy head tail reset_index fillna ffill bfill dropna sample sort_values shift drop drop_duplicates astype"
)
"""What may be done to a table of which not all columns are known."""
_FEWER = _words("dropna drop_duplicates")
_DTYPES = _words("float float32 float64 int int32 int64 float16 uint8 bool")


def call(name: str, owner: Held, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A method of pandas' on a table, a series or an index. Raises Lost where what it gives is not known."""
    kwargs = dict(kwargs)
    inplace = kwargs.pop("inplace", False)
    if type(inplace) is not bool:
        raise Lost("whether a table is changed")
    try:
        result = _given(name, owner, args, kwargs)
    except Lost as error:
        if inplace:
            owner._put(Unknown(error.why))
        raise
    if not inplace:
        return result
    owner._put(result._data())
    return None


def _given(name: str, owner: Held, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    data, given = owner._data(), Given()
    given.tables.append(data)
    if data.rest:
        return _of_a_part(name, data, args, kwargs)
    real_args = [given.real(arg) for arg in args]
    real_kwargs = {key: given.real(value) for key, value in kwargs.items()}
    check_rows(given.tables)
    if name == "sample" and type(real_kwargs.get("random_state")) is not int:
        real_kwargs["random_state"], given.hidden = 0, True
    lost = given.lost
    if lost and name in _FEWER and not _has_gaps(name, data, kwargs):
        lost = False
    elif lost and name in _FEWER and not args and not kwargs.keys() - {"subset", "how", "keep"}:
        return wrapped(other_rows(data, worlds.size()))
    if lost and name == "merge" and len(given.tables) == 2 and not given.hidden:
        return merged(data, given, real_args, real_kwargs)
    if lost and name in BY_VALUES:
        raise Lost(BY_DATA)
    if name == "replace" and ("regex" in real_kwargs or isinstance(data.real, pandas().Index)):
        raise Lost("a pattern")
    result = given.call(name, getattr(data.real, name), real_args, real_kwargs)
    return outcome(name, data, result, given)


def check_rows(tables: list[Data]) -> None:
    """Raise Lost where rows are put beside others and nobody knows which belongs to which."""
    if len({id(data.loose) for data in tables}) > 1:
        raise Lost("rows in an order that nobody knows")


def natively(action: Callable[[], Any]) -> Any:
    """What pandas gives. What it refuses is not known here: it may be otherwise in another version."""
    try:
        with np.errstate(all="ignore"):
            return action()
    except Exception as error:
        raise Lost(f"pandas: {type(error).__name__}") from error


def outcome(name: str, data: Data, result: Any, given: Given) -> Any:
    """What a method gave, and what is not known of it."""
    if not given.lost:
        return given_out(result)
    pd = pandas()
    others = given.hidden or any(table.hidden for table in given.tables[1:])
    loose = data.loose
    if name in _OTHER_ORDER or (loose is not None and np.size(result) and len(result) != len(data.real)):
        loose = object()
    if name == "reset_index":
        loose = None
    if not isinstance(result, (pd.DataFrame, pd.Series, pd.Index)):
        return given_out(result, hidden=True)
    if len(result) != len(data.real) and name in OTHER_VALUES:
        loose = None  # a value for each column
    if not isinstance(result, pd.DataFrame):
        kept = name in SAME_COLUMNS and not isinstance(data.real, pd.DataFrame)
        return wrapped(
            Data(result, VALUES, data.untyped if kept else NONE, loose, item=data.item if kept else None)
        )
    names = frozenset(result.columns)
    if name == "set_index":
        loose = object()
    if others or name not in SAME_COLUMNS:
        untyped = names & data.untyped if name in SAME_COLUMNS else NONE
        return wrapped(Data(result, names, untyped, loose))
    before = frozenset(data.real.columns) if isinstance(data.real, pd.DataFrame) else NONE
    is_index = name == "reset_index" and data.loose is None  # rows in their order have labels that are known
    new = names - before if data.hidden and not is_index else NONE
    return wrapped(
        Data(
            result,
            (names & data.hidden) | new,
            (names & data.untyped) | (new if data.untyped else NONE),
            loose,
        )
    )


def _has_gaps(name: str, data: Data, kwargs: dict[str, Any]) -> bool:
    """Whether a row may be left out because of values that nobody knows."""
    pd = pandas()
    if name != "dropna" or not isinstance(data.real, pd.DataFrame) or data.loose is not None:
        return True
    subset = kwargs.get("subset", list(data.real.columns))
    names = [subset] if isinstance(subset, str) else subset
    return any(
        one in data.untyped or (one in data.hidden and data.real[one].dtype.kind not in "iub")
        for one in names
    )


def _of_a_part(name: str, data: Data, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A method of a table of which not all columns are known."""
    if name not in _WITH_THE_REST:
        raise Lost("columns of a file")
    if name == "drop":
        return wrapped(_without(data, *args, **kwargs))
    if name in _FEWER:
        if kwargs.keys() - {"subset", "how", "keep"} or args:
            raise Lost("columns of a file")
        return wrapped(other_rows(data, worlds.size()))
    given = Given()
    given.tables.append(data)
    real_args = [given.real(arg) for arg in args]
    real_kwargs = {key: given.real(value) for key, value in kwargs.items()}
    kind = data.kind
    if name == "astype":
        if len(real_args) != 1 or isinstance(real_args[0], (dict, str)) and real_args[0] not in _DTYPES:
            raise Lost("columns of a file")
        kind = np.dtype(real_args[0])
    real = data.real
    if name == "sort_values":
        return wrapped(data._replace(hidden=frozenset(real.columns), loose=object()))
    if name == "sample":
        real_kwargs.setdefault("random_state", 0)
    if name == "reset_index" and real_kwargs.get("drop") is not True:
        raise Lost("columns of a file")
    result = given.call(name, getattr(real, name), real_args, real_kwargs)
    if name in ("head", "tail", "sample"):
        result = result.reset_index(drop=True)
    loose = None if name == "reset_index" else data.loose
    if len(result) != len(real) or name == "sample":
        loose = object()
    hidden = frozenset(result.columns) if name == "sample" else data.hidden
    return wrapped(data._replace(real=result, hidden=hidden, loose=loose, kind=kind))


def _without(data: Data, labels: Any = None, axis: Any = 0, columns: Any = None, **options: Any) -> Data:
    """Without some of its columns."""
    names = columns if columns is not None else labels if axis in (1, "columns") else None
    names = [names] if isinstance(names, str) else names
    if type(names) is not list or not all(type(name) is str for name in names) or options.keys() - {"errors"}:
        raise Lost("columns of a file")
    there = [name for name in names if name in data.real.columns]
    rest = data.rest if len(there) == len(names) else some_columns()
    real = natively(lambda: data.real.drop(columns=there))
    return data._replace(
        real=real, hidden=data.hidden - set(there), untyped=data.untyped - set(there), rest=rest
    )
