"""The memory of calls of layers: what was measured there against what the trace said."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..queries.layers import roots
from ..queries.memory import course
from ..vocabulary.events import Log


@dataclass(frozen=True, slots=True)
class Memory:
    """The first call of a layer at a place. `measured` and `estimated`: its peak in bytes, its inputs included.

    `estimated` is None where the trace does not know the call, or not how large everything in it is.
    """

    file: str
    line: int
    layer: str
    device: str
    measured: int
    estimated: int | None


def memories_of(
    rows: Sequence[Mapping[str, Any]], log: Log | None, there: Mapping[str, str]
) -> tuple[Memory, ...]:
    """What was measured, each with its estimate. `there`: the names of files there, by their paths here."""
    estimates = _estimates(log, there) if log is not None else {}
    return tuple(
        Memory(
            row["file"],
            row["line"],
            row["layer"],
            row["device"],
            row["bytes"],
            estimates.get((row["file"], row["line"], row["layer"])),
        )
        for row in rows
    )


def _estimates(log: Log, there: Mapping[str, str]) -> dict[tuple[str, int, str], int]:
    """By place and layer, the peak of the first call."""
    found: dict[tuple[str, int, str], int] = {}
    measured = log.measured
    if measured is None or measured.doubtful is not None:
        return found
    for root in roots(measured):
        call = measured.calls[root]
        file = there.get(os.path.abspath(log.frames[call.frame].file))
        if file is None or call.span is None or call.failed:
            continue
        along = course(log, measured, call)
        if along is not None:
            for line in range(call.span.line, call.span.end_line + 1):
                found.setdefault((file, line, call.type), max(along.live))
    return found
