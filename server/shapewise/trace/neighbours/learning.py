"""Data, splits and scalers of scikit-learn, as far as shapes and dtypes go: nothing is computed."""

from __future__ import annotations

import math
from typing import Any

import torch

from ..arrays import Array, blank
from ..arrays.array import made, np
from ..unknowns.grown import is_grown
from ..unknowns.standing import standing
from ..unknowns.unknown import Lost, Unknown
from ..worlds import worlds
from . import estimators
from .frames import Column, Frame, Held, to_array
from .frames.held import other_rows, wrapped

# ---------------------------------------------------------------- data


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise Lost("a number of samples")
    return value


def _two(n_samples: Any = 100, *, shuffle: Any = True, **options: Any) -> Any:
    """`make_moons`, `make_circles`: points of the plane, in two classes."""
    count = sum(map(_whole, n_samples)) if isinstance(n_samples, tuple) else _whole(n_samples)
    if shuffle is not True:
        raise Lost("samples that are not shuffled")  # they lie otherwise in memory
    return blank((count, 2), np.float64), blank((count,), np.int64)


def _blobs(
    n_samples: Any = 100, n_features: Any = 2, *, centers: Any = None, return_centers: Any = False, **_: Any
) -> Any:
    """`make_blobs`."""
    if type(centers) not in (int, type(None)) or return_centers is not False:
        raise Lost("samples around centers")
    count = sum(map(_whole, n_samples)) if isinstance(n_samples, (list, tuple)) else _whole(n_samples)
    return blank((count, _whole(n_features)), np.float64), blank((count,), np.int64)


def _classes(n_samples: Any = 100, n_features: Any = 20, **options: Any) -> Any:
    """`make_classification`."""
    if options.get("return_X_y", True) is not True:
        raise Lost("samples of classes")
    return blank((_whole(n_samples), _whole(n_features)), np.float64), blank((n_samples,), np.int64)


def _numbers(
    n_samples: Any = 100, n_features: Any = 100, *, n_targets: Any = 1, coef: Any = False, **_: Any
) -> Any:
    """`make_regression`."""
    if coef is not False:
        raise Lost("coefficients of samples")
    targets = (_whole(n_samples),) if n_targets == 1 else (_whole(n_samples), _whole(n_targets))
    return blank((n_samples, _whole(n_features)), np.float64), blank(targets, np.float64)


def _friedman(n_samples: Any = 100, n_features: Any = 10, **options: Any) -> Any:
    """`make_friedman1`."""
    return blank((_whole(n_samples), _whole(n_features)), np.float64), blank((n_samples,), np.float64)


class Bunch:
    """What `load_iris()` gives: its data and targets, and pictures where it has some."""

    def __init__(self, data: Array, target: Array, **more: Array) -> None:
        self.__dict__.update(data=data, target=target, **more)

    def __getitem__(self, name: Any) -> Any:
        return self.__dict__.get(name, Unknown(f"{name} of a data set"))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return Unknown(f"{name} of a data set")


def _loader(rows: int, columns: int, target: str) -> Any:
    def load(**options: Any) -> Any:
        pair = options.pop("return_X_y", False)
        if (
            options.pop("as_frame", False) is not False
            or type(pair) is not bool
            or options.keys() - _HARMLESS
        ):
            raise Lost("a data set in another form")
        data, targets = blank((rows, columns), np.float64), blank((rows,), target)
        return (data, targets) if pair else Bunch(data, targets)

    return load


def _digits(*, return_X_y: Any = False, n_class: Any = 10, **options: Any) -> Any:  # noqa: N803
    """`load_digits`: pictures that lie in rows of a table that has their label too."""
    if options or n_class != 10 or type(return_X_y) is not bool:
        raise Lost("digits in another form")
    data, target = blank((1_797, 64), np.float64, (65, 1)), blank((1_797,), np.int64)
    if return_X_y:
        return data, target
    return Bunch(data, target, images=blank((1_797, 8, 8), np.float64, (65, 8, 1)))


_HARMLESS = frozenset("data_home download_if_missing n_retries delay".split())


# ---------------------------------------------------------------- splits


def _rows(value: Any) -> int:
    if isinstance(value, (Frame, Column)):
        return len(value._data().real)
    if type(value) is range or (type(value) is list and is_grown(value) is None):
        return len(value)
    if type(value) is Array and value.ndim:
        return len(value)
    if isinstance(value, torch.Tensor) and value.dim():
        return int(value.shape[0])
    raise Lost("a split of what is no array")


