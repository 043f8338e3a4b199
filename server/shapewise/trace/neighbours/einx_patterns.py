"""einx's patterns: the axes of each tensor, in order, with what is composed in parentheses taken apart.

`"b (h d), b n -> n b h d"`; a plain `...` stands for axes of its own that all expressions share. What this
reading does not have (`a...`, brackets around several axes that are composed) raises Lost.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from ..unknowns.unknown import Lost

_TOKEN = re.compile(r"\s*(\.\.\.|[A-Za-z_]\w*|\d+|[()\[\],]|->)")
_ONE = "1"


@dataclass(frozen=True)
class Expression:
    """One tensor of a pattern. `groups`: by dim, its axes; a dim of one step has the axis `1`. `marked`: those in brackets."""

    groups: tuple[tuple[str, ...], ...]
    marked: frozenset[str] = frozenset()

    @property
    def axes(self) -> tuple[str, ...]:
        """All axes in order, without those of one step."""
        return tuple(axis for group in self.groups for axis in group if axis != _ONE)


@dataclass
class Pattern:
    """The expressions before the arrow, and the one behind it; None where there is none."""

    inputs: tuple[Expression, ...]
    output: Expression | None
    sizes: dict[str, int] = field(default_factory=dict)


def read(text: str, given: Sequence[Any], sizes: Mapping[str, Any]) -> Pattern:
    """The pattern of a call with these tensors and numbers, and the size of each axis."""
    left, arrow, right = text.partition("->")
    inputs = [_Reading(part) for part in left.split(",")]
    output = _Reading(right) if arrow else None
    if len(inputs) != len(given) or "," in right:
        raise Lost("an einx pattern for another number of tensors")
    ranks = [one.dim() if isinstance(one, torch.Tensor) else 0 for one in given]
    open_dims = {rank - one.plain for one, rank in zip(inputs, ranks) if one.is_open}
    if len(open_dims) > 1 or min(open_dims, default=0) < 0:
        raise Lost("an einx pattern whose ... differs")
    many = min(open_dims, default=0)
    pattern = Pattern(
        tuple(one.expression(many) for one in inputs), None if output is None else output.expression(many)
    )
    if any(len(one.groups) != rank for one, rank in zip(pattern.inputs, ranks)):
        raise Lost("an einx pattern for another rank")
    pattern.sizes = {name: size for name, size in sizes.items() if type(size) is int}
    for known in (True, False):
        for one, value in zip(pattern.inputs, given):
            for group, size in zip(one.groups, getattr(value, "shape", ())):
                if (len(group) == 1) is known:
                    _measure(pattern.sizes, group, size)
    return pattern


def _measure(sizes: dict[str, int], group: tuple[str, ...], size: int) -> None:
    open_axes = [axis for axis in group if axis != _ONE and axis not in sizes]
    rest = math.prod(sizes[axis] for axis in group if axis in sizes)
    if len(open_axes) > 1 or (rest == 0 and open_axes) or (open_axes and size % rest):
        raise Lost("sizes of an einx pattern")
    if open_axes:
        sizes[open_axes[0]] = size // rest
    elif size != rest:
        raise Lost("sizes that do not fit an einx pattern")


class _Reading:
    """One expression, before it is known how many axes its `...` are."""

    def __init__(self, text: str) -> None:
        self.is_open = False
        self._groups: list[tuple[str, ...]] = []
        self._marked: set[str] = set()
        self._read(iter([*_tokens(text)]))
        self.plain = sum(group != ("...",) for group in self._groups)

    def _read(self, tokens: Iterator[str]) -> None:
        group: list[str] | None = None
        is_marked = False
        for token in tokens:
            if token in "[]":
                is_marked = token == "["
            elif token == "(":
                if group is not None or is_marked:
                    raise Lost("an einx pattern of composed axes in others")
                group = []
            elif token == ")":
                self._groups.append(tuple(group or ()))
                group = None
            else:
                axis = _ONE if token == _ONE else token
                if (
                    axis.isdigit()
                    and axis != _ONE
                    or (token == "..." and (self.is_open or group is not None))
                ):
                    raise Lost("an einx pattern with numbers")
                self.is_open |= token == "..."
                if is_marked:
                    self._marked.add(axis)
                if group is None:
                    self._groups.append((axis,))
                else:
                    group.append(axis)
        if group is not None or is_marked:
            raise Lost("an einx pattern that is not closed")

    def expression(self, many: int) -> Expression:
        groups: list[tuple[str, ...]] = []
        for group in self._groups:
            groups += [(f"...{at}",) for at in range(many)] if group == ("...",) else [group]
        axes = [axis for group in groups for axis in group if axis != _ONE]
        if len(axes) != len(set(axes)) or "..." in self._marked:
            raise Lost("an einx pattern in which an axis stands twice")
        return Expression(tuple(groups), frozenset(self._marked))


def _tokens(text: str) -> Iterator[str]:
    at, text = 0, text.strip()
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None or (found[1] == "..." and text[: found.start(1)][-1:] not in ("", " ", "(", "[")):
            raise Lost("an einx pattern of another kind")
        yield found[1]
        at = found.end()


def taken_apart(value: torch.Tensor, expression: Expression, sizes: Mapping[str, int]) -> torch.Tensor:
    """A tensor with a dim for each axis of its expression."""
    return value.reshape([sizes[axis] for axis in expression.axes])


def along(value: torch.Tensor, axes: Sequence[str], wanted: Sequence[str]) -> torch.Tensor:
    """A tensor with these axes as one with the wanted ones, of one step where it has none of that name."""
    present = [axis for axis in wanted if axis in axes]
    if len(present) != len(axes):
        raise Lost("an axis that an einx pattern does not give out")
    moved = value.permute([axes.index(axis) for axis in present])
    steps = iter(moved.shape)
    return moved.reshape([next(steps) if axis in axes else 1 for axis in wanted])


def composed(value: torch.Tensor, expression: Expression, sizes: Mapping[str, int]) -> torch.Tensor:
    """What has a dim for each axis of the output, with the dims of the output."""
    if any(axis not in sizes for axis in expression.axes):
        raise Lost("an axis of an einx pattern whose size nobody says")
    value = value.expand([sizes[axis] for axis in expression.axes])
    return value.reshape([math.prod(sizes.get(axis, 1) for axis in group) for group in expression.groups])
