"""Facts of places: the join over every run that came by."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Iterable
from typing import Any, NamedTuple, TypeVar

from ..vocabulary.events import Bound, Group, Log, Op, Sizes, Tensor, Unknown, Value
from ..vocabulary.facts import Dim, Fact, GroupFact, TensorFact, ValueFact
from ..vocabulary.span import Span
from .lacking import Lacking
from .tried import elsewhere

T = TypeVar("T")
_Place = tuple[str, str, str, Span]
"""Kind, name, scope and span."""


def facts_of(log: Log) -> tuple[Fact, ...]:
    """Every place that holds a tensor, in the order of the file."""
    before = _latest.get(log.file)
    touched = None if before is None else _touched(before.log, log)
    joined = _joined(log, touched, {} if before is None else before.places)
    if before is not None and touched is not None:
        joined.update((where, one) for where, one in before.places.items() if where[3] not in touched)
    _latest[log.file] = _Latest(log, joined)
    while len(_latest) > _FILES:
        _latest.pop(next(iter([*_latest])), None)  # threads may meet here
    facts = (one.fact(where) for where, one in joined.items())
    return tuple(sorted((fact for fact in facts if fact is not None), key=_in_order))


def _touched(old: Log, new: Log) -> set[Span] | None:
    """The places where anything happened otherwise than in the log before; None where more may differ.

    Of a run that was left early, and of made-up inputs, one place decides about others.
    """
    if old.cut is not None or new.cut is not None or len(old.frames) != len(new.frames):
        return None
    for one, other in zip(old.frames, new.frames):
        if other.abandoned or other.assumed or (one.file, one.scope) != (other.file, other.scope):
            return None
        if one.abandoned or one.assumed:
            return None
    most = min(len(old.events), len(new.events))
    head = next((at for at in range(most) if old.events[at] is not new.events[at]), most)
    ends = range(1, most - head + 1)
    tail = next((at - 1 for at in ends if old.events[-at] is not new.events[-at]), most - head)
    between = (*old.events[head : len(old.events) - tail], *new.events[head : len(new.events) - tail])
    return {event.span for event in between}


def _joined(log: Log, touched: set[Span] | None, before: dict[_Place, _Joined]) -> dict[_Place, _Joined]:
    """What all runs say of each place, or of those that were touched. `before`: as it was last."""
    seen: dict[_Place, list[Value]] = {}
    ranks: dict[_Place, list[Value]] = {}
    assumed: set[_Place] = set()
    failed: set[Span] = set()
    lacking = Lacking(log)
    called = {(frame.file, frame.scope) for frame in log.frames if not frame.assumed}
    lost: dict[tuple[str, Span], Unknown] = {}
    others = elsewhere(log)
    for number, event in enumerate(log.events):
        if number in others or (touched is not None and event.span not in touched):
            continue
        if isinstance(event, Bound) and not event.name and isinstance(event.value, Unknown):
            frame = log.frames[event.frame]
            if not (frame.assumed and (frame.file, frame.scope) in called):
                lost.setdefault((frame.scope, event.span), event.value)
            continue
        if isinstance(event, Bound):
            place, value = (event.kind, event.name), event.value
        elif isinstance(event, Op):
            place, value = ("expression", event.name), event.result
            if event.failure is not None and not event.failure.caught:
                failed.add(event.span)
        else:
            continue
        frame = log.frames[event.frame]
        if frame.assumed and (frame.file, frame.scope) in called:
            continue  # what it is called with is known
        where = (*place, frame.scope, event.span)
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
    for (kind, _, scope, span), values in seen.items():
        if kind == "expression" and (scope, span) in lost:
            values.append(lost[scope, span])
    joined: dict[_Place, _Joined] = {}
    for where, values in seen.items():
        remark = _WOULD_BE if where[0] == "expression" and where[3] in failed else None
        now = _Joined(values, ranks.get(where, []), remark, where in assumed)
        was = before.get(where)
        joined[where] = was if was is not None and was.is_same(now) else now
    return joined


class _Joined:
    """The runs of one place, and what it shows once it was asked. `ranks`: what it is with each rank of made-up inputs."""

    __slots__ = ("_fact", "assumed", "ranks", "remark", "values")

    def __init__(self, values: list[Value], ranks: list[Value], remark: str | None, assumed: bool) -> None:
        self.values, self.ranks, self.remark, self.assumed = values, ranks, remark, assumed
        self._fact: list[Fact | None] = []

    def is_same(self, other: _Joined) -> bool:
        """Whether they are of the very same values: of a log that goes on from another, most are."""
        return (
            (self.remark, self.assumed) == (other.remark, other.assumed)
            and (len(self.values), len(self.ranks)) == (len(other.values), len(other.ranks))
            and all(map(operator.is_, self.values, other.values))
            and all(map(operator.is_, self.ranks, other.ranks))
        )

    def fact(self, place: _Place) -> Fact | None:
        """What is shown."""
        if not self._fact:
            self._fact.append(_fact(place, self.values, self.ranks, self.remark, self.assumed))
        return self._fact[0]


class _Latest(NamedTuple):
    """What was asked last of a file: a keystroke changes few of its places."""

    log: Log
    places: dict[_Place, _Joined]


_FILES = 8
_latest: dict[str, _Latest] = {}

_in_order = operator.attrgetter("span", "kind", "name")


_CUT_SHORT = "another call could not be followed to here"
_WOULD_BE = "this fails; it is shown as if it had not"


def _fact(
    place: tuple[str, str, str, Span],
    values: list[Value],
    ranks: list[Value],
    remark: str | None,
    assumed: bool,
) -> Fact | None:
    """What a place shows. `ranks`: what it is with each rank of made-up inputs; the `values` cover them."""
    kind, name, scope, span = place
    if not ranks and all(value is values[0] for value in values):  # most of them
        fact = value_fact(values[0])
        why = _why(values[0]) or remark
        return None if fact is None else Fact(kind, scope, name, span, fact, (), why, assumed)
    levelled = _levelled([*values, *ranks])
    values, ranks = levelled[: len(values)], levelled[len(values) :]
    known = [fact for value in values if (fact := value_fact(value)) is not None]
    if not known:
        return None
    why = next((lost for value in values if (lost := _why(value)) is not None), remark)
    distinct = list(dict.fromkeys(known))
    value = join_facts(distinct) if len(distinct) > 1 else distinct[0]
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
    return fact.shape is None or any(map(_is_any, fact.shape))


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
            return values
        columns = [_levelled(list(column)) for column in zip(*[group.items for group in values])]  # type: ignore[union-attr]
        return [dataclasses.replace(first, items=row) for row in zip(*columns)]
    tensors = [value for value in values if isinstance(value, Tensor)]
    unsaid = {key: None for key in _SAID if any(getattr(tensor, key) is None for tensor in tensors)}
    if not unsaid:
        return values
    return [dataclasses.replace(value, **unsaid) if isinstance(value, Tensor) else value for value in values]


_SAID = ("dtype", "device", "stride", "contiguous", "requires_grad")


def value_fact(value: Value) -> ValueFact | None:
    """What one value shows, or None if it holds no tensor."""
    if isinstance(value, Tensor):
        return TensorFact(
            value.names or value.shape,
            value.dtype,
            value.device,
            _stride(value),
            value.contiguous,
            value.requires_grad,
            value.itemsize,
        )
    if isinstance(value, Unknown):
        return TensorFact() if value.tensor else None
    if isinstance(value, Group):
        items = tuple(value_fact(item) for item in value.items)
        return GroupFact(value.kind, items, value.keys) if any(item is not None for item in items) else None
    return None


def _stride(value: Tensor) -> tuple[Dim, ...] | None:
    """The stride; of a dim of size 1 it means nothing, and fake tensors differ where it is not the plain one."""
    if value.stride is None or 1 not in value.shape:
        return value.stride
    plain = _plain_stride(value.shape) if value.contiguous else (None,) * len(value.shape)
    return tuple(
        None if size == 1 and step != usual else step
        for size, step, usual in zip(value.shape, value.stride, plain)
    )


def _plain_stride(shape: Sizes) -> Sizes:
    """The stride of a contiguous tensor."""
    steps: list[Dim] = []
    step: int | None = 1
    for size in reversed(shape):
        steps.append(step)
        step = step * max(size, 1) if isinstance(step, int) and isinstance(size, int) else None
    return tuple(reversed(steps))


def _why(value: Value) -> str | None:
    if isinstance(value, Unknown):
        return value.why
    if isinstance(value, Group):
        return next((lost for item in value.items if (lost := _why(item)) is not None), None)
    return None


def join_facts(facts: Iterable[ValueFact]) -> ValueFact:
    """What holds for all of these: equal parts stay, the others are not known."""
    every = list(facts)
    groups = [fact for fact in every if isinstance(fact, GroupFact)]
    if len(groups) == len(every):
        return _join_groups(groups)
    tensors = [fact for fact in every if isinstance(fact, TensorFact)]
    if groups:
        return TensorFact()
    if len(tensors) == 1:
        return tensors[0]
    return TensorFact(
        _join_dims([fact.shape for fact in tensors]),
        _equal([fact.dtype for fact in tensors]),
        _equal([fact.device for fact in tensors]),
        _join_dims([fact.stride for fact in tensors]),
        _equal([fact.contiguous for fact in tensors]),
        _equal([fact.requires_grad for fact in tensors]),
        _equal([fact.itemsize for fact in tensors]),
    )


def _join_groups(groups: list[GroupFact]) -> ValueFact:
    first = groups[0]
    if len(groups) == 1:
        return first
    if any(
        (group.type, len(group.items), group.keys) != (first.type, len(first.items), first.keys)
        for group in groups
    ):
        return GroupFact(first.type, (), None)
    items: list[ValueFact | None] = []
    for column in zip(*[group.items for group in groups]):
        known = [item for item in column if item is not None]
        items.append(join_facts(dict.fromkeys(known)) if known else None)
    return GroupFact(first.type, tuple(items), first.keys)


def _equal(values: list[T]) -> T | None:
    return values[0] if all(value == values[0] for value in values) else None


def _join_dims(rows: list[tuple[Dim, ...] | None]) -> tuple[Dim, ...] | None:
    known = [row for row in rows if row is not None]
    if len(known) != len(rows):
        return None
    some = min((row for row in known if row and _is_any(row[0])), key=len, default=None)
    if some is not None:  # `*batch D` holds for all if each ends like that
        last = [row[len(row) - len(some) + 1 :] for row in known]
        return some if all(one == some[1:] for one in last) else None
    if len({len(row) for row in known}) != 1:
        return None
    return tuple(_equal(list(column)) for column in zip(*known))


def _is_any(dim: Dim) -> bool:
    """Whether this stands for any number of dims."""
    return isinstance(dim, str) and dim.startswith("*")
