"""What a fix is called where people choose one: with the lines that it changes, if they are others than the finding's."""

from __future__ import annotations

from collections.abc import Callable

from ..vocabulary.findings import Finding, Fix

_MOST = 3
"""Lines that are named."""


def title(finding: Finding, fix: Fix, seen: Callable[[int], str] = str) -> str:
    """`in_features=2704 (line 12)`. `seen`: how people know a line of the text; empty if it is not shown to them."""
    where = elsewhere(finding, fix, seen)
    return f"{fix.title} ({where})" if where else fix.title


def elsewhere(finding: Finding, fix: Fix, seen: Callable[[int], str] = str) -> str:
    """The lines that a fix changes and that are not the finding's: `line 12`, or `also line 12` beside that; empty if there are none."""
    lines = sorted({edit.span.line for edit in fix.edits})
    away = [line for line in lines if not finding.span.line <= line <= finding.span.end_line]
    names = [name for name in map(seen, away) if name]
    if not names or len(names) > _MOST:
        return ""
    also = "also " if len(away) < len(lines) else ""
    return f"{also}line{'s' * (len(names) > 1)} {', '.join(names)}"
