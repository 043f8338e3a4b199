"""Rules: one file each, found by themselves."""

from __future__ import annotations

from ..vocabulary.events import Log
from ..vocabulary.findings import Finding


def check(log: Log, text: str) -> tuple[Finding, ...]:
    """What all rules find in one log, in the order of the file."""
    return ()
