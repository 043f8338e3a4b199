"""Places, and the join over every run that came by."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import Any

from ..vocabulary.events import Bound, Event, Group, Log, Op, Tensor, Unknown, Value
from ..vocabulary.facts import Fact, GroupFact, ValueFact
from ..vocabulary.span import Span
from .lacking import Lacking
from .tried import elsewhere
from .values import in_words, is_any, join_facts, value_fact, why_unknown

Place = tuple[Span, str, str, str]
"""Span, kind, name and scope: in the order of the file."""

_CUT_SHORT = "another call could not be followed to here"
_WOULD_BE = "this fails; it is shown as if it had not"


class Joined:
    """The runs of one place, and what it shows. `ranks`: what it is with each rank of made-up inputs."""

    def __init__(
        self, place: Place, values: list[Value], ranks: list[Value], remark: str | None, assumed: bool
    ) -> None:
        self.place, self.values, self.ranks = place, values, ranks
        self.remark, self.assumed = remark, assumed

    def is_same(self, other: Joined) -> bool:
        """Whether they are of the very same values: of a log that goes on from another, most are."""
        return (
            (self.remark, self.assumed) == (other.remark, other.assumed)
            and (len(self.values), len(self.ranks)) == (len(other.values), len(other.ranks))
            and all(map(operator.is_, self.values, other.values))
            and all(map(operator.is_, self.ranks, other.ranks))
        )

    @cached_property
    def fact(self) -> Fact | None:
        """What is shown."""
        return _fact(self.place, self.values, self.ranks, self.remark, self.assumed)


def joined(log: Log, touched: Collection[Span] | None, before: Mapping[Place, Joined]) -> list[Joined]:
    """What all runs say of each place, or of those that were touched, in the order of the file. `before`: as it was last."""
    seen: dict[Place, list[Value]] = {}
    ranks: dict[Place, list[Value]] = {}
    assumed: set[Place] = set()
    failed: set[Span] = set()
    lacking = Lacking(log)
    called = {(frame.file, frame.scope) for frame in log.frames if not frame.assumed and not frame.blind}
    tried = {(frame.file, frame.scope) for frame in log.frames if frame.assumed} - called
    lost: dict[tuple[str, Span], Unknown] = {}
    others = elsewhere(log)
    for number, event in _of(log, touched):
        if number in others:
            continue
        if isinstance(event, Bound) and not event.name and isinstance(event.value, Unknown):
            frame = log.frames[event.frame]
            if (frame.file, frame.scope) not in (called if frame.assumed else tried):
                lost.setdefault((frame.scope, event.span), event.value)
            continue
        if isinstance(event, Bound):
            kind, value = event.kind, event.value
        elif isinstance(event, Op):
            kind, value = "expression", event.result
            if event.failure is not None and not event.failure.caught:
                failed.add(event.span)
        else:
            continue
        frame = log.frames[event.frame]
        if (frame.file, frame.scope) in (called if frame.assumed else tried):
            continue  # what it is called with is known; or nothing is, and it was tried
        where = (event.span, kind, event.name, frame.scope)
        values = seen.get(where)
        if values is None:
            values = seen[where] = []
            if log.cut is not None and (frame.scope != "<module>" or event.modes.rounds):
                values.append(Unknown(log.cut))
            elif lacking.lacks(frame, event.span):
                values.append(Unknown(_CUT_SHORT))
        values.append(value)
        if frame.assumed:
            assumed.add(where)
        if isinstance(event, Bound) and event.others:
            ranks.setdefault(where, []).extend(event.others)
    for (span, kind, _, scope), values in seen.items():
        if kind == "expression" and (scope, span) in lost:
            values.append(lost[scope, span])
    found: list[Joined] = []
    for where, values in sorted(seen.items(), key=operator.itemgetter(0)):
        remark = _WOULD_BE if where[1] == "expression" and where[0] in failed else None
        now = Joined(where, values, ranks.get(where, []), remark, where in assumed)
        was = before.get(where)
        found.append(was if was is not None and was.is_same(now) else now)
    return found


def _of(log: Log, touched: Collection[Span] | None) -> Iterable[tuple[int, Event]]:
    """The events of these places with their numbers, or all."""
    if touched is None:
        return enumerate(log.events)
    lines = {span.line for span in touched}
    return [
        (number, event)
        for number, event in enumerate(log.events)  # thousands: to ask by number is twice as fast
        if event.span[0] in lines and event.span in touched
    ]


def _fact(
    place: Place,
    values: list[Value],
    ranks: list[Value],
    remark: str | None,
    assumed: bool,
) -> Fact | None:
    """What a place shows. `ranks`: what it is with each rank of made-up inputs; the `values` cover them."""
    span, kind, name, scope = place
    if not ranks and all(value is values[0] for value in values):  # most of them
        fact = value_fact(values[0])
        why = why_unknown(values[0]) or remark
        return None if fact is None else Fact(kind, scope, name, span, fact, (), why, assumed)
    levelled = _levelled([*values, *ranks])
    values, ranks = levelled[: len(values)], levelled[len(values) :]
    known = [fact for value in values if (fact := value_fact(value)) is not None]
    if not known:
        return None
    why = next((lost for value in values if (lost := why_unknown(value)) is not None), remark)
    distinct = list(dict.fromkeys(known))
    value = in_words(join_facts(distinct), values) if len(distinct) > 1 else distinct[0]
    if len(known) != len(values) and why is None:
        why = "not a tensor every time"
    if ranks:
        more = [fact for one in ranks if (fact := value_fact(one)) is not None]
        distinct = [one for one in dict.fromkeys([*more, *known]) if not _covers_ranks(one)]
    variants = tuple(distinct) if len(distinct) > 1 or ranks else ()
    return Fact(kind, scope, name, span, value, variants, why, assumed)


def _covers_ranks(fact: ValueFact) -> bool:
    """Whether this stands for several ranks, or for any."""
    if isinstance(fact, GroupFact):
        return any(item is not None and _covers_ranks(item) for item in fact.items)
    return fact.shape is None or any(map(is_any, fact.shape))


def _levelled(values: list[Value]) -> list[Value]:
    """The runs of one place, none of which says more than all of them can.

    What is lost of one run is lost of all: what the others were is not all that it can be. Only their
    shapes stay, as those of some of the runs.
    """
    if len(values) == 1 or all(value is values[0] or value == values[0] for value in values):
        return values
    lost = next((value for value in values if isinstance(value, Unknown)), None)
    if lost is not None:
        if not any(value_fact(value) is not None for value in values):
            return values
        unsaid: dict[str, Any] = dict.fromkeys((*_SAID, "itemsize"))
        nothing = dataclasses.replace(lost, tensor=True)
        return [
            dataclasses.replace(value, **unsaid) if isinstance(value, Tensor) else nothing for value in values
        ]
    first = values[0]
    if isinstance(first, Group):
        if not all(
            isinstance(value, Group)
            and (value.kind, value.keys, len(value.items)) == (first.kind, first.keys, len(first.items))
            for value in values
        ):
            return _levelled_by_key(values)
        columns = [_levelled(list(column)) for column in zip(*[group.items for group in values])]  # type: ignore[union-attr]
        return [dataclasses.replace(first, items=row) for row in zip(*columns)]
    tensors = [value for value in values if isinstance(value, Tensor)]
    unsaid = {key: None for key in _SAID if any(getattr(tensor, key) is None for tensor in tensors)}
    if not unsaid:
        return values
    return [dataclasses.replace(value, **unsaid) if isinstance(value, Tensor) else value for value in values]


def _levelled_by_key(values: list[Value]) -> list[Value]:
    """Dicts with other keys: each item by those that have it. Other containers stay as they are."""
    groups = [value for value in values if isinstance(value, Group) and value.keys is not None]
    if len(groups) != len(values):
        return values
    rows = [dict(zip(group.keys or (), group.items)) for group in groups]
    for key in dict.fromkeys(key for row in rows for key in row):
        having = [row for row in rows if key in row]
        for row, item in zip(having, _levelled([row[key] for row in having])):
            row[key] = item
    return [dataclasses.replace(group, items=tuple(row.values())) for group, row in zip(groups, rows)]


_SAID = ("dtype", "device", "stride", "contiguous", "requires_grad")
