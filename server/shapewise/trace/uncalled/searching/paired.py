"""`Linear(a + b)` of `cat([x, y])`, `Linear(a * b)` of `(x y)`: which of the two sizes is which of the two numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..case import Case
from ..inputs.sizes import RUNS, Free, frees_in
from ..inputs.specs import Array, Spec
from ..running import attempted


def by_words(case: Case) -> None:
    """Where the words say so, sizes change places: `hidden` has `hidden_dim`, `(l d)` the `dim`, wherever it stands."""
    said = _words_of_products(case.env.module.text) if case.sizes.paired["*"] else []
    for one, other in _pairs(case, "*"):
        if _are_said_swapped(one, other, said):
            _swap_if_it_runs(case, one, other)
    for one, other in _pairs(case, "+"):
        if _likeness(case, one, other, swapped=True) > _likeness(case, one, other):
            _swap_if_it_runs(case, one, other)


def _swap_if_it_runs(case: Case, one: Free, other: Free) -> None:
    _swap(one, other)
    if any(attempted(case, number, keep=False)[1] is not None for number in range(RUNS)):
        _swap(one, other)


def in_doubt(case: Case) -> Iterator[None]:
    """The widths have changed places, once for each two of which no word says which is which."""
    for one, other in _pairs(case, "+"):
        if _likeness(case, one, other) <= _likeness(case, one, other, swapped=True):
            _swap(one, other)
            try:
                yield
            finally:
                _swap(one, other)


def _swap(one: Free, other: Free) -> None:
    one.equals, other.equals = other.equals, one.equals


def _pairs(case: Case, name: str) -> Iterator[tuple[Free, Free]]:
    for group in case.sizes.paired[name]:
        for at, one in enumerate(group):
            for other in group[at + 1 :]:
                if one.equals is not None and other.equals is not None and one.equals is not other.equals:
                    yield one, other


def _words_of_products(text: str) -> list[tuple[str, str]]:
    """What the patterns of a file call the two dims that they make one: `l` and `d` of `"b n l d -> b (l d) n"`."""
    patterns = re.findall(r"""["']([^"'\n]*->[^"'\n]*)["']""", text)
    return [pair for pattern in patterns for pair in re.findall(r"\((\w+) (\w+)\)", pattern)]


def _are_said_swapped(one: Free, other: Free, said: list[tuple[str, str]]) -> bool:
    """Whether a pattern calls the first of two factors what the second is, or the other way round, and none what it is."""
    mine, theirs = _labels(one), _labels(other)
    as_it_is = [(_begins(a, mine), _begins(b, theirs)) for a, b in said]
    swapped = [(_begins(a, theirs), _begins(b, mine)) for a, b in said]
    return any(map(any, swapped)) and not any(map(any, as_it_is))


def _begins(word: str, labels: list[str]) -> bool:
    """Whether a word is how a word of one of the numbers begins: `d` of `head_dim`."""
    return any(part.startswith(word.lower()) for label in labels for part in label.lower().split("_"))


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
