"""What a layer holds: parameters, buffers, memory."""

from __future__ import annotations

from ...vocabulary.events import Weights
from .words import memory, number


def told(weights: Weights) -> str:
    """`216 parameters · 33 buffer elements · 996 B`; empty for a layer without either."""
    words = []
    if weights.parameters:
        words.append(f"**{_counted(weights.parameters)}** {_plural(weights.parameters, 'parameter')}")
    if weights.buffers:
        words.append(f"{_counted(weights.buffers)} in buffers")
    return " · ".join([*words, memory(weights.bytes)]) if words else ""


def _counted(count: int) -> str:
    return f"{count:,}" if count < 1_000_000 else number(count)


def _plural(count: int, word: str) -> str:
    return word if count == 1 else f"{word}s"
