"""The time that a process has worked: on a machine that others use as well, a trace is not slow for having waited for a processor."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

_WAITING = 4
"""What waits for a processor has worked a quarter of the time: it is waited for, but not for ever."""
_LOOK = 0.5
"""Seconds between two looks at what it does."""


class WorkingTime:
    """Seconds from now on without those for which a process waited for a processor, where that can be read (Linux)."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._passed = 0.0
        self._seen = time.monotonic(), processor_seconds(pid)

    def passed(self) -> float:
        """The seconds until now: never more than the clock says."""
        (clock, before), self._seen = self._seen, (time.monotonic(), processor_seconds(self._pid))
        gone, now = self._seen[0] - clock, self._seen[1]
        if before is None or now is None or not _wants_to_work(self._pid):
            self._passed += gone
        else:
            self._passed += min(gone, max(now - before, gone / _WAITING))
        return self._passed

    async def reaches(self, seconds: float) -> None:
        """Return once so many have passed."""
        left = seconds
        while left > 0:  # most traces are over before the first look
            await asyncio.sleep(min(max(left, 0.01), _LOOK))
            left = seconds - self.passed()


def processor_seconds(pid: int) -> float | None:
    """What a process has had of the processors since it was started; None if that cannot be read here."""
    try:
        fields = _stat(Path(f"/proc/{pid}/stat"))
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return None


def _wants_to_work(pid: int) -> bool:
    """Whether a thread of a process runs, or would if there were a processor for it; one that is stopped, or sleeps, does not."""
    try:
        return any(_stat(thread / "stat")[0] == "R" for thread in Path(f"/proc/{pid}/task").iterdir())
    except (OSError, IndexError):
        return False


def _stat(path: Path) -> list[str]:
    """The fields behind the name of a process or a thread (`proc(5)`): its state is the first."""
    return path.read_text("ascii", "replace").rpartition(")")[2].split()
