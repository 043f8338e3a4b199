"""Numbers, shapes and values as a hover writes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from ...vocabulary.events import Group, Other, Scalar, Size, Tensor, Value
from ...vocabulary.facts import Dim

_BYTES = ("B", "KiB", "MiB", "GiB", "TiB")
_THOUSANDS = ("", "k", "M", "G", "T", "P")
_MOST_ITEMS = 4


def dim(size: Dim) -> str:
    """One size."""
    return "?" if size is None else str(size)


def shape(sizes: Sequence[Dim] | None) -> str:
    """A shape as Python writes a list; `[…]` where not even the rank is known."""
    return "[…]" if sizes is None else "[" + ", ".join(map(dim, sizes)) + "]"


def strides(steps: Sequence[Dim]) -> str:
    """Strides as torch writes them."""
    return "(" + ", ".join(map(dim, steps)) + ("," if len(steps) == 1 else "") + ")"


def elements(sizes: Sequence[Size]) -> int | None:
    """How many elements a tensor of this shape has, if that is known."""
    numbers = [size for size in sizes if isinstance(size, int)]
    return prod(numbers) if len(numbers) == len(sizes) else None


def memory(amount: float) -> str:
    """An amount of bytes: `24 B`, `4 MiB`."""
    for unit in _BYTES:
        if amount < 1024 or unit == _BYTES[-1]:
            break
        amount /= 1024
    return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.4g} {unit}"


def size_of(tensor: Tensor) -> int | None:
    """The bytes that the elements of a tensor take."""
    count = elements(tensor.shape)
    return None if count is None or tensor.itemsize is None else count * tensor.itemsize


def number(amount: float) -> str:
    """A large number in three digits: `85.1 M`."""
    if amount < 10_000:
        return f"{amount:,.0f}"
    for unit in _THOUSANDS:
        if amount < 999.5 or unit == _THOUSANDS[-1]:
            break
        amount /= 1000
    return f"{amount:.3g} {unit}"


def product(factors: Iterable[Size]) -> str:
    """Factors one after the other: `2·B·64`."""
    return "·".join(
        f"({one})" if isinstance(one, str) and not one.isidentifier() else dim(one) for one in factors
    )


def value(given: Value) -> str:
    """A value as an argument: tensors by their shapes."""
    if isinstance(given, Tensor):
        return shape(given.shape)
    if isinstance(given, Scalar):
        if isinstance(given.value, float):
            return f"{given.value:.6g}" if given.value % 1 else repr(given.value)
        return "..." if given.value == "..." else repr(given.value)
    if isinstance(given, Group):
        return _group(given)
    if isinstance(given, Other):
        return given.text or given.type
    return "[…]" if given.tensor else "?"


def _group(group: Group) -> str:
    items = [value(item) for item in group.items[:_MOST_ITEMS]]
    if group.keys is not None:
        items = [f"{key}={item}" for key, item in zip(group.keys, items)]
    if len(group.items) > _MOST_ITEMS:
        items.append("…")
    opening, closing = ("[", "]") if group.kind == "list" else ("(", ")")
    if group.kind == "tuple" and len(items) == 1:
        closing = ",)"
    return opening + ", ".join(items) + closing