def _some(value: Any, count: int) -> Any:
    """So many rows of an array, whichever they are."""
    if isinstance(value, (Frame, Column)):
        return wrapped(other_rows(value._data(), count))
    if type(value) in (list, range):
        return [standing(list(value), "one of a split")] * count
    return (
        value[:count].clone()
        if isinstance(value, torch.Tensor)
        else blank((count, *value.shape[1:]), value.dtype)
    )


def _share(size: Any, rows: int, rounded: Any) -> int | None:
    if type(size) is float and 0 < size < 1:
        return int(rounded(size * rows))
    if type(size) in (int, type(None)):
        return size
    raise Lost("the size of a split")


def train_test_split(*arrays: Any, test_size: Any = None, train_size: Any = None, **options: Any) -> Any:
    """Two parts of each array. Raises Lost where their sizes are not known."""
    counts = {_rows(array) for array in arrays}
    if len(counts) != 1:
        raise Lost("a split of arrays that do not fit")
    rows = counts.pop()
    if test_size is None and train_size is None:
        test_size = 0.25
    test, train = _share(test_size, rows, math.ceil), _share(train_size, rows, math.floor)
    test = rows - (train or 0) if test is None else test
    train = rows - test if train is None else train
    if not (test > 0 and train > 0 and test + train <= rows):
        raise Lost("a split that leaves nothing")
    seed, known = options.get("random_state"), not options.keys() - {"random_state", "shuffle"}
    if type(seed) is int and known and options.get("shuffle", True) is True:  # as `ShuffleSplit` draws
        order = np.random.RandomState(seed).permutation(rows)
        places = (order[test : test + train], order[:test])
        return [_rows_at(array, one) for array in arrays for one in places]
    return [_some(array, count) for array in arrays for count in (train, test)]


def _rows_at(value: Any, places: Any) -> Any:
    """These rows of an array or a table."""
    if isinstance(value, (Frame, Column)) and not value._data().rest:
        data = value._data()
        loose = None if data.loose is None else object()
        return wrapped(data._replace(real=data.real.iloc[places], loose=loose))
    if type(value) is Array and value._memory.known:
        return made(value._held[places], True)
    return _some(value, len(places))


