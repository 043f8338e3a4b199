"""Findings as diagnostics, pushed as soon as an analysis is there."""

from __future__ import annotations

from lsprotocol import types

from ..vocabulary.findings import Finding
from .causes import Cause, cause_of
from .documents import Document, Snapshot
from .texts import Text
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
                cause = cause_of(finding)
                there = document.snapshot.place(cause.span) if cause is not None else None
                if cause is not None and there is not None and there[0].uri in by_uri:
                    by_uri[there[0].uri].append(_at_the_cause(finding, cause, there[1], place, with_related))
    return by_uri


def _at_the_cause(
    finding: Finding, cause: Cause, range_: types.Range, fails: tuple[Text, types.Range], with_related: bool
) -> types.Diagnostic:
    related = types.DiagnosticRelatedInformation(types.Location(fails[0].uri, fails[1]), "fails here")
    return types.Diagnostic(
        range=range_,
        message=cause.message,
        severity=types.DiagnosticSeverity.Information,
        code=finding.rule,
        source=SOURCE,
        related_information=[related] if with_related else None,
    )


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
