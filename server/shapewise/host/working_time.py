"""The time that a process has worked: on a machine that others use as well, a trace is not slow for having waited."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

_WAITING = 4
"""A process that does nothing has worked a quarter of the time: it is waited for, but not for ever."""


class WorkingTime:
    """Seconds from now on: of a processor where they can be read (Linux), else of the clock."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._began = time.monotonic(), processor_seconds(pid)

    def passed(self) -> float:
        """The seconds that the process has worked since: never more than the clock says."""
        clock, before = self._began
        waited, now = time.monotonic() - clock, processor_seconds(self._pid)
        if before is None or now is None:
            return waited
        return min(waited, max(now - before, waited / _WAITING))

    async def reaches(self, seconds: float) -> None:
        """Return once so many have passed."""
        while (left := seconds - self.passed()) > 0:  # noqa: ASYNC110 - nobody says when it has
            await asyncio.sleep(max(left, 0.01))


def processor_seconds(pid: int) -> float | None:
    """What a process has had of the processors since it was started; None if that cannot be read here."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return None
