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
    """Whether something of it was told before its end."""
    is_held: bool = False
    """Whether that is shown, and no code was edited since."""
    has_facts: bool = False
    is_stopped: bool = False

    def goes_on_for(self, document: Document) -> bool:
        """A document was edited. Whether what comes of this is true of it now; what was told of it is shown then.

        Whoever ends a line, or begins a comment behind it, waits for what that line has become.
        """
        if document is not self.document:
            return False
        is_true = not (self.is_idle or self.has_facts) and document.is_as_in(self.snapshot)
        self.is_held = self.is_held and is_true
        if self.is_held:
            document.show_held()
        return is_true

    def is_stale(self, now: float, learned_at: float) -> bool:
        """Whether its text is no longer there, and there will not be something to see of it soon."""
        if self.has_facts:
            return True
        half = self.began + self.document.took * _WORTH_ITS_END
        return now < half and now < learned_at + _LONGEST_WITHOUT
