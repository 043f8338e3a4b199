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


def says_as_much(one: ValueFact | None, other: ValueFact | None) -> bool:
    """Whether all that is known of the other is known of the one, and is the same."""
    if other is None:
        return True
    if isinstance(one, GroupFact) and isinstance(other, GroupFact):
        alike = (one.type, one.keys, len(one.items)) == (other.type, other.keys, len(other.items))
        return alike and all(map(says_as_much, one.items, other.items))
    if not isinstance(one, TensorFact) or not isinstance(other, TensorFact):
        return False
    sizes = _say_as_much(one.shape, other.shape) and _say_as_much(one.stride, other.stride)
    rest = ("dtype", "device", "contiguous", "requires_grad")
    return sizes and all(getattr(other, name) in (None, getattr(one, name)) for name in rest)


def _say_as_much(one: tuple[Dim, ...] | None, other: tuple[Dim, ...] | None) -> bool:
    if other is None:
        return True
    return one is not None and len(one) == len(other) and all(b in (None, a) for a, b in zip(one, other))
