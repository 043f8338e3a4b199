"""Where inputs that are made up stand, and the weights beside them: where the text brings what meets them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from ...fakes.devices import CPU, device_of, place, tensors_in
from .specs import MADE_UP


def stand_together(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    """What a call is given stands on the one card that any of it stands on, if nobody has said where the rest does.

    `torch.zeros(1, b, hidden).cuda()` beside `x`: whoever calls this has brought `x` and the model there, too.
    """
    given = tensors_in(args) + tensors_in(kwargs)
    cards = {device for one in given if (device := device_of(one)) != str(CPU)}
    if len(cards) == 1 and any(one.requires_grad or hasattr(one, MADE_UP) for one in given):
        place(given, torch.device(*cards))
