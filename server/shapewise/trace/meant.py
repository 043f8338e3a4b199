"""What an op that fails would have meant, where that is clear: the trace goes on with it.

One mistake then costs one finding, and the lines below keep their facts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

_MEANT: dict[str, Callable[..., Any]] = {
    "view": lambda tensor, *shape, **named: tensor.reshape(*shape, **named),
    "view_as": lambda tensor, other: tensor.reshape_as(other),
}


def meant(name: str, args: list[Any], kwargs: dict[str, Any]) -> Any | None:
    """The value of what was meant, or None where nobody can say."""
    instead = _MEANT.get(name)
    if instead is None or not args or not isinstance(args[0], torch.Tensor):
        return None
    try:
        return instead(*args, **kwargs)
    except Exception:
        return None
