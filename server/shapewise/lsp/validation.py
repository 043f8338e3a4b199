"""`shapewise/validation/plan` and `shapewise/validation/run`: the open file run for real, where its user says.

Nothing runs that was not shown first: the plan names the command and the files, and a run has to bring along
the plan that was agreed to. Verdicts stand beside hints and findings until the text changes.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from ..analysis import Analysis
from ..host.errors import TracerError
from ..remote.bundle import Bundle, NotRunnable, bundle
from ..remote.facts import CONFIRMED, NOT_REACHED, REFUTED
from ..remote.findings import JudgedFinding
from ..remote.link import Link, RemoteError, command
from ..remote.render import markdown
from ..remote.validation import Options, Traced, Validation, validate
from ..source import Source
from ..vocabulary.events import Log
from ..vocabulary.facts import Fact
from ..vocabulary.findings import Finding
from .given import given

if TYPE_CHECKING:
    from .documents import Document, Part
    from .server import ShapewiseServer

PLAN, RUN = "shapewise/validation/plan", "shapewise/validation/run"

_PATIENCE = 30.0
"""Seconds to wait for the analysis of the text as it is."""

_SECONDS = 600.0

_Place = tuple[int, int, str, str]


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What a run said of a document at one moment. `where`: the machine, as people call it."""

    generation: int
    where: str
    facts: dict[_Place, str]
    findings: dict[Finding, JudgedFinding]


class _NoRun(Exception):
    """One sentence: why nothing is run."""


async def plan(ls: ShapewiseServer, params: Any) -> dict[str, Any]:
    """The command and the files: `{"command", "files"}`, or `{"why": one sentence}`. Nothing is run."""
    try:
        document = _document(ls, params)
        return _plan(await _bundle(ls, document.now().source), _words(ls, params))
    except (_NoRun, NotRunnable, RemoteError) as error:
        return {"why": _sentence(error)}


async def run(ls: ShapewiseServer, params: Any) -> dict[str, Any]:
    """Run it: `{"summary", "report"}`, or `{"why": one sentence}`.

    `params`: `uri`, `on` (the prefix, empty for this machine), `agreed` (the plan), and what may be left out:
    `name`, `uncalled`, `seconds`.
    """
    try:
        document = _document(ls, params)
        if not await document.settled(_PATIENCE) or document.known is None:
            raise _NoRun("There is no analysis of this text yet.")
        generation, known, source = document.generation, document.known, document.now().source
        files, words = await _bundle(ls, source), _words(ls, params)
        if _plan(files, words) != _plain(given(params, "agreed")):
            raise _NoRun("The command or the files are no longer those that were agreed to; start again.")
        options = Options(
            given(params, "name"),
            bool(given(params, "uncalled")),
            float(given(params, "seconds") or _SECONDS),
        )
        found = tuple((source.path, finding) for finding in known.findings)
        async with Link(words) as link:
            validation = await validate(files, _traced(ls, known.analysis, found), link, options)
    except (_NoRun, NotRunnable, RemoteError) as error:
        return {"why": _sentence(error)}
    if document.generation == generation:
        document.verdicts = _verdicts(files, validation, generation)
        ls.publish(document)
        ls.refresh_hints()
    return {"summary": _summary(validation), "report": markdown(source, validation)}


async def _traced(
    ls: ShapewiseServer, analysis: Analysis, findings: tuple[tuple[str, Finding], ...]
) -> Traced:
    async def measuring() -> Log | None:
        try:
            return await ls.tracer.trace(analysis.source.path, analysis.repaired, measure=True)
        except TracerError:
            return None

    return Traced(analysis, findings, measuring)


def _document(ls: ShapewiseServer, params: Any) -> Document:
    uri = given(params, "uri")
    document = ls.document_of(uri) if isinstance(uri, str) else None
    if document is None:
        raise _NoRun("This is no Python file that shapewise follows.")
    return document


async def _bundle(ls: ShapewiseServer, source: Source) -> Bundle:
    return await asyncio.to_thread(bundle, source, ls.project)


def _words(ls: ShapewiseServer, params: Any) -> list[str]:
    on = given(params, "on")
    return command(on, "python3") if on else command(None, ls.tracer.python)


def _plan(files: Bundle, words: list[str]) -> dict[str, Any]:
    return {"command": Link(words).shown, "files": [os.path.abspath(sent.file) for sent in files.files]}


def _plain(agreed: Any) -> dict[str, Any]:
    return {"command": given(agreed, "command"), "files": list(given(agreed, "files") or ())}


def _sentence(error: Exception) -> str:
    words = str(error).rstrip(".")
    return f"{words[:1].upper()}{words[1:]}."


def _summary(validation: Validation) -> str:
    facts, findings = validation.fact_counts, validation.finding_counts
    parts = [f"{facts[CONFIRMED]} facts confirmed", f"{facts[REFUTED]} refuted"]
    parts.append(f"{facts[NOT_REACHED]} not reached")
    if validation.findings:
        parts.append(f"findings: {findings[CONFIRMED]} confirmed, {findings[REFUTED]} refuted")
    how = ""
    if validation.error is not None:
        how = f" The file ended with {validation.error['type']}."
    elif validation.done["stopped"]:
        how = f" The run was stopped: {validation.done['stopped']}."
    return f"On {_where(validation)}: {', '.join(parts)}.{how}"


def _where(validation: Validation) -> str:
    there = validation.there
    card = f", {there['gpus'][0]}" if there["gpus"] else ""
    return f"{there['host']} (torch {there['torch']}{card})"


# ---------------------------------------------------------------- marks


def _verdicts(files: Bundle, validation: Validation, generation: int) -> Verdicts:
    where, facts = _where(validation), {}
    for one in validation.facts:
        if one.file == files.main.path and one.verdict != NOT_REACHED:
            span = one.fact.span
            mark = (
                f"✓ confirmed on {where}" if one.verdict == CONFIRMED else f"✗ refuted on {where}: {one.why}"
            )
            facts[span.line, span.column, one.fact.kind, one.fact.name] = mark
    return Verdicts(
        generation,
        where,
        facts,
        {one.finding: one for one in validation.findings if one.file == files.main.path},
    )


def mark(document: Document, part: Part | None, fact: Fact) -> str:
    """What a run said of a fact of one of a document's texts, as a line of its card; empty if nothing."""
    verdicts = document.verdicts
    if verdicts is None or part is None or verdicts.generation != document.generation:
        return ""
    line = fact.span.line + part.above
    said = verdicts.facts.get((line, fact.span.column, fact.kind, fact.name), "")
    return f"\n\n{said}" if said else ""


def judged(document: Document, finding: Finding, shown: types.Diagnostic) -> types.Diagnostic:
    """A finding as a run has confirmed or refuted it: more or less severe, and with a word on it."""
    verdicts = document.verdicts
    if verdicts is None or verdicts.generation != document.generation:
        return shown
    one = verdicts.findings.get(finding)
    if one is not None and one.verdict == CONFIRMED:
        shown.severity = types.DiagnosticSeverity.Error
        shown.message += f"\nConfirmed on {verdicts.where}."
    elif one is not None and one.verdict == REFUTED:
        shown.severity = types.DiagnosticSeverity.Information
        shown.message += f"\nRefuted on {verdicts.where}: {one.seen}."
    return shown


def register(server: ShapewiseServer) -> None:
    """Announce these to the client."""
    server.feature(PLAN)(plan)
    server.feature(RUN)(run)
