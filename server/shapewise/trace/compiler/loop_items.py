"""The items that a loop goes over, and what is common to those that are left when it is cut off."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterator
from typing import Any

import torch

from ..limits import WHOLE
from ..log.facts import same
from ..run import Env, Run
from ..unknowns import doubts
from ..unknowns.counted import Rows, left
from ..unknowns.joining import join
from ..unknowns.unknown import Lost, Unknown
from ..worlds import worlds
from .growth import looks, plain

DRAINED = 4_096
"""So many items are looked at when a loop is cut off: a last, shorter batch is another item."""
BY_DATA = "a number of rounds that only data decides"
"""Why items are not all."""
_CHANGES = "changes from round to round"


def items_of(env: Env, value: Any) -> tuple[Iterator[Any], int | None]:
    """The items of an iterable, and how many there are if that is known. Raises what `iter` raises."""
    if isinstance(value, torch.Tensor):
        if value.dim() == 0:
            raise TypeError("iteration over a 0-d tensor")
        return Rows(value), len(value)
    try:
        total: int | None = len(value)
    except Exception:
        total = None
    items = iter(value)
    return items, left(items) if total is None else total


def distinct(run: Run, items: list[Any]) -> list[Any]:
    """One value for each distinct set of facts among some: what differs within one is unknown."""
    kinds: dict[Any, list[Any]] = {}
    for item in items:
        kinds.setdefault(looks(run, item), []).append(item)
    return [spread(some) for some in kinds.values()]


def kinds_left(run: Run, last: Any, items: Iterator[Any]) -> tuple[list[Any], list[int]]:
    """The items that are left, one for each distinct set of facts: what differs within one is unknown.

    Also which of them each is, in order. Of more than DRAINED items the rest is taken to be like those.
    """
    if type(items) is Rows and items.alike:
        return [last], [0] * operator.length_hint(items)
    kinds: dict[Any, tuple[int, list[Any]]] = {}
    order: list[int] = []
    before, begun, whole = None, run.budget.ops, False
    try:
        for item in itertools.chain([last], itertools.islice(items, DRAINED)):
            if item is not before:
                number, some = kinds.setdefault(plain(run.recorder.describe(item)), (len(kinds), []))
                some.append(item)
                before = item
            order.append(number)
            if run.budget.ops - begun > WHOLE.uncounted:
                break
        else:
            whole = len(order) <= DRAINED
    except Lost as error:
        kinds[None] = (-1, [Unknown(error.why)])
    except Exception as error:
        kinds[None] = (-1, [run.absorb(error)])
    return [spread(some, whole) for _, some in kinds.values()], order[1:]


def spread(items: list[Any], whole: bool = False) -> Any:
    """What is common to items of one kind: a number is somewhere between the lowest and the highest.

    `whole`: there are no other items, so that no comparison with a number beyond these two is open.
    """
    first = items[0]
    if len(items) == 1:
        return first
    if all(type(item) is int for item in items):
        low, high = min(items), max(items)
        if low == high:
            return first
        between = worlds.between(low, high, _CHANGES)
        between.limits = (low, high) if whole else None
        return between
    if type(first) is tuple and all(type(item) is tuple and len(item) == len(first) for item in items):
        return tuple(spread(list(column), whole) for column in zip(*items))
    kind = first
    doubts.choose(doubts.ROUNDS)
    for item in {id(item): item for item in items}.values():
        kind = join(kind, item, same)
    doubts.choose(None)
    return kind
