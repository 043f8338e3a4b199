"""A tracer for whoever waits for all that can be known: a trace that had too little time is gone on with."""

from __future__ import annotations

import time
from collections.abc import Sequence

from ..repair import Repaired
from ..vocabulary.events import SHORT, STOPPED, UNFINISHED, Log
from .process import TracerProcess

_MOST = 8
"""Traces of one text."""
_SECONDS = 40.0
"""After so many no other one is begun."""


def is_unfinished(log: Log, before: int) -> bool:
    """Whether the same text, traced once more, may tell more. `before`: events that were known when it was traced."""
    return not {SHORT, STOPPED, UNFINISHED}.isdisjoint(log.notes) and len(log.events) > before


class ToTheEnd(TracerProcess):
    """What a trace found out of a function that nobody calls is kept, so that the next one comes further."""

    is_patient = True

    async def trace(
        self,
        path: str,
        repaired: Repaired,
        called: Sequence[str] = (),
        measure: bool = False,
        card: bool = False,
    ) -> Log:
        """The event log of a text, as far as it can be known. Raises TracerError."""
        began = time.monotonic()
        log = await super().trace(path, repaired, called, measure, card)
        before = 0
        for _ in range(_MOST - 1):
            if not is_unfinished(log, before) or time.monotonic() - began > _SECONDS:
                break
            before = len(log.events)
            log = await super().trace(path, repaired, called, measure, card)
        return log
