"""Facts of values: what one shows, and what holds for several."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from ..vocabulary.events import Group, Scalar, Sizes, Tensor, Unknown, Value
from ..vocabulary.facts import Dim, GroupFact, TensorFact, ValueFact

T = TypeVar("T")


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


def why_unknown(value: Value) -> str | None:
    """Why a value, or the first of its items, is not known; None where all is."""
    if isinstance(value, Unknown):
        return value.why
    if isinstance(value, Group):
        return next((why for item in value.items if (why := why_unknown(item)) is not None), None)
    return None


def integer(value: Value | None) -> int | None:
    """A value that is a known integer, and no truth."""
    return value.value if isinstance(value, Scalar) and type(value.value) is int else None


def integers(values: Sequence[Value | None]) -> tuple[int, ...] | None:
    """The integers that were given one by one or as one tuple; None if they are not all known."""
    if len(values) == 1 and isinstance(values[0], Group):
        values = values[0].items
    found = [number for one in values if (number := integer(one)) is not None]
    return tuple(found) if len(found) == len(values) else None


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


def in_words(fact: ValueFact, values: Sequence[Value]) -> ValueFact:
    """What holds for several values, with the words for sizes that differ, if all of them say the same of it."""
    if isinstance(fact, TensorFact):
        said = {value.over_calls if isinstance(value, Tensor) else None for value in values}
        shape = said.pop() if len(said) == 1 else None
        return fact if shape is None or fact.shape is None else replace(fact, shape=shape)
    groups = [value for value in values if isinstance(value, Group)]
    if len(groups) < len(values) or {len(group.items) for group in groups} != {len(fact.items)}:
        return fact
    columns = zip(*[group.items for group in groups])
    items = (None if item is None else in_words(item, column) for item, column in zip(fact.items, columns))
    return replace(fact, items=tuple(items))


def _join_groups(groups: list[GroupFact]) -> ValueFact:
    first = groups[0]
    if len(groups) == 1:
        return first
    if any(
        (group.type, len(group.items), group.keys) != (first.type, len(first.items), first.keys)
        for group in groups
    ):
        return _with_all_keys(groups) or GroupFact(first.type, (), None)
    items: list[ValueFact | None] = []
    for column in zip(*[group.items for group in groups]):
        known = [item for item in column if item is not None]
        items.append(join_facts(dict.fromkeys(known)) if known else None)
    return GroupFact(first.type, tuple(items), first.keys)


def _with_all_keys(groups: list[GroupFact]) -> GroupFact | None:
    """Of dicts with other keys each item as it is wherever there is one; None of other containers."""
    items: dict[str, list[ValueFact]] = {}
    for group in groups:
        if group.keys is None or group.type != groups[0].type:
            return None
        for key, item in zip(group.keys, group.items):
            found = items.setdefault(key, [])
            if item is not None:
                found.append(item)
    joined = (join_facts(dict.fromkeys(found)) if found else None for found in items.values())
    return GroupFact(groups[0].type, tuple(joined), tuple(items))


def _equal(values: list[T]) -> T | None:
    return values[0] if all(value == values[0] for value in values) else None


def _join_dims(rows: list[tuple[Dim, ...] | None]) -> tuple[Dim, ...] | None:
    known = [row for row in rows if row is not None]
    if len(known) != len(rows):
        return None
    some = min((row for row in known if row and is_any(row[0])), key=len, default=None)
    if some is not None:  # `*batch D` holds for all if each ends like that
        count = len(some) - 1
        last = [row[len(row) - count :] for row in known if len(row) - (row[:1] == some[:1]) >= count]
        if len(last) != len(known):
            return None
        return some[0], *(_equal(list(column)) for column in zip(*last))
    if len({len(row) for row in known}) != 1:
        return None
    return tuple(_equal(list(column)) for column in zip(*known))


def is_any(dim: Dim) -> bool:
    """Whether this stands for any number of dims."""
    return isinstance(dim, str) and dim.startswith("*")
