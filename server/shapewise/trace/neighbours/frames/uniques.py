"""`numpy.unique` of texts: nobody knows how many there are; which of them each text is has a number for each."""

from __future__ import annotations

from typing import Any

from ...arrays.array import np
from ...arrays.compute import UNIQUE_WITH, beside_uniques
from ...unknowns.unknown import Lost
from ...worlds import worlds
from . import methods
from .held import Column, Given, Held, Labels, given_out, pandas


def are_texts(table: Held) -> bool:
    """Whether numpy has an array of texts for it."""
    if not isinstance(table, (Column, Labels)):
        return False
    real = table._data().real
    return len(real) > 0 and not table._data().untyped and all(type(item) is str for item in real)


def unique(table: Held, kwargs: dict[str, Any]) -> Any:
    """The texts, and with them what is asked for by name. Raises Lost where that is not known."""
    if set(kwargs) - {*UNIQUE_WITH} or any(type(value) is not bool for value in kwargs.values()):
        raise Lost("numpy.unique with options")
    data, given = table._data(), Given()
    given.real(table)
    texts = np.asarray(list(data.real))
    if not given.lost:
        found = methods.natively(lambda: np.unique(texts, **kwargs))
        first, *others = found if isinstance(found, tuple) else (found,)
        parts = [given_out(pandas().Index(first)), *(given_out(other) for other in others)]
    else:
        size = worlds.size()
        parts = [given_out(pandas().Index(np.repeat(texts[:1], size)), hidden=True)]
        parts += beside_uniques(size, len(texts), kwargs)
    return tuple(parts) if len(parts) > 1 else parts[0]
