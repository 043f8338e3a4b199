"""What the faces show of a place: the join over every run that came by."""

from __future__ import annotations

from dataclasses import dataclass

from .span import Span

Dim = int | str | None
"""A number, an expression over names (`"3*D"`), or None where it is not known."""


@dataclass(frozen=True, slots=True)
class TensorFact:
    """What is known of a tensor; None wherever it is not known, never a guess."""

    shape: tuple[Dim, ...] | None = None
    dtype: str | None = None
    device: str | None = None
    stride: tuple[Dim, ...] | None = None
    contiguous: bool | None = None
    requires_grad: bool | None = None
    itemsize: int | None = None


@dataclass(frozen=True, slots=True)
class GroupFact:
    """A container that holds tensors. `type`: tuple, list, dict, object. An item without is None."""

    type: str
    items: tuple[ValueFact | None, ...]
    keys: tuple[str, ...] | None = None


ValueFact = TensorFact | GroupFact


@dataclass(frozen=True, slots=True)
class Fact:
    """What one place of the file is.

    `kind`: binding, parameter, return, expression. `name`: the variable, `self.attr`, `<return>`,
    or the operation of an expression. `variants` holds each distinct value seen, if there was more
    than one. `why`: where tracking was lost, if it was. `assumed`: nothing calls the function; it was
    tried on inputs that were made up.
    """

    kind: str
    scope: str
    name: str
    span: Span
    value: ValueFact
    variants: tuple[ValueFact, ...] = ()
    why: str | None = None
    assumed: bool = False


def may_be_same(one: ValueFact | None, other: ValueFact | None) -> bool:
    """Whether nothing that is known of both differs."""
    if one in (None, TensorFact()) or other in (None, TensorFact()):
        return True
    if isinstance(one, GroupFact) and isinstance(other, GroupFact):
        alike = (one.type, one.keys, len(one.items)) == (other.type, other.keys, len(other.items))
        return alike and all(map(may_be_same, one.items, other.items))
    if not isinstance(one, TensorFact) or not isinstance(other, TensorFact):
        return False
    sizes = _may_be_same(one.shape, other.shape) and _may_be_same(one.stride, other.stride)
    rest = ("dtype", "device", "contiguous", "requires_grad")
    return sizes and all(_agree(getattr(one, name), getattr(other, name)) for name in rest)


def _may_be_same(one: tuple[Dim, ...] | None, other: tuple[Dim, ...] | None) -> bool:
    if one is None or other is None:
        return True
    return len(one) == len(other) and all(map(_fits, one, other))


def _fits(one: Dim, other: Dim) -> bool:
    """Whether two dims may be one: a name may stand for any number."""
    return _agree(one, other) or type(one) is not type(other)


def _agree(one: object, other: object) -> bool:
    return one is None or other is None or one == other
