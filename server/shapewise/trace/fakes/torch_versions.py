"""What torch has under other names, or not at all, in some of the versions that are supported (2.6 and newer)."""

from __future__ import annotations

import torch
from torch.nn.modules import module

from .devices import CLASH

_AS_PAIR = torch.__version__ < "2.8"


def has_any_global_hook() -> bool:
    """Whether a hook is called around every module. Older versions do not say it themselves."""
    return bool(
        module._global_backward_pre_hooks
        or module._global_backward_hooks
        or module._global_forward_hooks
        or module._global_forward_pre_hooks
    )


def differs(name: str, device: torch.device, others: torch.device, method: str) -> str:
    """Torch's words where one argument stands elsewhere than those before it."""
    if _AS_PAIR:
        tail = f"but found at least two devices, {others} and {device}! (when checking argument for argument {name} in"
    else:
        tail = f"but got {name} is on {device}, different from other tensors on {others} (when checking argument in"
    return f"{CLASH}, {tail} method {method})"
