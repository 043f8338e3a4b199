"""Several worlds made one log: what is equal in all of them stays, what differs is not known.

The last world is that of empty tensors. An op that needs an element is lost there, and strides of
nothing mean nothing: it may only contradict, not vote. Whatever holds no element is contiguous, and so may be what has
one row: that something is not is said only where it holds of every length.
"""

from __future__ import annotations

import operator
from collections import Counter, defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...vocabulary.events import (
    Bound,
    Event,
    Failure,
    Frame,
    Group,
    Op,
    Scalar,
    Sizes,
    Tensor,
    Unknown,
    Value,
    chain,
)
from .agreed import agreed
from .worlds import EMPTY

_DATA = "its size depends on the data"


@dataclass(frozen=True)
class Traced:
    """What one world wrote down. `words`, `selves` and `alike`: see `Recorder`."""

    frames: Sequence[Frame]
    events: Sequence[Event]
    words: Sequence[tuple[int, Bound]] = ()
    selves: Mapping[int, int] = field(default_factory=dict)
    alike: Container[int] = ()


def merged(first: Traced, others: Sequence[Traced]) -> list[Event]:
    """The events of the first world, with what the others contradict not known."""
    made = list(first.events)
    for number, other in enumerate(others, start=1):
        partners = _partners(first, other)
        empty = number == EMPTY
        made = [_event(event, partner, empty) for event, partner in zip(made, partners)]
        if empty:
            made = [_of_few(event, mine) for event, mine in zip(made, first.events)]
    return made


def unlike(event: Event, partner: Event, chosen: Container[int]) -> Event:
    """A merged event whose sizes are not known where they are others in a world in which no two numbers are equal.

    `chosen`: what stands there for one of two sizes, of which the other worlds know which one it is.
    """

    def sizes(mine: Sizes, other: Sizes) -> Sizes:
        return _sizes(mine, tuple(own if one in chosen else one for own, one in zip(mine, other)))

    def without(mine: Value, other: Value) -> Value:
        if isinstance(mine, Tensor) and isinstance(other, Tensor) and len(mine.shape) == len(other.shape):
            shape = sizes(mine.shape, other.shape)
            if shape == mine.shape:
                return mine
            stride = mine.stride and other.stride and _sizes(mine.stride, other.stride)
            return replace(mine, shape=shape, stride=stride)
        if isinstance(mine, Group) and isinstance(other, Group) and len(mine.items) == len(other.items):
            items = tuple(map(without, mine.items, other.items))
            return mine if all(map(operator.is_, items, mine.items)) else replace(mine, items=items)
        return mine

    if isinstance(event, Bound) and isinstance(partner, Bound):
        value = without(event.value, partner.value)
        return event if value is event.value else replace(event, value=value)
    if isinstance(event, Op) and isinstance(partner, Op):
        result = without(event.result, partner.result)
        return event if result is event.result else replace(event, result=result)
    return event


def _partners(first: Traced, other: Traced) -> list[list[Event]]:
    """For each event of a world those of another that stand for it: one, or all of its place, or none.

    A helper that many call is another place in each chain of calls. What only the other world came by is
    heard wherever its place is.
    """
    places, others = _places(first), _places(other)
    mine, theirs = [place for place, _ in places], [place for place, _ in others]
    if mine[: len(theirs)] == theirs:  # the same, or cut off
        return [[event] for event in other.events] + [[] for _ in mine[len(theirs) :]]
    whole: dict[Any, list[Event]] = defaultdict(list)
    found: dict[Any, list[Event]] = defaultdict(list)
    for key, event in zip(others, other.events):
        whole[key[0]].append(event)
        found[key].append(event)
    counts = Counter(places)
    extra: dict[Any, list[Event]] = defaultdict(list)
    for key, events in found.items():
        if key not in counts:
            extra[key[0]] += _distinct(events)
    own: dict[Any, list[Event]] = defaultdict(list)
    for key, event in zip(places, first.events):
        own[key].append(event)
    unpaired = {
        key: _ByLooks(own[key], events)
        for key, events in found.items()
        if key in counts and len(events) != counts[key]
    }
    anywhere = {place: _distinct(whole[place]) for place in {key[0] for key in counts if key not in found}}
    met: dict[Any, int] = defaultdict(int)
    partners = []
    for key, event in zip(places, first.events):
        if key not in found:
            partners.append(anywhere[key[0]])
        else:
            one = unpaired[key].of(event) if key in unpaired else [found[key][met[key]]]
            partners.append([*one, *extra.get(key[0], ())])
        met[key] += 1
    return partners


