"""Fix after fix, until none is left that holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..analysis import Analysis, Tracer
from ..documents import Document
from ..vocabulary.findings import Finding, Fix
from .apply import allowed
from .verify import attempt

Wanted = Callable[[Analysis], Sequence[Finding]]
"""Which findings are to be repaired."""


@dataclass(frozen=True, slots=True)
class Repaired:
    """A document after its fixes, what is known of it now, and what was done."""

    document: Document
    analysis: Analysis
    done: tuple[tuple[Finding, Fix], ...]


async def repeat(
    document: Document, analysis: Analysis, tracer: Tracer, wanted: Wanted, unsafe: bool = False
) -> Repaired:
    """Make one fix at a time, each on top of the last; one that does not hold is passed over.

    Raises `host.errors.TracerError`.
    """
    done: list[tuple[Finding, Fix]] = []
    refused: set[tuple[str, str, str]] = set()
    # Every fix takes its finding away and brings none but what stood behind it, so that there are never more of them.
    for _ in range(sum(1 + len(one.behind) for one in wanted(analysis))):
        for finding, fix in [(one, fix) for one in wanted(analysis) for fix in allowed(one, unsafe)]:
            # By the text and not by the line, which earlier fixes may have moved.
            key = (finding.rule, analysis.source.text.split("\n")[finding.span.line - 1], fix.title)
            if key in refused:
                continue
            after = await attempt(analysis.source, finding, fix, tracer, analysis)
            if after is not None:
                document, analysis = document.edited(fix.edits), after
                done.append((finding, fix))
                break
            refused.add(key)
        else:
            break
    return Repaired(document, analysis, tuple(done))
