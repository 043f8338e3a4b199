"""Slices of dims of known sizes whose bounds only data decides: they may end anywhere in the dim.

A number that data decides is large in most worlds, so that each of them would take all of such a dim, or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

from ..worlds import worlds
from . import doubts
from .unknown import Unknown


def cut(value: torch.Tensor, index: Any, take: Callable[[Any], Any]) -> Any:
    """What `take` gives for the index of a tensor, with such bounds as numbers of this world that are within their dims."""
    parts = index if type(index) is tuple else (index,)
    if not any(type(part) is slice for part in parts):
        return take(index)
    dims = [*_dims_of(value, parts)]
    found = [
        _within(part, value.shape[at]) if type(part) is slice and at is not None else part
        for part, at in zip(parts, dims)
    ]
    changed = [(at, one.step) for one, part, at in zip(found, parts, dims) if one is not part]
    if not changed:
        return take(index)
    worlds.use()
    worlds.take()
    taken = take(tuple(found) if type(index) is tuple else found[0])
    if isinstance(taken, torch.Tensor) and taken.is_contiguous() and any(map(any, changed)):
        doubts.may_lie_otherwise(taken)  # a part of its rows would not be
    return taken


def _dims_of(value: torch.Tensor, parts: tuple[Any, ...]) -> Iterator[int | None]:
    """The dim that each part is about, if it is about one."""
    dims = [_dims(part) for part in parts]
    rest, at = value.dim() - sum(dims), 0
    for part, many in zip(parts, dims):
        yield at if many == 1 and at < value.dim() else None
        at += rest if part is Ellipsis else many


def _dims(part: Any) -> int:
    if isinstance(part, torch.Tensor) and part.dtype in (torch.bool, torch.uint8):
        return part.dim()
    return 0 if part is None or part is Ellipsis or isinstance(part, bool) else 1


def _within(part: slice, size: int) -> slice:
    if not size or worlds.is_of_given(size) or type(part.start) is type(part.stop) is Unknown:
        return part
    bounds = (part.start, part.stop, part.step)
    found = [_bound(bound, size) for bound in bounds]
    return part if all(one is bound for one, bound in zip(found, bounds)) else slice(*found)


def _bound(bound: Any, size: int) -> Any:
    """A bound that data decides: what has limits is taken at both of them, what has none somewhere in the dim."""
    number = bound.sample if type(bound) is Unknown else bound
    if type(number) is not int:
        return bound
    is_open = worlds.is_of_given(abs(number)) or (number is not bound and worlds.is_any_number(abs(number)))
    if abs(number) < size and type(bound) is Unknown:
        return number
    if not is_open or abs(number) < size:
        return bound
    return worlds.in_dim(abs(number), size) * (1 if number > 0 else -1)
