"""One validation: the file is traced here and run there, and the one is held against the other."""

from __future__ import annotations

import ast
import asyncio
import datetime
import os
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..analysis import Analysis
from ..queries.runs import ran
from ..vocabulary.events import Log
from ..vocabulary.facts import Fact
from ..vocabulary.findings import Finding
from .bundle import Bundle, NotRunnable
from .facts import Judge, JudgedFact, There, says_something
from .findings import JudgedFinding, extent, judged
from .link import Link
from .memory import Memory, memories_of
from .notes import Note, notes_of
from .trials import trials_of


@dataclass(frozen=True, slots=True)
class Options:
    """What is asked of a run. `name`: a function or class; `uncalled`: run what nothing calls, too.

    `memory` in bytes, None for no limit; `cwd`: the folder there in which the file runs.
    """

    name: str | None = None
    uncalled: bool = False
    seconds: float = 600.0
    memory: int | None = None
    cwd: str | None = None


@dataclass(frozen=True, slots=True)
class Traced:
    """What is claimed of the file and of those that it imports. `findings` by their files' paths here."""

    analysis: Analysis
    findings: tuple[tuple[str, Finding], ...]
    measuring: Callable[[], Coroutine[Any, Any, Log | None]] | None = None
    """Makes a trace in which layers are measured, which nobody waits for before the run."""


@dataclass(frozen=True, slots=True)
class Validation:
    """What came of it. `error`: what ended the file early; `refused`: by function why it was not called."""

    bundle: Bundle
    traced: Traced
    command: str
    date: str
    there: Mapping[str, Any]
    options: Options
    facts: tuple[JudgedFact, ...]
    findings: tuple[JudgedFinding, ...]
    notes: tuple[Note, ...]
    memories: tuple[Memory, ...]
    done: Mapping[str, Any]
    refused: Mapping[str, str] = field(default_factory=dict)
    trials: int = 0
    seconds: float = 0.0

    @property
    def error(self) -> Mapping[str, Any] | None:
        """What ended the file early, if anything did."""
        error: Mapping[str, Any] | None = self.done["error"]
        return error

    @property
    def fact_counts(self) -> Counter[str]:
        """How many facts have which verdict."""
        return Counter(one.verdict for one in self.facts)

    @property
    def finding_counts(self) -> Counter[str]:
        """How many findings have which verdict."""
        return Counter(one.verdict for one in self.findings)


async def validate(bundle: Bundle, tracing: Awaitable[Traced], link: Link, options: Options) -> Validation:
    """Trace here while the far end starts, then run. Raises RemoteError, NotRunnable, TracerError."""
    began = time.monotonic()
    starting = asyncio.ensure_future(link.start())
    try:
        traced = await tracing
        claims = Claims(bundle, traced, options)
        hello = await starting
    finally:
        starting.cancel()
    measuring = asyncio.ensure_future(_measured(traced))
    try:
        done = await link.run(claims.request())
        measured = await measuring
    finally:
        measuring.cancel()
    _check(bundle, done)
    there = There(cards=hello.get("cuda") is not None)
    judge = Judge(claims.facts, done["places"], done["methods"], there)
    completed = done["error"] is None and not done["stopped"]
    return Validation(
        bundle,
        traced,
        link.shown,
        datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        hello,
        options,
        tuple(judge.all()),
        tuple(
            judged(file, finding, done["watched"], completed, there.cards)
            for file, finding in claims.findings
        ),
        notes_of(done["timings"]),
        memories_of(done["memory"], measured, claims.there),
        done,
        claims.refused,
        len(claims.trials),
        time.monotonic() - began,
    )


async def _measured(traced: Traced) -> Log | None:
    return await traced.measuring() if traced.measuring is not None else None


def _check(bundle: Bundle, done: Mapping[str, Any]) -> None:
    if done["digests"] != {sent.path: sent.digest for sent in bundle.files}:
        raise NotRunnable("what ran there is not the text that was sent")


