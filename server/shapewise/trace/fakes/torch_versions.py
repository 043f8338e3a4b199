"""What torch has under other names, or not at all, in some of the versions that are supported (2.6 and newer)."""

from __future__ import annotations

from torch.nn.modules import module


def has_any_global_hook() -> bool:
    """Whether a hook is called around every module. Older versions do not say it themselves."""
    return bool(
        module._global_backward_pre_hooks
        or module._global_backward_hooks
        or module._global_forward_hooks
        or module._global_forward_pre_hooks
    )
