"""numpy's arrays of objects, as tables of several kinds of columns give them: numbers once they are turned into some."""

from __future__ import annotations

from typing import Any

from ...arrays.array import KINDS, np
from ...unknowns.unknown import Lost, Unknown
from .held import Data, Given, Held, given_out


class Objects(Held):
    """An array of objects, of two dims."""

    def __init__(self, *args: Any, **options: Any) -> None:
        raise Lost("an array of objects")

    @property
    def shape(self) -> Any:
        return tuple(self._data().real.shape)

    @property
    def ndim(self) -> int:
        return int(self._data().real.ndim)

    @property
    def dtype(self) -> Any:
        return Unknown("the dtype of objects")

    @property
    def T(self) -> Any:
        return of_objects(self._data().real.T, bool(self._data().hidden))

    def __len__(self) -> int:
        return len(self._data().real)

    def __iter__(self) -> Any:
        raise Lost("an array of objects")

    def __getitem__(self, index: Any) -> Any:
        given = Given()
        real = given.real(index)
        if given.lost:
            raise Lost("a place that is not known")
        return of_objects(
            given.call("[]", self._data().real.__getitem__, [real], {}), bool(self._data().hidden)
        )

    def astype(self, dtype: Any, *args: Any, **options: Any) -> Any:
        """As numbers, if that is what they are."""
        data, given = self._data(), Given()
        kind = np.dtype(given.real(dtype))
        if kind.kind not in KINDS or args or options:
            raise Lost("an array of objects")
        return given_out(given.call("astype", data.real.astype, [kind], {}), hidden=bool(data.hidden))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return Unknown(f"{name} of an array of objects")


def of_objects(real: Any, hidden: bool) -> Any:
    """An array for the program, of objects or not."""
    if not isinstance(real, np.ndarray) or real.dtype != object or real.ndim != 2:
        return given_out(real, hidden=hidden)
    made: Any = object.__new__(Objects)
    made._held = Data(real, frozenset(("values",)) if hidden else frozenset())
    return made
