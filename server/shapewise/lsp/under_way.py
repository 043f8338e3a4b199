"""The analysis that is being made, and whether it is still worth its end."""

from __future__ import annotations

from dataclasses import dataclass

from .documents import Document, Snapshot

_WORTH_ITS_END = 0.5
"""The share of a trace after which it goes on although the text has changed: what it says moves along."""
_LONGEST_WITHOUT = 2.0
"""Seconds after which a trace goes on in any case: who types without a pause sees something, too."""


@dataclass
class UnderWay:
    """One analysis. `is_idle`: nobody edits, and what had too little time is gone on with.

    `is_edit`: somebody types, and something is shown already: what is not done is left for when nobody edits.
    """

    document: Document
    snapshot: Snapshot
    began: float
    is_idle: bool
    is_edit: bool
    is_told: bool = False
    """Whether something of it was shown before its end."""
    has_facts: bool = False
    is_stopped: bool = False

    def is_stale(self, now: float, learned_at: float) -> bool:
        """Whether its text is no longer there, and there will not be something to see of it soon."""
        if self.has_facts:
            return True
        half = self.began + self.document.took * _WORTH_ITS_END
        return now < half and now < learned_at + _LONGEST_WITHOUT