class _ByLooks:
    """The events of a place in two worlds that came by it another number of times: those that look alike are partners.

    Layers in a loop are many things in each world, and the same ones. What is only in one world is held against what is
    only in the other; if there is no such thing, against all.
    """

    def __init__(self, mine: Sequence[Event], theirs: Sequence[Event]) -> None:
        self.theirs = {_looks(event): event for event in theirs}
        self.mine = {id(event): _looks(event) for event in mine}
        looks = set(self.mine.values())
        self.only_theirs = [event for seen, event in self.theirs.items() if seen not in looks]
        self.is_only_mine = not looks <= self.theirs.keys()

    def of(self, event: Event) -> list[Event]:
        partner = self.theirs.get(self.mine[id(event)])
        if partner is None:
            return self.only_theirs or list(self.theirs.values())
        return [partner] if self.is_only_mine else [partner, *self.only_theirs]


def _distinct(events: Sequence[Event]) -> list[Event]:
    """One event of each set of facts: a place in a loop may have been passed a thousand times."""
    return list({_looks(event): event for event in events}.values())


def _looks(event: Event) -> Any:
    """All that merging looks at, which is not which tensor it was."""
    if isinstance(event, Bound):
        return _facts(event.value)
    return (
        _facts(event.result),
        tuple(map(_facts, event.args)),
        tuple((name, _facts(value)) for name, value in event.kwargs),
        event.failure,
    )


def _facts(value: Value) -> Any:
    if isinstance(value, Tensor):
        return _told(value)
    if isinstance(value, Group):
        return value.kind, value.keys, tuple(map(_facts, value.items))
    return value


_told = operator.attrgetter(*(name for name in Tensor.__dataclass_fields__ if name not in ("id", "storage")))
"""All that a tensor tells but which one it is."""


def _places(traced: Traced) -> list[tuple[Any, int]]:
    """For each event its place in the text, and the chain of calls that led there."""
    chains = _chains_of(traced.frames)
    found = []
    for event in traced.events:
        frame = traced.frames[event.frame]
        kind = event.kind if isinstance(event, Bound) else "op"
        found.append(((frame.file, frame.scope, event.span, kind, event.name), chains[event.frame]))
    return found


def _chains_of(frames: Sequence[Frame]) -> list[int]:
    """For each frame what names the calls that led there, in every world."""
    chains: list[int] = []
    for frame in frames:
        chains.append(chain(frame, chains))
    return chains


def _event(event: Event, partners: list[Event], empty: bool) -> Event:
    """One event after hearing another world."""
    if not partners:
        return event if empty else _unsure(event)
    for partner in partners:
        if isinstance(event, Bound) and isinstance(partner, Bound):
            value = _value(event.value, partner.value, empty)
            event = event if value is event.value else replace(event, value=value)
        elif isinstance(event, Op) and isinstance(partner, Op):
            event = _op(event, partner, empty)
    return event


def _unsure(event: Event) -> Event:
    if isinstance(event, Bound):
        return replace(event, value=_lost(event.value))
    return replace(event, result=_lost(event.result), failure=None)


def _lost(value: Value) -> Value:
    return value if isinstance(value, Unknown) else Unknown(_DATA, isinstance(value, Tensor))


def _op(event: Op, partner: Op, empty: bool) -> Op:
    args = event.args
    if len(args) == len(partner.args):
        args = tuple(_value(mine, other, empty) for mine, other in zip(args, partner.args))
    kwargs = event.kwargs
    if [name for name, _ in kwargs] == [name for name, _ in partner.kwargs]:
        kwargs = tuple(
            (name, _value(mine, other, empty)) for (name, mine), (_, other) in zip(kwargs, partner.kwargs)
        )
    failure = event.failure
    if failure is not None and (partner.failure != failure or _open(args)):
        failure = _failure(failure, partner, empty)
    result = _value(event.result, partner.result, empty)
    if failure is None and event.failure is not None:
        result = Unknown(_DATA, isinstance(result, (Tensor, Unknown)) and getattr(result, "tensor", True))
    if result is event.result and failure is event.failure and _is_same(args, kwargs, event):
        return event
    return replace(event, args=args, kwargs=kwargs, result=result, failure=failure)


def _is_same(args: Sequence[Value], kwargs: Sequence[tuple[str, Value]], event: Op) -> bool:
    """Whether these are the very arguments of the op: most worlds say the same of most ops, and there are thousands."""
    return all(map(operator.is_, args, event.args)) and all(
        one is known for (_, one), (_, known) in zip(kwargs, event.kwargs)
    )


def _failure(mine: Failure, partner: Op, empty: bool) -> Failure | None:
    """What is left of a failure where sizes differ: under other ones it may be another, or none."""
    other = partner.failure
    if empty and other is None and isinstance(partner.result, Unknown):
        return mine  # it was not even asked there
    both = None if other is None else agreed(mine, other)
    if both is None or other is None or len(mine.operands) != len(other.operands):
        return both
    operands = [_value(one, another, empty) for one, another in zip(mine.operands, other.operands)]
    return replace(both, operands=tuple(one for one in operands if isinstance(one, Tensor)))


