"""What surely is a torch.device by the text."""

from __future__ import annotations

import re

from .tensors import is_tensor
from .values import GIVEN, Value, options_of

_SETTINGS = re.compile(r"arg|cfg|config|opt|param|self|trainer|accelerator|engine", re.IGNORECASE)


def is_device(value: Value, in_forward: bool = False) -> bool:
    """Whether a value is surely a torch.device and no text: made, annotated or defaulted as one, or a tensor's.

    What a `forward` is given is taken for a tensor, or a batch of them.
    """
    return all(_is_device(one, in_forward) for one in options_of(value))


def _is_device(value: Value, in_forward: bool) -> bool:
    if value.by == GIVEN:
        if value.annotation:
            return value.annotation == "torch.device"
        return value.default is not None and value.default.by == "torch.device"
    if value.by == "." and value.name == "device" and value.on is not None:
        return all(_is_on_one(owner, in_forward) for owner in options_of(value.on))
    return value.by == "torch.device"


def _is_on_one(owner: Value, in_forward: bool) -> bool:
    """Whether it is a tensor or a parameter: what has a device of torch's."""
    if owner.by == "builtins.next" and owner.args:
        return owner.args[0].by in (".parameters", ".buffers")
    if owner.by == GIVEN and not owner.annotation:
        return in_forward and not _SETTINGS.search(owner.name)
    return is_tensor(owner)
