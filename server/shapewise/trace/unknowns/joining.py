"""What is known of a value that is one of two."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch import nn

from ..worlds import worlds
from . import doubts, records, values
from .grown import Mark, grown, mark_of
from .lengths import marked, same_in
from .unknown import MISSING, TRUTH, Unknown, likely

Same = Callable[[Any, Any], bool]
_TWO_WAYS = "differs between two ways"
_MANY = 16
"""In sequences of so many items what is there more than once is joined once."""
_DEEP = 6
"""Containers nested deeper than this are not joined item by item: a list of itself twice doubles with each."""


JOINS: dict[type, Callable[[Any, Any], Any]] = {}
"""Types of values whose join is more than one of the two or an Unknown: numpy's."""
NARROWED: dict[type, Callable[[Any, str, Any], Any]] = {}
"""By type: what stands for an object where a condition has told that one of its attributes has a value."""
BESIDE_PLAIN: list[Callable[[Any, Any], Any]] = []
"""What gives the join of one of these and a number of Python's; None for anything else."""


def join(left: Any, right: Any, same: Same, depth: int = _DEEP) -> Any:
    """What is known when a value is one of two. `same` compares two values that are not containers."""
    if left is right:
        return left
    if type(left) in JOINS and type(right) in JOINS:
        return JOINS[type(left)](left, right)
    if (type(left) in JOINS or type(right) in JOINS) and (made := BESIDE_PLAIN[0](left, right)) is not None:
        return made
    if type(left) is Unknown or type(right) is Unknown:
        return _with_unknown(left, right, same)
    if left is MISSING or right is MISSING:
        return Unknown("bound on one way only")
    if {type(left), type(right)} == {list, nn.ModuleList}:
        return one_of_lists((left, right))
    if type(left) is type(right) and depth:
        if type(left) is list and are_unlike_lists((left, right)):
            return one_of_lists((left, right))
        if type(left) in (tuple, list) and len(left) == len(right):
            joined = _one_by_one(left, right, same, depth - 1)
            if all(a is b for a, b in zip(left, joined)):
                return left
            return type(left)(joined)
        if isinstance(left, tuple) and hasattr(type(left), "_fields") and len(left) == len(right):
            return tuple.__new__(type(left), [join(a, b, same, depth - 1) for a, b in zip(left, right)])
        if type(left) in (dict, OrderedDict) and left.keys() == right.keys():
            items = type(left)((key, join(left[key], right[key], same, depth - 1)) for key in left)
            _mark_as(items, [mark for one in (left, right) if (mark := mark_of(one)) is not None], same)
            return items
        record = records.joined(left, right, lambda one, other: join(one, other, same, depth - 1))
        if record is not None:
            return record
        if same(left, right):
            if isinstance(left, torch.Tensor) and not values.alike(left, right):
                values.strip(left)
                values.strip(right)
            return left
    if isinstance(left, torch.Tensor) and isinstance(right, torch.Tensor):
        met = doubts.meet(left, right)
        return one_of((left, right), _TWO_WAYS) if met is None else met
    if type(left) in NUMBERS and type(right) in NUMBERS:
        return worlds.either(left, right, _TWO_WAYS)
    if _is_a_term(left) and _is_a_term(right):
        return one_of((left, right), _TWO_WAYS)
    if (left is None) != (right is None) and not callable(left) and not callable(right):
        return _unless_none(left, right, "may be None", same)
    made = Unknown(_TWO_WAYS, False, _options(left, right))
    made.kind = _kind(left) if _kind(left) == _kind(right) else None
    return made


def _mark_as(joined: Any, marks: Sequence[Mark], same: Same) -> None:
    """A dict that is one of two may have what either of them may have besides."""
    if marks:
        first, last = marks[0], marks[-1]
        of, key = (
            MISSING if one is MISSING or other is MISSING else join(one, other, same)
            for one, other in ((first.of, last.of), (first.key, last.key))
        )
        grown(joined, first.why, of=of, key=key, sure=first.sure and last.sure)


