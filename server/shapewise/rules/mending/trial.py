"""Whether a change makes a refused call fit, as far as shapes tell: most that could be changed does not, and need not be traced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...queries.lineage import ELEMENTWISE, Lineage, short, tensors
from ...queries.resized import Refused, Shape, dim_of, gives, with_shape
from ...vocabulary.events import Group, Op, Tensor, Value
from .change import Change

Shapes = dict[int, Shape | None]
"""What other shape tensors have, by their ids; None if it is another one, and not known which."""


def fits(change: Change, refused: Op, before: Sequence[Op], lineage: Lineage) -> bool | None:
    """Whether the refused call goes through after the change; None if that is not known. `before`: the ops that led to it, in order."""
    now: Shapes = {}
    if change.given and change.within is None:
        now.update(change.given)
    try:
        for op in before:
            if change.within is not None and change.within <= op.frame:
                now = {**change.given, **now}
            if op.span == change.at or any(one.id in now for arg in _given(op) for one in tensors(arg)):
                _follow(op, change, now, lineage)
        if refused.span == change.at and change.meant is not None:
            return None if change.meant(_changed(refused, now)) is None else True
        if change.within is not None:
            now = {**change.given, **now}
        given = _changed(refused, now)
        if given is refused:
            return False
        made = gives(given, lineage)
        return None if made is None else not _is_outer(refused, made)
    except Refused:
        return False


def _is_outer(refused: Op, made: Shape) -> bool:
    """Whether an operator would pair each with each, which neither of its operands has the rank for."""
    ranks = [len(arg.shape) for arg in refused.args if isinstance(arg, Tensor)]
    return short(refused.name) in ELEMENTWISE and len(made) > max(ranks, default=0)


def _follow(op: Op, change: Change, now: Shapes, lineage: Lineage) -> None:
    """What an op gives on the way there. Raises Refused."""
    given = _changed(op, now)
    if isinstance(op.result, Group):
        for part in tensors(op.result):
            now[part.id] = _part(given, op, part)
    elif isinstance(op.result, Tensor):
        meant = change.meant if op.span == change.at else None
        shape = meant(given) if meant is not None else gives(given, lineage)
        if shape != op.result.shape:
            now[op.result.id] = shape
        else:
            now.pop(op.result.id, None)


def _part(given: Op, op: Op, part: Tensor) -> Shape | None:
    """One of several parts of a tensor: as it was along the dim that is cut."""
    whole, was = given.args[0], op.args[0]
    dim = dim_of(given, 2) or 0
    if (
        not isinstance(whole, Tensor)
        or not isinstance(was, Tensor)
        or short(op.name) not in ("chunk", "split")
    ):
        return None
    if len(whole.shape) != len(was.shape) or not -len(was.shape) <= dim < len(was.shape):
        return None
    if whole.shape[dim] != was.shape[dim]:
        return None
    sizes = [*whole.shape]
    sizes[dim] = part.shape[dim]
    return tuple(sizes)  # type: ignore[arg-type]


def _changed(op: Op, now: Shapes) -> Op:
    args = tuple(_in(arg, now) for arg in op.args)
    kwargs = tuple((name, _in(arg, now)) for name, arg in op.kwargs)
    changed = replace(op, args=args, kwargs=kwargs)
    return op if all(one is other for one, other in zip(_given(changed), _given(op))) else changed


def _given(op: Op) -> tuple[Value, ...]:
    return (*op.args, *(value for _, value in op.kwargs))


def _in(value: Value, now: Shapes) -> Value:
    if isinstance(value, Tensor):
        return with_shape(value, now[value.id]) if value.id in now else value
    if isinstance(value, Group) and any(one.id in now for one in tensors(value)):
        return replace(value, items=tuple(_in(item, now) for item in value.items))
    return value
