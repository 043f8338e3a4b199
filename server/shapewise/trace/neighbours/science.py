"""Functions of scipy that code around models calls, as far as shapes and dtypes go."""

from __future__ import annotations

from typing import Any

import torch

from ..arrays import Array, blank
from ..arrays.array import np
from ..shims import here
from ..state import CONTENTS
from ..unknowns.grown import STORES, grown
from ..unknowns.unknown import Lost


def _shape(value: Any, dims: int | None = None) -> tuple[int, ...]:
    """The shape of an array or a tensor. Raises Lost for anything else, and for another number of dims."""
    if type(value) is not Array and not isinstance(value, torch.Tensor):
        raise Lost("scipy is given what is no array")
    shape = tuple(value.shape)
    if dims is not None and len(shape) != dims:
        raise Lost(f"scipy is given an array of {len(shape)} dims")
    return shape


def linear_sum_assignment(cost_matrix: Any, maximize: Any = False) -> Any:
    """Of each row its column, for as many as there are of both."""
    few = min(_shape(cost_matrix, 2))
    return blank((few,), np.int64), blank((few,), np.int64)


def issparse(x: Any) -> bool:
    """No matrix of scipy's is followed, so that nothing that is known is one."""
    return False


def cdist(XA: Any, XB: Any, metric: Any = "euclidean", **options: Any) -> Any:  # noqa: N803
    """The distance of each row of one from each of the other."""
    if options.get("out") is not None:
        raise Lost("distances that are written elsewhere")
    return blank((_shape(XA, 2)[0], _shape(XB, 2)[0]), np.float64)


def _next_fast_len(primes: tuple[int, ...]) -> Any:
    """The least number, not below another, that has no other prime factors."""

    def next_fast_len(target: Any, real: Any = False) -> int:
        if type(target) is not int or type(real) is not bool or not 0 < target < 1 << 32:
            raise Lost("a fast length of what is not known")
        size = target
        while _rest(size, _OF_REAL if real else primes) != 1:
            size += 1
        return size

    return next_fast_len


_OF_REAL = (2, 3, 5)


def _rest(size: int, primes: tuple[int, ...]) -> int:
    for prime in primes:
        while size % prime == 0:
            size //= prime
    return size


def _filtered(input: Any, *args: Any, **options: Any) -> Any:
    """`gaussian_filter` and those that give an array like the one they are given."""
    if options.keys() & {"output", "axes"}:
        raise Lost("a filtered array in another form")
    _shape(input)
    if type(input) is not Array or not input.flags.c_contiguous:
        raise Lost("a filtered view")
    return blank(input.shape, input.dtype)


class OptimizeResult(dict[str, Any]):
    """A dict whose items are its attributes, too: minimizers that are written with torch give one."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setitem__(self, name: str, value: Any) -> None:
        self._note()
        if type(name) is not str:
            grown(self, "set at an unknown index")
        else:
            super().__setitem__(name, value)

    def __delitem__(self, name: str) -> None:
        self._note()
        super().__delitem__(name)

    __setattr__ = __setitem__

    def _note(self) -> None:
        if (env := here()) is not None:
            env.run.journal.note(CONTENTS, self)


STORES.add(OptimizeResult)

_FILTERS = "gaussian_filter uniform_filter median_filter maximum_filter minimum_filter".split()


def _rotation(dim: Any, size: Any = 1, random_state: Any = None) -> Any:
    """`ortho_group.rvs`: a matrix, or so many, of float64.

    https://docs.scipy.org/doc/scipy/reference/generated/scipy.stats.ortho_group.html
    """
    if type(dim) is not int or type(size) is not int or dim < 2 or size < 1:
        raise Lost("a rotation in so many dims as nobody knows")
    return blank((dim, dim) if size == 1 else (size, dim, dim), np.float64)


SCIENCE: dict[str, dict[str, Any]] = {
    "scipy": {},
    "scipy.fft": {"next_fast_len": _next_fast_len((2, 3, 5, 7, 11))},
    "scipy.fftpack": {"next_fast_len": _next_fast_len((2, 3, 5))},
    "scipy.ndimage": dict.fromkeys(_FILTERS, _filtered),
    "scipy.optimize": {
        "linear_sum_assignment": linear_sum_assignment,
        "OptimizeResult": OptimizeResult,
    },
    "scipy.sparse": {"issparse": issparse},
    "scipy.spatial": {},
    "scipy.spatial.distance": {"cdist": cdist},
    "scipy.stats": {},
    "scipy.stats.ortho_group": {"rvs": _rotation},
    "scipy.stats.special_ortho_group": {"rvs": _rotation},
}
"""Modules of scipy. What else it has is not followed."""
