"""How what a function of torch asks of its inputs is registered."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from ..demands import Refiner

Demand = Callable[["Refiner"], bool]
DEMANDS: dict[str, list[Demand]] = {}
"""By the name of the function, what may help: each is false if it does not apply."""


def of(*names: str) -> Callable[[Demand], Demand]:
    """Register what these functions of torch ask for."""

    def register(demand: Demand) -> Demand:
        for name in names:
            DEMANDS.setdefault(name, []).append(demand)
        return demand

    return register


def shape_of(value: Any) -> tuple[int, ...]:
    """The sizes of a tensor, none of anything else."""
    return tuple(value.shape) if isinstance(value, torch.Tensor) else ()
