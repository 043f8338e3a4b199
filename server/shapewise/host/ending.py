"""How a process ended, in a few words."""

from __future__ import annotations

import signal


def ended_by(code: int) -> str:
    """Of its exit code, which is below zero for a signal."""
    if code < 0:
        try:
            return f"signal {signal.Signals(-code).name}"
        except ValueError:
            return f"signal {-code}"
    return f"exit code {code}"
