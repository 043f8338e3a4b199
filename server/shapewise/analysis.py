"""The way of the data in one place: source, repair, trace, events, queries, facts and findings."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Protocol

from . import same_code
from .parsing import parse
from .queries.facts import facts_of
from .queries.files import files_of, happened_in, led_to, seen_from
from .queries.runs import ran, together
from .repair import Repaired, repair
from .rules import check
from .source import Source
from .vocabulary.blocks import UNREADABLE, pieces
from .vocabulary.events import Log
from .vocabulary.facts import Fact
from .vocabulary.findings import Finding


class Tracer(Protocol):
    """Whatever can trace a repaired text: a process on this machine, or one behind a prefix."""

    async def trace(
        self,
        path: str,
        repaired: Repaired,
        called: Sequence[str] = (),
        *,
        measure: bool = False,
        card: bool = False,
    ) -> Log:
        """The event log of the text. Raises `host.errors.TracerError`.

        `called`: functions of the text that other files are known to call, so that no inputs need be
        made up for them. `measure`: its layers are measured. `card`: of a run as on a machine that has a card.
        """
        ...


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What the trace of one file says of another of the project, as far as the first uses it."""

    file: str
    facts: Sequence[Fact]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Analysis:
    """All that is known of one version of one file.

    `elsewhere` is what is known of the files that it imports; `calls` are the findings there, at
    the calls of this file that lead to them. `callers` are the files that call its functions and
    those that they import, as far as facts come from there; `called` are these functions, and
    `seconds_elsewhere` is what the traces of these files took. `runs` are all that the facts come from:
    what happened in this file, in its own trace and in those of its callers.
    """

    source: Source
    repaired: Repaired
    log: Log
    facts: Sequence[Fact]
    findings: tuple[Finding, ...]
    elsewhere: tuple[Elsewhere, ...] = ()
    calls: tuple[Finding, ...] = ()
    callers: tuple[str, ...] = ()
    called: tuple[str, ...] = ()
    seconds_elsewhere: float = 0.0
    runs: Log | None = None


async def analyse(
    source: Source, tracer: Tracer, called: Sequence[str] = (), before: Analysis | None = None
) -> Analysis:
    """Trace a file and ask everything of its log: the three below in one. Raises `host.errors.TracerError`."""
    analysis = await on_a_card(await seen(source, tracer, called, before), tracer)
    return await asyncio.to_thread(judged, analysis)


async def seen(
    source: Source, tracer: Tracer, called: Sequence[str] = (), before: Analysis | None = None
) -> Analysis:
    """Trace a file and ask its log for the facts: what is found is not asked yet. Raises `host.errors.TracerError`.

    `called`: functions that are known to be called from elsewhere (see `called_from`). `before`: of
    the same file, whose log still holds if nothing but comments and spaces has changed since.
    """
    repaired = await asyncio.to_thread(repair, source.text)  # whoever types is answered meanwhile
    log = None if before is None or called else _moved(before, repaired)
    if log is None:
        log = await (
            tracer.trace(source.path, repaired, called) if called else tracer.trace(source.path, repaired)
        )
    return await asyncio.to_thread(_seen, source, repaired, log)


async def on_a_card(analysis: Analysis, tracer: Tracer) -> Analysis:
    """With what happens where there is a card, if the file asks for one: findings may come of it, facts do not.

    Raises `host.errors.TracerError`.
    """
    log = analysis.log
    if not log.asks_for_card or log.on_a_card is not None:
        return analysis
    there = await tracer.trace(analysis.source.path, analysis.repaired, card=True)
    return replace(analysis, log=replace(log, on_a_card=there))


def _seen(source: Source, repaired: Repaired, log: Log) -> Analysis:
    runs = happened_in(log, log.file)
    return Analysis(source, repaired, log, facts_of(runs), (), runs=runs)


def judged(analysis: Analysis, is_stale: Callable[[], bool] = lambda: False) -> Analysis:
    """The analysis with what the rules find, here and in the files that it imports.

    Once `is_stale`, nobody wants to know any more, and it says less than there is.
    """
    log = analysis.log
    here, *others = files_of(log)
    return replace(
        analysis,
        findings=check(seen_from(log, here), analysis.repaired.text, log, is_stale),
        elsewhere=tuple(
            Elsewhere(
                file, facts_of(happened_in(log, file)), check(seen_from(log, file), "", is_stale=is_stale)
            )
            for file in others
        ),
        calls=tuple(_calls(log, here)),
    )


def still_holds(before: Analysis, source: Source) -> bool:
    """Whether an edit since changed nothing that the facts depend on, but for their places. Quick; may say no too often."""
    return not before.repaired.broken and same_code.still_holds(before.log, before.source.text, source.text)


def _moved(before: Analysis, repaired: Repaired) -> Log | None:
    if before.called or before.repaired.broken or repaired.broken:
        return None
    return same_code.moved(before.log, before.repaired.text, repaired.text)


def uncalled(analysis: Analysis) -> frozenset[str]:
    """The functions of a file that its own trace did not come by."""
    return functions(analysis.repaired) - ran(analysis.log, analysis.log.file)


def functions(repaired: Repaired) -> frozenset[str]:
    """The functions and methods of a text, by their scopes."""
    try:
        return frozenset().union(*(_functions_in(text) for _, text in pieces(repaired.text) if "def" in text))
    except UNREADABLE:
        return frozenset()


@lru_cache(maxsize=2048)
def _functions_in(piece: str) -> frozenset[str]:
    return frozenset(_functions(parse(piece).body, ""))


def _functions(body: Sequence[ast.stmt], within: str) -> Iterator[str]:
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield within + node.name
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node.body, f"{within}{node.name}.")
        elif isinstance(node, ast.If):
            yield from _functions([*node.body, *node.orelse], within)


def called_from(analysis: Analysis, logs: Sequence[Log]) -> Analysis:
    """The analysis with what the traces of other files show of this one's functions.

    Facts only: a finding stands where the call is that leads to it, and that is in the other file.
    """
    file = analysis.log.file
    of_use = [log for log in logs if log.cut is None and ran(log, file)]
    if not of_use:
        return analysis
    runs = happened_in(together(analysis.log, of_use), file)
    return replace(
        analysis,
        facts=facts_of(runs),
        runs=runs,
        callers=tuple(
            dict.fromkeys(path for log in of_use for path in (log.file, *log.files) if path != file)
        ),
        called=tuple(sorted(frozenset().union(*(ran(log, file) for log in of_use)))),
        seconds_elsewhere=sum(log.seconds for log in of_use),
    )


def _calls(log: Log, file: str) -> Iterator[Finding]:
    told: set[object] = set()
    for op, place in led_to(log, file):
        for finding in check(replace(log, events=(op,)), ""):
            if (finding.rule, finding.span) not in told:
                told.add((finding.rule, finding.span))
                yield replace(finding, message=f"{finding.message}\nin {place}", related=())
