"""Facts of places: what each shows, in the order of the file. A keystroke changes few of them."""

from __future__ import annotations

import operator
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from ..vocabulary.events import Log
from ..vocabulary.facts import Fact
from ..vocabulary.moved import Moved
from ..vocabulary.span import Span
from .joined import Joined, joined


class _Latest(NamedTuple):
    """What was asked last of a file: every place, in the order of the file."""

    log: Log
    places: Sequence[Joined]


_FILES = 8
_latest: dict[tuple[str, bool], _Latest] = {}
"""By file, and whether it is of a log whose lines are not the user's: such are only like each other."""


def facts_of(log: Log) -> Sequence[Fact]:
    """Every place that holds a tensor, in the order of the file."""
    key, traced = (log.file, isinstance(log.events, Moved)), _traced(log)
    before = _latest.get(key)
    touched = None if before is None else _touched(before.log, traced)
    if before is None:
        places = joined(traced, None, {})
    elif touched is None:
        places = joined(traced, None, {one.place: one for one in before.places})
    else:
        places = _edited(before.places, traced, touched)
    _latest[key] = _Latest(traced, places)
    while len(_latest) > _FILES:
        _latest.pop(next(iter([*_latest])), None)  # threads may meet here
    return _shown(log, places)


def facts_so_far(log: Log) -> Sequence[Fact]:
    """The same of a log that is not the whole one: the next is not compared with it."""
    return _shown(log, joined(_traced(log), None, {}))


def _traced(log: Log) -> Log:
    """The log with the lines that were traced: they stay while lines come and go, and with them most of its places."""
    return log.events.traced if isinstance(log.events, Moved) else log


def _shown(log: Log, places: Sequence[Joined]) -> Sequence[Fact]:
    facts = tuple([fact for one in places if (fact := one.fact) is not None])
    return log.events.placed(facts) if isinstance(log.events, Moved) else facts


def _touched(old: Log, new: Log) -> set[Span] | None:
    """The places where anything happened otherwise than in the log before; None where more may differ.

    Of a run that was left early, and of made-up inputs, one place decides about others.
    """
    if old.cut is not None or new.cut is not None or len(old.frames) != len(new.frames):
        return None
    for one, other in zip(old.frames, new.frames):
        if other.abandoned or other.assumed or one.abandoned or one.assumed:
            return None
        if (one.file, one.scope, one.blind) != (other.file, other.scope, other.blind):
            return None
    most = min(len(old.events), len(new.events))
    head = next((at for at in range(most) if old.events[at] is not new.events[at]), most)
    ends = range(1, most - head + 1)
    tail = next((at - 1 for at in ends if old.events[-at] is not new.events[-at]), most - head)
    between = (*old.events[head : len(old.events) - tail], *new.events[head : len(new.events) - tail])
    return {event.span for event in between}


def _edited(before: Sequence[Joined], log: Log, touched: set[Span]) -> list[Joined]:
    """The places of a log that says something else of these spans, and of nothing else."""
    if not touched:
        return [*before]
    first = bisect_left(before, min(touched), key=_span)
    end = bisect_right(before, max(touched), key=_span)
    kept: list[Joined] = []
    gone: list[Joined] = []
    for one in before[first:end]:
        (gone if _span(one) in touched else kept).append(one)
    new = joined(log, touched, {one.place: one for one in gone})
    return [*before[:first], *sorted((*kept, *new), key=_place), *before[end:]]


_place = operator.attrgetter("place")


def _span(one: Joined) -> Span:
    return one.place[0]
