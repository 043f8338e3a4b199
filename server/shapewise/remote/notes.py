"""What calls cost on that machine: copies, moves between devices, waits for a card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_WAITS = frozenset("item tolist numpy cpu".split())
_MOST = 20
_WORTH = 50e-6
"""Seconds below which a copy on the CPU is not worth a word."""


@dataclass(frozen=True, slots=True)
class Note:
    """One call that costs something. `seconds` of all its calls together."""

    file: str
    line: int
    kind: str
    count: int
    seconds: float
    bytes: int
    text: str


def notes_of(timings: Sequence[Mapping[str, Any]]) -> tuple[Note, ...]:
    """The dearest first."""
    notes = [note for row in timings if (note := _note(row)) is not None]
    return tuple(sorted(notes, key=lambda note: -note.seconds)[:_MOST])


def _note(row: Mapping[str, Any]) -> Note | None:
    name, device = row["name"], row["device"]
    often = "once" if row["count"] == 1 else f"{row['count']} times"
    took = f"{often}, {_time(row['seconds'])} in all, at most {_time(row['longest'])}"
    if row["moved"]:
        kind = "move"
        text = f"`.{name}()` moves {_size(row['moved'])} from {device} to {row['to']}: {took}"
    elif name in _WAITS and not device.startswith("cpu"):
        kind = "wait"
        text = f"`.{name}()` waits for {device}: {took}"
    elif row["copied"] and row["seconds"] >= _WORTH:
        kind = "copy"
        text = f"`.{name}()` copies {_size(row['copied'])} because the tensor is not contiguous: {took}"
    else:
        return None
    size = row["moved"] + row["copied"]
    return Note(row["file"], row["line"], kind, row["count"], row["seconds"], size, text)


def _time(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1e3:.2f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.0f} µs"


def _size(count: int) -> str:
    value = float(count)
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:.3g} {unit}"
        value /= 1000
    return f"{value:.3g} GB"
