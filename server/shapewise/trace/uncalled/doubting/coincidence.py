"""Sizes that are equal only in what was tried: no name says them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from ....vocabulary.events import Bound, Event, Scalar
from ...naming.rows import Aligned, Row, rows_of, tensors_of

_Words = Mapping[str, set[Row]]


def torn(aligned: Iterable[tuple[Event, Aligned | None]]) -> dict[int, set[Row]]:
    """By frame: sizes of a batch and of another dim of one parameter that a line of the code gives a name each."""
    squares: dict[int, set[Row]] = defaultdict(set)
    named: dict[tuple[int, int, Row], set[str]] = defaultdict(set)
    for event, runs in aligned:
        if runs is None or not isinstance(event, Bound):
            continue
        values = [getattr(run, "value", None) for run in runs]
        if event.kind == "parameter":
            for parts in tensors_of(values):
                batch, *others = rows_of(parts) or ((),)
                if len(others) > 1 and batch in others and len(set(batch)) > 1:
                    squares[event.frame].add(batch)
        else:
            row = tuple(value.value if isinstance(value, Scalar) else None for value in values)
            if all(type(one) is int for one in row):
                named[event.frame, event.span.line, row].add(event.name)  # type: ignore[index]
    found: dict[int, set[Row]] = defaultdict(set)
    for (frame, _, row), names in named.items():
        if len(names) > 1 and row in squares[frame]:
            found[frame].add(row)
    return found


def given_twice(row: Row, given: _Words, made_of: Collection[str], kept: _Words) -> bool:
    """Whether what calls a function gave the same number for two of its parameters, or of its object's constructor.

    `made_of`: what that constructor calls them; `kept`: the integers that the object has under such words.
    """
    words = {name for name, rows in given.items() if rows == {row}}
    words |= {name for name, rows in kept.items() if name in made_of and rows == {row}}
    return len(words) > 1
