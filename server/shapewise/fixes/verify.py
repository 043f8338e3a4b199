"""Whether a fix holds: the fixed text is traced again, and only then is the fix offered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ..analysis import Analysis, Tracer, analyse
from ..parsing import parse
from ..rules.pages import pages
from ..source import Source
from ..vocabulary.findings import Edit, Finding, Fix
from .apply import apply_to, moved_line


async def holds(source: Source, finding: Finding, fix: Fix, tracer: Tracer, before: Analysis) -> bool:
    """Whether the fix repairs its finding and makes no new one.

    False as well where the edits cannot be made or the fixed text no longer parses. Raises
    `host.errors.TracerError` where the fixed text cannot be traced.
    """
    return await attempt(source, finding, fix, tracer, before) is not None


async def attempt(
    source: Source, finding: Finding, fix: Fix, tracer: Tracer, before: Analysis
) -> Analysis | None:
    """The analysis of the fixed text if the fix holds, else None. Raises `host.errors.TracerError`."""
    try:
        fixed = apply_to(source, fix.edits)
    except ValueError:
        return None
    if fixed.text == source.text or (_parses(source.text) and not _parses(fixed.text)):
        return None
    after = await analyse(fixed, tracer)
    if len(after.repaired.broken) > len(before.repaired.broken):
        return None
    return after if repairs(finding, fix.edits, before.findings, after.findings) else None


async def verified(analysis: Analysis, tracer: Tracer) -> Analysis:
    """The analysis with only those fixes left that hold. Raises `host.errors.TracerError`."""
    findings = []
    for finding in analysis.findings:
        fixes = [fix for fix in finding.fixes if await holds(analysis.source, finding, fix, tracer, analysis)]
        findings.append(replace(finding, fixes=tuple(fixes)))
    return replace(analysis, findings=tuple(findings))


def repairs(
    finding: Finding, edits: Sequence[Edit], before: Sequence[Finding], after: Sequence[Finding]
) -> bool:
    """Whether `after` is `before` without the finding, or less; columns may have moved.

    What only rules say that are off by default is no new finding, nor what the line now comes to.
    """
    allowed = Counter((one.rule, moved_line(one.span.line, edits)) for one in before)
    line = moved_line(finding.span.line, edits)
    allowed[finding.rule, line] -= 1
    allowed.update((rule, line) for rule in finding.behind)
    off = {page.name for page in pages().values() if not page.default}
    found = Counter(
        (one.rule, one.span.line) for one in after if one.rule not in off or one.rule == finding.rule
    )
    return all(count <= allowed[place] for place, count in found.items())


def _parses(text: str) -> bool:
    try:
        parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
