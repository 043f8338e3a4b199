"""One line a finding, for editors, `grep` and small terminals."""

from __future__ import annotations

from collections.abc import Sequence

from ..fixes.offered import offered
from .checked import Checked, each, headline, place, printable


def render(files: Sequence[Checked]) -> str:
    """`model.py:14:13: error[view-on-noncontiguous] message [fix]`."""
    lines = []
    for file, finding in each(files):
        fixable = " [fix]" if offered(finding) else ""
        where = place(file.source, finding.span.line, finding.span.column)
        lines.append(f"{where}: {finding.severity}[{finding.rule}] {printable(headline(finding))}{fixable}\n")
    return "".join(lines)