class Folds:
    """`KFold` and those that choose other rows for its folds, whose sizes then differ by some."""

    _EXACT = False

    def __init__(self, n_splits: Any = 5, **options: Any) -> None:
        if type(n_splits) is not int or n_splits < 2:
            raise Lost("a number of folds")
        self._splits = n_splits

    def get_n_splits(self, *args: Any) -> int:
        return self._splits

    def split(self, x: Any, y: Any = None, groups: Any = None) -> Any:
        """The places of the rows to train and to test with, for each fold."""
        rows = _rows(x)
        if rows < self._splits:
            raise Lost("folds of few rows")
        found = []
        for fold in range(self._splits):
            tested = rows // self._splits + (fold < rows % self._splits)
            if not self._EXACT:
                tested = worlds.within(max(1, tested * 3 // 4), max(1, tested))
                worlds.use()
            found.append((_places(rows - tested, rows), _places(tested, rows)))
        return iter(found)


class EvenFolds(Folds):
    """`KFold`: its folds are as long as they can be."""

    _EXACT = True


def _places(count: int, rows: int) -> Array:
    made = blank((count,), np.int64)
    made._memory.limits = (0, rows - 1)
    return made


def resample(*arrays: Any, replace: Any = True, n_samples: Any = None, **options: Any) -> Any:
    """`sklearn.utils.resample`: so many rows of each, drawn."""
    counts = [_rows(array) if n_samples is None else _whole(n_samples) for array in arrays]
    found = [
        _some(array, count) if isinstance(array, (Frame, Column)) else _drawn(array, count)
        for array, count in zip(arrays, counts)
    ]
    return found[0] if len(found) == 1 else found


def _drawn(value: Any, count: int) -> Array:
    if type(value) is not Array:
        raise Lost("what is drawn from")
    return blank((count, *value.shape[1:]), value.dtype)


# ---------------------------------------------------------------- scalers


def _scaled(x: Any) -> Array:
    """An array of the same shape that lies as it does: of float32 where it was that, else of float64."""
    if isinstance(x, torch.Tensor):
        raise Lost("a scaled tensor")
    x = to_array(x) if isinstance(x, Held) else x
    if type(x) is not Array or x.ndim != 2:
        raise Lost("what is scaled")
    if x.dtype.kind not in "fiu" or x.dtype.name == "float16":
        raise Lost("a scaled array of another dtype")
    dtype = np.dtype(np.float32 if x.dtype == np.float32 else np.float64)
    if x.flags.c_contiguous:
        return blank(x.shape, dtype)
    if x.flags.f_contiguous:
        return blank(x.shape, dtype, (1, x.shape[0]))
    if x.strides[1] == x.itemsize and x.strides[0] > x.itemsize * x.shape[1]:
        return blank(x.shape, dtype)  # rows with something between them
    raise Lost("a scaled view of an array")


_RANGES = frozenset(
    "feature_range with_mean with_std norm n_quantiles output_distribution subsample random_state".split()
)
"""Options that change numbers, and neither shapes nor dtypes."""


class Scaler:
    """`StandardScaler` and those that change no more of an array."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self._plain = not args and not options.keys() - _RANGES

    def fit(self, *args: Any, **options: Any) -> Any:
        return self

    partial_fit = fit

    def transform(self, x: Any, *args: Any, **options: Any) -> Any:
        """Numbers in another range."""
        if not self._plain:
            raise Lost("a scaler with options")
        return _scaled(x)

    fit_transform = inverse_transform = transform

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return Unknown(f"{name} of a scaler")


class Encoder:
    """`LabelEncoder`: a whole number for each value."""

    def __init__(self) -> None:
        self._classes: Any = None

    @property
    def classes_(self) -> Any:
        return Unknown("the classes of an encoder") if self._classes is None else list(self._classes)

    def fit(self, y: Any) -> Any:
        """Its classes are known where the values are."""
        self._classes = None if (found := _values(y)) is None else sorted(set(found))
        return self

    def transform(self, y: Any) -> Any:
        """The numbers of some values."""
        found = _values(y)
        if found is not None and self._classes is not None and set(found) <= set(self._classes):
            return made(np.searchsorted(np.asarray(self._classes), np.asarray(found)), True)
        return blank((_rows(y),), np.int64)

    def fit_transform(self, y: Any) -> Any:
        """Both."""
        return self.fit(y).transform(y)

    def inverse_transform(self, y: Any) -> Any:
        return Unknown("the classes of an encoder")


def _values(y: Any) -> list[Any] | None:
    """The values of a row, all numbers or all texts; None where they are not known."""
    if isinstance(y, Held):
        data = y._data()
        if isinstance(y, Frame) or data.hidden or data.item is not None or len(data.real) > _KNOWN:
            return None
        found = data.real.tolist()
    elif type(y) is Array and y.ndim == 1 and y._memory.known:
        found = y.tolist()
    elif type(y) is list and is_grown(y) is None and len(y) <= _KNOWN:
        found = y
    else:
        return None
    kinds = {type(one) for one in found}
    return found if kinds in ({str}, {int}, {bool}) else None


_KNOWN = 50_000

_FOUND: dict[str, Any] = {
    "make_moons": _two,
    "make_circles": _two,
    "make_blobs": _blobs,
    "make_classification": _classes,
}
_SCALERS = "StandardScaler MinMaxScaler RobustScaler MaxAbsScaler Normalizer QuantileTransformer PowerTransformer".split()
LEARNING: dict[str, dict[str, Any]] = {
    "sklearn": {},
    "sklearn.base": estimators.BASES,
    "sklearn.datasets": {
        **_FOUND,
        "make_regression": _numbers,
        "make_friedman1": _friedman,
        "load_iris": _loader(150, 4, "int64"),
        "load_wine": _loader(178, 13, "int64"),
        "load_digits": _digits,
        "load_breast_cancer": _loader(569, 30, "int64"),
        "load_diabetes": _loader(442, 10, "float64"),
        "fetch_california_housing": _loader(20_640, 8, "float64"),
    },
    "sklearn.model_selection": {
        "train_test_split": train_test_split,
        "KFold": EvenFolds,
        **dict.fromkeys(("StratifiedKFold", "GroupKFold", "StratifiedGroupKFold"), Folds),
    },
    "sklearn.preprocessing": {
        **dict.fromkeys(_SCALERS, Scaler),
        "LabelEncoder": Encoder,
    },
    "sklearn.utils": {"Bunch": Bunch, "resample": resample},
}
"""Modules of scikit-learn. What else it has is not followed."""
