"""What it means for the other open documents that one has changed."""

from __future__ import annotations

from collections.abc import Iterable

from .documents import Document


def change_dependents(documents: Iterable[Document], document: Document) -> None:
    """What imports a file is no longer what it was when the file has changed."""
    for other in documents:
        if other.known is not None and document.path in other.known.analysis.log.files:
            other.needs_trace = True
            other.change()


def ask_again(documents: Iterable[Document], document: Document) -> None:
    """A file is no longer what it was: what it shows of those that it uses may be something else."""
    used = document.known.analysis.log.files if document.known else ()
    for other in documents:
        callers = other.known.analysis.callers if other.known else ()
        if other is not document and (other.path in used or document.path in callers):
            other.elsewhere_asked = False
