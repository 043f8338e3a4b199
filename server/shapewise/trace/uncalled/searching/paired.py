"""`Linear(a + b)` of `cat([x, y])`: which of the two inputs is as wide as which of the two numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..case import Case
from ..inputs.sizes import RUNS, Free, frees_in
from ..inputs.specs import Array, Spec
from ..running import attempted


def by_words(case: Case) -> None:
    """Where the words say so, the widths change places: `hidden` has `hidden_dim`, wherever it stands in the sum."""
    for one, other in _pairs(case):
        if _likeness(case, one, other, swapped=True) > _likeness(case, one, other):
            _swap(one, other)
            if any(attempted(case, number, keep=False)[1] is not None for number in range(RUNS)):
                _swap(one, other)


def in_doubt(case: Case) -> Iterator[None]:
    """The widths have changed places, once for each two of which no word says which is which."""
    for one, other in _pairs(case):
        if _likeness(case, one, other) <= _likeness(case, one, other, swapped=True):
            _swap(one, other)
            try:
                yield
            finally:
                _swap(one, other)


def _swap(one: Free, other: Free) -> None:
    one.equals, other.equals = other.equals, one.equals


def _pairs(case: Case) -> Iterator[tuple[Free, Free]]:
    for group in case.sizes.paired:
        for at, one in enumerate(group):
            for other in group[at + 1 :]:
                if one.equals is not None and other.equals is not None and one.equals is not other.equals:
                    yield one, other


def _likeness(case: Case, one: Free, other: Free, swapped: bool = False) -> int:
    """How many of two inputs share a word with the number that they are as wide as."""
    aims = (other, one) if swapped else (one, other)
    return sum(
        any(_is_alike(name, label) for name in _names(case, free) for label in _labels(aim))
        for free, aim in zip((one, other), aims)
    )


def _names(case: Case, free: Free) -> list[str]:
    return [name for name, spec in case.inputs.items() if _has(spec, free)]


def _has(spec: Spec, free: Free) -> bool:
    return isinstance(spec, Array) and any(dim is free for dim in spec.dims or ())


def _labels(free: Free) -> list[str]:
    return (
        [] if free.equals is None else [one.label for one in frees_in(free.equals) if one.label is not None]
    )


def _is_alike(name: str, label: str) -> bool:
    """Whether two names share a word, or one's word is the other's cut short: `action` and `act_dim`."""
    mine, theirs = (
        [word for word in re.split(r"[_\d]+", one.lower()) if word not in _SAYS_NOTHING]
        for one in (name, label)
    )
    return any(a.startswith(b) or b.startswith(a) for a in mine for b in theirs if min(len(a), len(b)) > 1)


_SAYS_NOTHING = frozenset("dim dims size in out features channels num n d".split())
