"""The way of the data in one place: source, repair, trace, events, queries, facts and findings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from .queries.facts import facts_of
from .queries.files import files_of, happened_in, led_to, seen_from
from .repair import Repaired, repair
from .rules import check
from .source import Source
from .vocabulary.events import Log
from .vocabulary.facts import Fact
from .vocabulary.findings import Finding


class Tracer(Protocol):
    """Whatever can trace a repaired text: a process on this machine, or one behind a prefix."""

    async def trace(self, path: str, repaired: Repaired) -> Log:
        """The event log of the text. Raises `host.errors.TracerError`."""
        ...


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What the trace of one file says of another of the project, as far as the first uses it."""

    file: str
    facts: tuple[Fact, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Analysis:
    """All that is known of one version of one file.

    `elsewhere` is what is known of the files that it imports; `calls` are the findings there, at
    the calls of this file that lead to them.
    """

    source: Source
    repaired: Repaired
    log: Log
    facts: tuple[Fact, ...]
    findings: tuple[Finding, ...]
    elsewhere: tuple[Elsewhere, ...] = ()
    calls: tuple[Finding, ...] = ()


async def analyse(source: Source, tracer: Tracer) -> Analysis:
    """Trace a file and ask everything of its log. Raises `host.errors.TracerError`."""
    repaired = repair(source.text)
    log = await tracer.trace(source.path, repaired)
    here, *others = files_of(log)
    return Analysis(
        source,
        repaired,
        log,
        facts_of(happened_in(log, here)),
        check(seen_from(log, here), repaired.text),
        tuple(
            Elsewhere(file, facts_of(happened_in(log, file)), check(seen_from(log, file), ""))
            for file in others
        ),
        tuple(_calls(log, here)),
    )


def _calls(log: Log, file: str) -> Iterator[Finding]:
    told: set[object] = set()
    for op, place in led_to(log, file):
        for finding in check(replace(log, events=(op,)), ""):
            if (finding.rule, finding.span) not in told:
                told.add((finding.rule, finding.span))
                yield replace(finding, message=f"{finding.message}\nin {place}", related=())
