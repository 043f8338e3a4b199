"""GitLab's Code Quality report: the shape of Code Climate."""

from __future__ import annotations

import json
from collections.abc import Sequence

from .checked import Checked, fingerprints, uri_path

_SEVERITIES = {"error": "major", "warning": "minor", "hint": "info"}


def render(files: Sequence[Checked]) -> str:
    """A list of issues with fingerprints that survive edits elsewhere."""
    issues = [
        {
            "description": finding.message,
            "check_name": finding.rule,
            "fingerprint": fingerprint,
            "severity": _SEVERITIES.get(finding.severity, "info"),
            "location": {
                "path": uri_path(file.source.path),
                "lines": {"begin": finding.span.line, "end": finding.span.end_line},
                "positions": {
                    "begin": {"line": finding.span.line, "column": finding.span.column + 1},
                    "end": {"line": finding.span.end_line, "column": finding.span.end_column + 1},
                },
            },
        }
        for file, finding, fingerprint in fingerprints(files)
    ]
    return json.dumps(issues, indent=1) + "\n"