def _one_by_one(left: Sequence[Any], right: Sequence[Any], same: Same, depth: int) -> list[Any]:
    """The joins of items in equal places. What is there many times (`[None] * capacity`) is one thing afterwards too."""
    if len(left) < _MANY:
        return [join(a, b, same, depth) for a, b in zip(left, right)]
    made: dict[tuple[int, int], Any] = {}
    for a, b in zip(left, right):
        if (id(a), id(b)) not in made:
            made[id(a), id(b)] = join(a, b, same, depth)
    return [made[id(a), id(b)] for a, b in zip(left, right)]


def _kind(value: Any) -> str | None:
    """That a value, known or not, is a text or a truth value."""
    if type(value) is Unknown:
        return value.kind
    return "text" if isinstance(value, str) else TRUTH if type(value) is bool else None


NUMBERS = (int, float)


def _is_a_term(value: Any) -> bool:
    return isinstance(value, torch.Tensor) or type(value) in NUMBERS


def one_of(values: Iterable[Any], why: str) -> Any:
    """What is one of some tensors and numbers: those that look alike are one, and if all do, it is known."""
    doubts.choose(doubts.ROUNDS)  # no world for each
    found: list[Any] = []
    for value in values:
        for at, one in enumerate(found):
            if one is value:
                break
            tensors = isinstance(one, torch.Tensor) and isinstance(value, torch.Tensor)
            met = doubts.meet(one, value) if tensors else one if _are_equal(one, value) else None
            if met is not None:
                found[at] = met
                break
        else:
            found.append(value)
    if len(found) == 1:
        return found[0]
    made = Unknown(why, all(isinstance(one, torch.Tensor) for one in found))
    if len(found) <= _CHOICE:
        made.either = tuple(found)
    return made


def _are_equal(one: Any, other: Any) -> bool:
    """Whether two numbers are one, as far as a tensor that they are added to or multiplied with can tell."""
    return type(one) is type(other) and type(one) in NUMBERS


def are_unlike_lists(values: Sequence[Any]) -> bool:
    """Whether these are lists, of which not all are equally long."""
    if not all(type(one) is list for one in values):
        return False
    return any(len(one) != len(values[0]) or mark_of(one) is not None for one in values)


def one_of_lists(lists: Sequence[Iterable[Any]]) -> list[Any]:
    """What is one of some lists that are not equally long: of nobody knows how many items like those in any."""
    doubts.NOW.unlike += 1
    marks = [mark for one in lists if (mark := mark_of(one)) is not None]
    made = list({id(item): item for one in lists for item in one}.values())
    why = marks[0].why if marks else _TWO_WAYS
    return marked(made, why, all(mark.alike for mark in marks), same_in(lists))


def _with_unknown(left: Any, right: Any, same: Same) -> Any:
    """The join of two values of which one is not known: a way that may be anything makes it anything."""
    lost, other = (left, right) if type(left) is Unknown else (right, left)
    if lost.either and (_is_a_term(other) or (type(other) is Unknown and other.either)):
        return one_of((*lost.either, *(other.either if type(other) is Unknown else (other,))), lost.why)
    tensor = lost.tensor and (other.tensor if type(other) is Unknown else isinstance(other, torch.Tensor))
    numbers = [value.sample if type(value) is Unknown else value for value in (left, right)]
    if all(type(number) in NUMBERS for number in numbers):
        # one of more than two: what picks among them could pick the same in every world
        return worlds.real(lost.why) if float in map(type, numbers) else worlds.number(lost.why)
    if likely(lost) is not lost or likely(other) is not other:
        return _unless_none(likely(left), likely(right), lost.why, same)
    made = Unknown(lost.why, tensor, _options(left, right))
    made.kind = _kind(left) if _kind(left) == _kind(right) else None
    return made


def _unless_none(left: Any, right: Any, why: str, same: Same) -> Any:
    """What is one of two, or None."""
    if left is None or right is None:
        return Unknown(why, sample=left if right is None else right)
    joined = join(left, right, same)
    return joined if type(joined) is Unknown else Unknown(why, sample=joined)


_CHOICE = 4
"""A value that may be one of more than this is not followed."""


def _options(left: Any, right: Any) -> tuple[Any, ...]:
    """What may be called where one of two is."""
    found: list[Any] = []
    for value in (left, right):
        some = value.options if type(value) is Unknown else (value,) if callable(value) else ()
        if not some:
            return ()
        found.extend(one for one in some if not any(one is known for known in found))
    return tuple(found) if len(found) <= _CHOICE else ()
