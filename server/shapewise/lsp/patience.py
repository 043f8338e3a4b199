"""How long a trace may try functions that nobody calls: briefly while somebody types, longer and longer while nobody does."""

from __future__ import annotations

from ..host.to_the_end import is_unfinished
from ..vocabulary.events import Log

TYPING = 1.5
"""Seconds of a trace that an edit asks for: what is not done in them is gone on with while nobody edits."""
_FIRST, _MOST = 4.0, 8.0


class Patience:
    """Of one document, while nobody edits it."""

    def __init__(self) -> None:
        self.seconds = _FIRST

    def renew(self) -> None:
        """The document was edited."""
        self.seconds = _FIRST

    def goes_on(self, log: Log, known_before: int) -> bool:
        """Whether the same text is to be traced once more, after this. What told no more than the `known_before` events needs longer."""
        if not is_unfinished(log, -1):
            return False
        if len(log.events) > known_before:
            return True
        self.seconds *= 2
        return self.seconds <= _MOST
