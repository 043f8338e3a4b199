"""What is compared of live values: whether one holds a tensor, and the facts of which a hint would be made."""

from __future__ import annotations

import contextlib
from typing import Any

import torch

from ..fakes.devices import device_of
from ..unknowns import doubts
from ..unknowns.unknown import ATOMS, Unknown, likely

SCALARS = (int, float, bool, str, type(None))
ITEMS = 64
"""Containers are described up to this many items: nobody reads more in a hint."""


def holds_tensor(value: Any, depth: int = 3) -> bool:
    """Whether a value is, or holds to a depth of three, a tensor or a lost one."""
    if type(value) in ATOMS:
        return False
    value = likely(value)
    if isinstance(value, torch.Tensor):
        return True
    if type(value) is Unknown:
        return value.tensor
    if depth == 0:
        return False
    if isinstance(value, (tuple, list)):
        return len(value) <= ITEMS and any(holds_tensor(item, depth - 1) for item in value)
    if isinstance(value, dict):
        return len(value) <= ITEMS and any(holds_tensor(item, depth - 1) for item in value.values())
    if hasattr(type(value), "__dataclass_fields__"):
        return any(holds_tensor(item, depth - 1) for item in fields(value).values())
    return False


def fields(value: Any) -> dict[str, Any]:
    """What the fields of a dataclass hold, as they lie there: its own `__getattribute__` may refuse (transformers 5)."""
    found = {}
    for name in type(value).__dataclass_fields__:
        with contextlib.suppress(Exception):
            found[name] = object.__getattribute__(value, name)
    return found


def facts_of(value: torch.Tensor) -> tuple[Any, ...]:
    """All that a hint says of a tensor, for comparing two."""
    unknown = doubts.of(value) if doubts.NOW.active else doubts.NONE
    return (
        value.shape,
        value.dtype if doubts.DTYPE not in unknown else None,
        value.stride() if doubts.LAYOUT not in unknown else None,
        device_of(value),
        value.requires_grad if doubts.GRAD not in unknown else None,
        doubts.ALL in unknown,
        doubts.choices(unknown) if unknown else unknown,
    )


def same(left: Any, right: Any) -> bool:
    """Whether two values that are not containers are alike for every fact that could follow."""
    if isinstance(left, torch.Tensor) and isinstance(right, torch.Tensor):
        with torch._C.DisableTorchFunction():
            return type(left) is type(right) and facts_of(left) == facts_of(right)
    if isinstance(left, (*SCALARS, torch.dtype, torch.device, slice, range)):
        return type(left) is type(right) and bool(left == right)
    return False
