"""Findings as diagnostics, pushed as soon as an analysis is there."""

from __future__ import annotations

from lsprotocol import types

from ..vocabulary.findings import Finding
from .documents import Document, Snapshot
from .validation import judged

SOURCE = "shapewise"

_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "hint": types.DiagnosticSeverity.Hint,
}


def diagnostics(document: Document, with_related: bool) -> dict[str, list[types.Diagnostic]]:
    """For each text of an analysed document, by its URI, what there is to say. None may be left out."""
    by_uri: dict[str, list[types.Diagnostic]] = {text.uri: [] for text in document.texts}
    if document.known is not None and document.snapshot is not None:
        for finding in document.known.findings:
            place = document.snapshot.place(finding.span)
            if place is not None and place[0].uri in by_uri:
                text, range_ = place
                shown = diagnostic(finding, range_, document.snapshot, with_related)
                by_uri[text.uri].append(judged(document, finding, shown))
    return by_uri


def diagnostic(
    finding: Finding, range_: types.Range, snapshot: Snapshot, with_related: bool
) -> types.Diagnostic:
    """One finding as the client shows it."""
    related = []
    for one in finding.related if with_related else ():
        place = snapshot.place(one.span)
        if place is not None:
            location = types.Location(place[0].uri, place[1])
            related.append(types.DiagnosticRelatedInformation(location, one.message))
    return types.Diagnostic(
        range=range_,
        message=finding.message,
        severity=_SEVERITIES.get(finding.severity, types.DiagnosticSeverity.Warning),
        code=finding.rule,
        source=SOURCE,
        related_information=related or None,
    )
