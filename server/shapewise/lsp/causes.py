"""The cause of a finding where it stands: a layer that has to change is underlined, not only the call that fails."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..vocabulary.findings import Finding
from ..vocabulary.span import Span

_ARGUMENT = re.compile(r"\w+=(\d+|[a-z_][\w. */+-]*)")


@dataclass(frozen=True, slots=True)
class Cause:
    """What would have to change, and what is said of it."""

    span: Span
    message: str


def cause_of(finding: Finding) -> Cause | None:
    """The argument on another line that would make fit what raises, if a repair is that."""
    for fix in finding.fixes if finding.severity == "error" else ():
        span = fix.edits[0].span
        elsewhere = not finding.span.line <= span.line <= finding.span.end_line
        if len(fix.edits) == 1 and _ARGUMENT.fullmatch(fix.title) and elsewhere:
            return Cause(span, f"Line {finding.span.line} fails for this: it would be {fix.title}.")
    return None
