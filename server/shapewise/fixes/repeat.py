"""Fix after fix, until none is left that holds."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass

from ..analysis import Analysis, Tracer
from ..documents import Document
from ..vocabulary.findings import Finding
from .offered import allowed
from .verify import Repair, attempt_all, guessed

Wanted = Callable[[Analysis], Sequence[Finding]]
"""Which findings are to be repaired."""


@dataclass(frozen=True, slots=True)
class Repaired:
    """A document after its fixes, what is known of it now, and what was done."""

    document: Document
    analysis: Analysis
    done: tuple[Repair, ...]


async def repeat(
    document: Document, analysis: Analysis, tracer: Tracer, wanted: Wanted, unsafe: bool = False
) -> Repaired:
    """Make fix after fix, each on top of the last; one that does not hold is passed over.

    Raises `host.errors.TracerError`.
    """
    done: list[Repair] = []
    refused: set[tuple[str, ...]] = set()
    hopeless: set[tuple[str, str | None]] = set()
    # Every fix takes its finding away and brings none but what stood behind it, so that there are never more of them.
    for _ in range(sum(1 + len(one.behind) for one in wanted(analysis))):
        async for repairs in _to_try(analysis, wanted(analysis), unsafe, tracer, hopeless):
            # By the text and not by the line, which earlier fixes may have moved.
            lines = analysis.source.text.split("\n")
            key = tuple(
                part for one, fix in repairs for part in (one.rule, lines[one.span.line - 1], fix.title)
            )
            if key in refused:
                continue
            after = await attempt_all(analysis.source, repairs, tracer, analysis)
            if after is not None:
                document = document.edited([edit for _, fix in repairs for edit in fix.edits])
                analysis = after
                done += repairs
                break
            refused.add(key)
        else:
            break
    return Repaired(document, analysis, tuple(done))


async def _to_try(
    analysis: Analysis,
    findings: Sequence[Finding],
    unsafe: bool,
    tracer: Tracer,
    hopeless: set[tuple[str, str | None]],
) -> AsyncIterator[list[Repair]]:
    """The first fixes of all findings of one rule together, as far as they hold so; each fix by itself; together once more
    what torch refuses, each of which may need the other; and what a search finds where no rule knows a fix.

    `hopeless`: the lines, and what torch says of them, that a search of seconds has found nothing for; they come to it.
    """
    of_rule: dict[str, list[Repair]] = {}
    for finding in findings:
        for fix in allowed(finding, unsafe)[:1]:
            of_rule.setdefault(finding.rule, []).append((finding, fix))
    for several in of_rule.values():
        if all(finding.severity != "error" for finding, _ in several):
            for repairs in _halves(several):
                yield repairs
    for finding in findings:
        for fix in allowed(finding, unsafe):
            yield [(finding, fix)]
    for several in of_rule.values():
        if len(several) > 1:
            yield several
    lines = analysis.source.text.split("\n")
    for finding in findings if unsafe else ():
        key = lines[finding.span.line - 1], finding.torch_error
        found = [] if key in hopeless else await guessed(analysis, finding, tracer)
        if not found:
            hopeless.add(key)
        for fix in found[:1]:
            yield [(finding, fix)]


def _halves(repairs: list[Repair]) -> Iterator[list[Repair]]:
    """All of several, the halves of them, and so on, down to two."""
    if len(repairs) > 1:
        yield repairs
        middle = len(repairs) // 2
        yield from _halves(repairs[:middle])
        yield from _halves(repairs[middle:])