class Claims:
    """What is to be held against the run, by the names that files have there."""

    def __init__(self, bundle: Bundle, traced: Traced, options: Options) -> None:
        """Raises NotRunnable."""
        self.bundle, self.options = bundle, options
        analysis = traced.analysis
        self.there = {os.path.abspath(sent.file): sent.path for sent in bundle.files}
        self.as_main = True
        self.trials: list[dict[str, Any]] = []
        self.refused: dict[str, str] = {}
        facts = [*self._facts(analysis)]
        findings = [
            (self.there[os.path.abspath(file)], finding)
            for file, finding in traced.findings
            if os.path.abspath(file) in self.there
        ]
        if options.name is not None:
            lines = lines_of(bundle, options.name)
            main = bundle.main.path
            facts = [(f, one) for f, one in facts if f == main and one.span.line in lines]
            findings = [(f, one) for f, one in findings if f == main and one.span.line in lines]
            called = any(_within(scope, options.name) for scope in ran(analysis.log, analysis.log.file))
            self.as_main = called
            if not called:
                self._try(analysis)
                if not self.trials:
                    why = next(iter(self.refused.values()), "no inputs were found that it takes")
                    raise NotRunnable(
                        f"nothing in {bundle.main.file} calls {options.name}, and it cannot be called alone: {why}"
                    )
        elif options.uncalled:
            self._try(analysis)
        self.facts: Sequence[tuple[str, Fact]] = facts
        self.findings: Sequence[tuple[str, Finding]] = findings

    def _try(self, analysis: Analysis) -> None:
        self.trials, self.refused = trials_of(analysis.log, self.options.name)

    def _facts(self, analysis: Analysis) -> Iterator[tuple[str, Fact]]:
        for fact in analysis.facts:
            yield self.bundle.main.path, fact
        for other in analysis.elsewhere:
            path = self.there.get(os.path.abspath(other.file))
            for fact in other.facts if path is not None else ():
                yield path, fact  # type: ignore[misc]

    def request(self) -> dict[str, Any]:
        """What the agent is asked to do."""
        watch: dict[str, dict[str, list[Any]]] = {
            sent.path: {"expressions": [], "failing": []} for sent in self.bundle.files
        }
        for file, fact in self.facts:
            if fact.kind == "expression" and says_something(fact.value):
                span = fact.span
                watch[file]["expressions"].append([span.line, span.column, span.end_line, span.end_column])
        for file, finding in self.findings:
            if finding.torch_error is not None:
                watch[file]["failing"].append([*extent(finding)])
        main = self.bundle.main
        return {
            "files": [
                {
                    "path": sent.path,
                    "module": sent.module if sent is not main or not self.as_main else "",
                    "text": sent.text,
                }
                for sent in self.bundle.files
            ],
            "main": main.path,
            "name": main.module,
            "package": self.bundle.package,
            "as_main": self.as_main,
            "watch": watch,
            "trials": self.trials,
            "cwd": self.options.cwd,
            "limits": {"seconds": self.options.seconds, "memory": self.options.memory},
        }


def lines_of(bundle: Bundle, name: str) -> range:
    """The lines of a definition of the main file. Raises NotRunnable where there is none of that name."""
    body: Sequence[ast.stmt] = ast.parse(bundle.main.text).body
    found: ast.stmt | None = None
    for part in name.split("."):
        found = next(
            (
                node
                for node in _flat(body)
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
                and node.name == part
            ),
            None,
        )
        if found is None:
            raise NotRunnable(f"{bundle.main.file} defines no {name}")
        body = found.body
    assert found is not None
    return range(found.lineno, (found.end_lineno or found.lineno) + 1)


def _flat(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        yield node
        if isinstance(node, (ast.If, ast.Try, ast.With)):
            yield from _flat(node.body)
            yield from _flat(getattr(node, "orelse", ()))


def _within(scope: str, name: str) -> bool:
    return scope == name or scope.startswith(f"{name}.")
