"""What other files of the workspace show of a file's functions: programs that use it are traced too."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .analysis import Analysis, Tracer, analyse, called_from, functions, uncalled
from .host.errors import CannotStart, TracerError
from .queries.runs import ran
from .repair import repair
from .source import Source
from .vocabulary.events import Log
from .workspace.callers import Callers
from .workspace.project import Project

logger = logging.getLogger(__name__)

_MOST = 4
"""Programs that are traced for one file."""

_SECONDS = 8.0
_ENOUGH = 3.0
"""Seconds that their traces may take, the last of them left out; and after which no more are looked at if
every function was seen: another program may use it otherwise."""

_KEPT = 8
"""Logs that are kept: several files are often used by one program."""


@dataclass(frozen=True, slots=True)
class _Traced:
    """A program's log, or None if it could not be traced; `files`: what it was made of, by digest."""

    text: str
    files: tuple[tuple[str, str], ...]
    log: Log | None


class CallSites:
    """Finds and traces the programs that use a file. Reads files: not for the thread that serves the editor."""

    def __init__(self, project: Project, stop: Callable[[str], None] = lambda path: None) -> None:
        """`stop` ends the trace of a path."""
        self._project = project
        self._stop = stop
        self._tracing: str | None = None
        self.is_stopped = False
        """Whether the last refinement was broken off."""
        self._callers = Callers(project)
        self._traced: OrderedDict[str, _Traced] = OrderedDict()
        self._useful: dict[str, list[str]] = {}
        """The programs that last showed something of a file."""
        self._helped: set[tuple[str, str]] = set()
        self._useless: dict[tuple[str, str], str] = {}
        """By file and program: the text with which that program showed nothing of the file, and never had:
        one that did may fail for what stands half-typed in the file."""

    def stop(self) -> None:
        """Break off a refinement that is under way, from whatever thread."""
        self.is_stopped = True
        if self._tracing is not None:
            self._stop(self._tracing)

    async def analyse(self, source: Source, tracer: Tracer) -> Analysis:
        """All that is known of a file in one go. Raises TracerError.

        Inputs are made up only for functions that neither the file itself nor another calls, and so
        only once these have been traced, if there are any.
        """
        named = sorted(functions(repair(source.text)))
        programs = await asyncio.to_thread(self._programs, source.path, True) if named else []
        if not programs:
            return await analyse(source, tracer)
        alone = await analyse(source, tracer, named)
        if not uncalled(alone):
            return alone
        refined = await self._refined(alone, tracer, programs)
        if not uncalled(alone) - set(refined.called):
            return refined
        return await self.refined(await analyse(source, tracer, refined.called), tracer, search=False)

    async def refined(self, analysis: Analysis, tracer: Tracer, search: bool = True) -> Analysis:
        """The analysis with what is seen from elsewhere, if the file's own trace leaves functions out.

        Without `search` only the programs found the last time are asked. Raises CannotStart only: a
        program that cannot be traced shows nothing. One that was broken off says less than there is.
        """
        self.is_stopped = False
        programs = self._programs(analysis.source.path, search) if uncalled(analysis) else ()
        return await self._refined(analysis, tracer, programs)

    async def _refined(self, analysis: Analysis, tracer: Tracer, programs: Sequence[Source]) -> Analysis:
        path, wanted = analysis.source.path, uncalled(analysis)
        logs: list[Log] = []
        useful: list[str] = []
        left = _SECONDS
        for program in programs:
            log = await self._log(program, tracer)
            if self.is_stopped:
                return analysis
            seen = ran(log, path) if log is not None and log.cut is None else frozenset()
            if log is not None and seen:
                logs.append(log)
                useful.append(program.path)
                self._helped.add((path, program.path))
                wanted -= seen
            elif (path, program.path) not in self._helped:
                self._useless[path, program.path] = program.text
            left -= log.seconds if log is not None else _SECONDS / 2
            if left <= (0 if wanted else _SECONDS - _ENOUGH):
                break
        self._useful[path] = useful
        return called_from(analysis, logs)

    def _programs(self, path: str, search: bool) -> list[Source]:
        if not search:
            found = (self._callers.program(one) for one in self._useful.get(path, ()))
            return [program for program in found if program is not None]
        candidates = self._callers.of(path, 2 * _MOST)
        return [one for one in candidates if self._useless.get((path, one.path)) != one.text][:_MOST]

    async def _log(self, program: Source, tracer: Tracer) -> Log | None:
        kept = self._traced.pop(program.path, None)
        if kept is None or kept.text != program.text or kept.files != self._digests(kept.files):
            log = await self._trace(program, tracer)
            if self.is_stopped:
                return None
            files = self._digests([(file, "") for file in log.files]) if log is not None else ()
            kept = _Traced(program.text, files, log)
        self._traced[program.path] = kept
        while len(self._traced) > _KEPT:
            self._traced.popitem(last=False)
        return kept.log

    async def _trace(self, program: Source, tracer: Tracer) -> Log | None:
        self._tracing = program.path
        repaired = repair(program.text)
        try:  # its own functions are of no interest that it does not call
            return await tracer.trace(program.path, repaired, sorted(functions(repaired)))
        except CannotStart:
            raise
        except TracerError as error:
            logger.info("a program that uses another file: %s", error)
            return None
        finally:
            self._tracing = None

    def _digests(self, files: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
        """The files as they are now."""
        found = []
        for file, _ in files:
            text = self._project.texts.read(file)
            found.append((file, text if isinstance(text, str) else text.digest))
        return tuple(found)
