"""How long hints take: from an edit's arrival to the hints of the new text."""

from __future__ import annotations

from collections import deque

METHOD = "shapewise/timing"


class Timing:
    """The latest few hundred times, in seconds."""

    def __init__(self) -> None:
        self._times: deque[float] = deque(maxlen=500)
        self._trace = 0.0

    def add(self, seconds: float, trace: float) -> None:
        """One edit's way to its hints, and the part of it that the tracer took."""
        self._times.append(seconds)
        self._trace = trace

    def summary(self) -> dict[str, float | int]:
        """Milliseconds, ready to be sent."""
        times = sorted(self._times)
        if not times:
            return {"count": 0}

        def milliseconds(seconds: float) -> float:
            return round(seconds * 1000, 1)

        return {
            "count": len(times),
            "last": milliseconds(self._times[-1]),
            "trace": milliseconds(self._trace),
            "p50": milliseconds(times[len(times) // 2]),
            "p95": milliseconds(times[min(len(times) - 1, len(times) * 95 // 100)]),
            "max": milliseconds(times[-1]),
        }