def _open(values: Sequence[Value]) -> bool:
    """Whether any of these has a size that data decides."""
    return any(
        (isinstance(value, Tensor) and None in value.shape)
        or (isinstance(value, Group) and _open(value.items))
        for value in values
    )


def joined_value(mine: Value, other: Value) -> Value:
    """What is equal in two worlds, neither of which is the empty one."""
    return _value(mine, other, False)


def _value(mine: Value, other: Value, empty: bool) -> Value:
    if mine is other or mine == other or isinstance(mine, Unknown):
        return mine
    if isinstance(other, Unknown):
        return mine if empty else Unknown(other.why, isinstance(mine, Tensor))
    if isinstance(mine, Tensor) and isinstance(other, Tensor):
        return _tensor(mine, other, empty)
    if isinstance(mine, Group) and isinstance(other, Group):
        if len(mine.items) == len(other.items) and mine.keys == other.keys and mine.kind == other.kind:
            items = tuple(_value(one, another, empty) for one, another in zip(mine.items, other.items))
            return replace(mine, items=items)
        return Unknown(_DATA)
    if isinstance(mine, Scalar) and isinstance(other, Scalar):
        return Unknown("depends on the data")
    return Unknown(_DATA, isinstance(mine, Tensor))


def _tensor(mine: Tensor, other: Tensor, empty: bool) -> Tensor | Unknown:
    if len(mine.shape) != len(other.shape):
        return Unknown(_DATA, True)
    if _told(mine) == _told(other):
        return mine
    bare = empty and 0 in other.shape and 0 not in mine.shape
    shape = _sizes(mine.shape, other.shape)
    return replace(
        mine,
        shape=shape,
        dtype=mine.dtype if mine.dtype == other.dtype else None,
        device=mine.device if mine.device == other.device else None,
        stride=_of_sizes(mine.stride, shape)
        if bare or mine.stride is None or other.stride is None
        else _sizes(mine.stride, other.stride),
        contiguous=mine.contiguous if mine.contiguous == other.contiguous else None,
        requires_grad=mine.requires_grad if mine.requires_grad == other.requires_grad else None,
        leaf=mine.leaf if mine.leaf == other.leaf else None,
        offset=mine.offset if mine.offset == other.offset else None,
    )


def _of_few(event: Event, first: Event) -> Event:
    """What is said of lengths that data decides where the empty world did not come by: there may be one row."""
    if isinstance(event, Bound) and isinstance(first, Bound):
        value = _if_one(event.value, first.value)
        return event if value is event.value else replace(event, value=value)
    if isinstance(event, Op) and isinstance(first, Op):
        result = _if_one(event.result, first.result)
        return event if result is event.result else replace(event, result=result)
    return event


def _if_one(value: Value, first: Value) -> Value:
    """A value that is not said to lie non-contiguous where it would not with one row. `first`: what it is in the first world."""
    if isinstance(value, Tensor) and isinstance(first, Tensor):
        if value.contiguous is not False or not _is_contiguous_if_one(value.shape, first):
            return value
        return replace(value, contiguous=None)
    if isinstance(value, Group) and isinstance(first, Group) and len(value.items) == len(first.items):
        items = tuple(map(_if_one, value.items, first.items))
        return value if all(map(operator.is_, items, value.items)) else replace(value, items=items)
    return value


def _is_contiguous_if_one(shape: Sizes, first: Tensor) -> bool:
    """Whether a tensor would be contiguous if each size that is open were 1. `first`: it, with some other sizes there."""
    if None not in shape or first.stride is None:
        return False
    opened = [one for one, size in zip(first.shape, shape) if size is None and type(one) is int and one]
    wanted = 1
    for size, step in zip(reversed(shape), reversed(first.stride)):
        if type(size) is not int or type(step) is not int or size == 1:
            continue
        for one in opened:
            if step and step % one == 0:
                step //= one
        if step != wanted:
            return False
        wanted *= size
    return True


def _of_sizes(stride: Sizes | None, shape: Sizes) -> Sizes | None:
    """The strides of what holds nothing in another world: no more is known of those that step over a size that is not."""
    if stride is None:
        return None
    steps = [step for step, size in zip(stride, shape) if size is None]
    if None in (*steps, *stride):
        return stride
    return tuple(
        None if any(other < step for other in steps) else step  # type: ignore[operator]
        for step in stride
    )


def _sizes(mine: Sizes, other: Sizes) -> Sizes:
    return tuple(one if one == another else None for one, another in zip(mine, other))
