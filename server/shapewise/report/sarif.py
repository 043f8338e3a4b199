"""SARIF 2.1.0, for code scanning: results, rules, related places and fixes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from .. import __version__
from ..rules.telling.pages import pages
from ..source import Source
from ..vocabulary.findings import Finding, Fix
from ..vocabulary.span import Span
from .checked import Checked, cell_of, each, fingerprints, uri_path

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
HELP = "urn:shapewise:rule:"
"""A rule's help is a URI by the format; the page itself travels as its `help`."""

_LEVELS = {"error": "error", "warning": "warning", "hint": "note"}


def render(files: Sequence[Checked]) -> str:
    """One run over all files."""
    rules = sorted({finding.rule for _, finding in each(files)})
    index = {rule: number for number, rule in enumerate(rules)}
    run = {
        "tool": {
            "driver": {
                "name": "shapewise",
                "version": __version__,
                "rules": [_rule(rule) for rule in rules],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SRCROOT": {"description": {"text": "where shapewise was started"}}},
        "results": [
            _result(file.source, finding, index[finding.rule], fingerprint)
            for file, finding, fingerprint in fingerprints(files)
        ],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _rule(rule: str) -> dict[str, Any]:
    form: dict[str, Any] = {"id": rule, "helpUri": f"{HELP}{rule}"}
    page = pages().get(rule)
    if page is not None:
        form["shortDescription"] = {"text": page.summary}
        form["help"] = {"text": page.summary, "markdown": page.text}
        form["defaultConfiguration"] = {"level": _LEVELS[page.severity], "enabled": page.default}
        form["properties"] = {"tags": ["pytorch", page.category]}
    return form


def _result(source: Source, finding: Finding, index: int, fingerprint: str) -> dict[str, Any]:
    message = finding.message
    if finding.torch_error and finding.torch_error not in message:
        message += f"\n\ntorch: {finding.torch_error}"
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": _LEVELS.get(finding.severity, "note"),
        "message": {"text": message},
        "locations": [_location(source, finding.span)],
        "partialFingerprints": {"shapewise/v1": fingerprint},
    }
    if finding.related:
        result["relatedLocations"] = [
            {"id": number, **_location(source, related.span), "message": {"text": related.message}}
            for number, related in enumerate(finding.related, start=1)
        ]
    # A notebook's places are those of its code, not of its JSON: an edit there would hit the wrong text.
    if finding.fixes and not source.cells:
        result["fixes"] = [_fix(source, fix) for fix in finding.fixes]
    return result


def _location(source: Source, span: Span) -> dict[str, Any]:
    location: dict[str, Any] = {"physicalLocation": {"artifactLocation": _artifact(source)}}
    cell = cell_of(source, span.line)
    if cell is None:
        location["physicalLocation"]["region"] = _region(span)
    else:
        location["logicalLocations"] = [{"name": f"cell {cell[0]}, line {cell[1]}", "kind": "module"}]
    return location


def _artifact(source: Source) -> dict[str, str]:
    path = uri_path(source.path)
    if Path(path).is_absolute():
        return {"uri": Path(path).as_uri()}
    return {"uri": quote(path, errors="surrogateescape"), "uriBaseId": "SRCROOT"}


def _region(span: Span) -> dict[str, int]:
    return {
        "startLine": span.line,
        "startColumn": span.column + 1,
        "endLine": span.end_line,
        "endColumn": span.end_column + 1,
    }


def _fix(source: Source, fix: Fix) -> dict[str, Any]:
    return {
        "description": {"text": f"{fix.title} ({fix.safety})"},
        "artifactChanges": [
            {
                "artifactLocation": _artifact(source),
                "replacements": [
                    {"deletedRegion": _region(edit.span), "insertedContent": {"text": edit.text}}
                    for edit in fix.edits
                ],
            }
        ],
    }
