"""The way of the data in one place: source, repair, trace, events, queries, facts and findings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from .queries.facts import facts_of
from .queries.files import files_of, happened_in, seen_from
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
class Analysis:
    """All that is known of one version of one file.

    `elsewhere`: the facts of other files of the project, those that it imports, as far as it uses them.
    """

    source: Source
    repaired: Repaired
    log: Log
    facts: tuple[Fact, ...]
    findings: tuple[Finding, ...]
    elsewhere: tuple[tuple[str, tuple[Fact, ...]], ...] = ()


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
        tuple((file, facts_of(happened_in(log, file))) for file in others),
    )
