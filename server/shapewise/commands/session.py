"""One warm tracer for all files of a command, and what went wrong on the way."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType

import click

from ..analysis import Analysis, Tracer, analyse
from ..call_sites import CallSites
from ..config import Config
from ..fixes.verify import verified
from ..host.errors import TracerError
from ..host.process import TracerProcess
from ..host.to_the_end import ToTheEnd
from ..report.checked import Checked, printable
from ..rule_choice import RuleChoice
from ..rules import all_rules
from ..rules.telling.pages import pages
from ..source import Source
from ..vocabulary.events import Log
from ..workspace.project import Project
from .interpreter import interpreter_for

_FOR_FIXES = 30.0
"""Seconds that may be spent on trying what is offered for one file: a long script takes as much for one."""


def _load() -> None:
    all_rules()
    pages()


class Session:
    """Starts a tracer for each interpreter that the files ask for, and ends them all."""

    def __init__(
        self,
        interpreter: str | None = None,
        roots: Sequence[str] = (),
        said: set[str] | None = None,
        to_the_end: bool = False,
    ) -> None:
        """`said`: the complaints that were made already, where several sessions share them.

        `to_the_end`: all is wanted that can be known of functions that nobody calls, however long it takes.
        """
        self._interpreter = interpreter
        self._kind = ToTheEnd if to_the_end else TracerProcess
        self._project = Project([os.getcwd()], roots)
        self._call_sites = CallSites(self._project)
        self._tracers: dict[str, Tracer] = {}
        self._stack = AsyncExitStack()
        self._said: set[str] = set() if said is None else said
        self.failed = False

    async def __aenter__(self) -> Session:
        asyncio.get_running_loop().run_in_executor(None, _load)  # while torch is loaded
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    def interpreter(self, source: Source, config: Config) -> str:
        """The Python whose torch decides. Raises `config.ConfigError`."""
        return interpreter_for(Path(source.path), self._interpreter, config)

    def tracer(self, source: Source, config: Config) -> Tracer:
        """The tracer for a file. Raises `config.ConfigError`."""
        interpreter = self.interpreter(source, config)
        if interpreter not in self._tracers:
            process = self._kind(interpreter, project=self._project, niceness=None)
            self._stack.push_async_callback(process.close)
            self._tracers[interpreter] = process
            starting = asyncio.ensure_future(process.start())  # while it is searched who uses the file
            starting.add_done_callback(lambda done: done.cancelled() or done.exception())
        return self._tracers[interpreter]

    async def analyse(self, source: Source, config: Config) -> Analysis:
        """Trace one file. Raises `host.errors.TracerError` and `config.ConfigError`."""
        return await analyse(source, self.tracer(source, config))

    async def analyse_called(self, source: Source, config: Config) -> Analysis:
        """The same, with what other files of the workspace show of this one's functions. Raises the same."""
        return await self._call_sites.analyse(source, self.tracer(source, config))

    async def measured(self, analysis: Analysis, config: Config) -> Log | None:
        """A trace in which layers are measured, if there can be one. Raises `config.ConfigError`."""
        tracer = self.tracer(analysis.source, config)
        try:
            return await tracer.trace(analysis.source.path, analysis.repaired, measure=True)
        except TracerError:
            return None

    async def report(
        self, analysis: Analysis, config: Config, rules: RuleChoice, fixes: bool = True
    ) -> Checked:
        """What is said of a file: the findings that are wanted, with those fixes that hold, or with all where nobody asks.

        Raises `host.errors.TracerError` and `config.ConfigError`.
        """
        if fixes:
            analysis = await verified(analysis, self.tracer(analysis.source, config), _FOR_FIXES)
        return Checked(
            source=analysis.source,
            findings=rules.wanted(analysis),
            facts=tuple(analysis.facts),
            torch=analysis.log.torch,
            seconds=analysis.log.seconds,
            elsewhere=tuple(
                replace(other, findings=rules.wanted_of(other.findings, self._text(other.file)))
                for other in analysis.elsewhere
            ),
        )

    def _text(self, file: str) -> str:
        text = self._project.texts.read(file)
        return "" if isinstance(text, str) else text.repaired.text

    def complain(self, error: Exception, fails: bool = True) -> None:
        """Say it once on stderr; `fails`: the command ends with exit code 2."""
        sentence = str(error)
        if sentence not in self._said:
            self._said.add(sentence)
            click.echo(f"shapewise: {printable(sentence.rstrip('.'))}.", err=True)
        self.failed |= fails
