"""Generators of random numbers: numbers are drawn where their generator stands."""

from __future__ import annotations

from typing import Any

import torch

from .devices import DeviceMismatch, tensors_in, where


class CardGenerator(torch.Generator):
    """A generator of the card's, where there is none."""

    device = torch.device("cuda", 0)


CardGenerator.__name__ = CardGenerator.__qualname__ = "Generator"


def drawn(
    generator: torch.Generator, args: tuple[Any, ...], kwargs: dict[str, Any], default: torch.device
) -> None:
    """Numbers are drawn where they are to stand (`check_generator`). Raises DeviceMismatch."""
    given = tensors_in(args)
    said = kwargs.get("device")
    home = torch.device(said) if said is not None else where(given[0]) if given else default
    if generator.device.type != home.type:
        raise DeviceMismatch(
            f"Expected a '{home.type}' device type for generator but found '{generator.device.type}'"
        )
