"""Who is told how analyses go."""

from __future__ import annotations

from typing import Protocol

from .documents import Document


class Listener(Protocol):
    """Who wants to know how it goes."""

    def shown(self, document: Document, hints_changed: bool) -> None:
        """There are facts, of the document as it is or as it was a moment ago."""

    def judged(self, document: Document) -> None:
        """There are findings, of the document as it is."""

    def began(self, document: Document) -> None:
        """A document is being analysed."""

    def ended(self, document: Document, problem: str | None) -> None:
        """That is over, well or with one sentence on why not."""
