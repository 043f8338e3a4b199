"""From edits to analyses: a short pause, the latest text only, one trace after the other."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from ..analysis import Analysis, Tracer, on_a_card
from ..call_sites import CallSites
from ..host.errors import CannotStart, TooSlow, TracerDied, TracerError
from ..host.process import Early
from ..queries.facts import facts_so_far
from ..queries.files import happened_in
from ..source import Source
from ..vocabulary.events import Log
from . import pauses
from .aside import aside
from .asking import facts, findings, written_since
from .dependents import ask_again, change_dependents
from .documents import Document, Known
from .listener import Listener
from .patience import TYPING
from .refining import Refining
from .tidying import Tidying
from .timing import Timing
from .under_way import UnderWay

log = logging.getLogger(__name__)

_CLOCKS = 2.0
"""Seconds that the clock of a file system may be behind."""

TORCH = "torch"
"""What a file or what it imports must mention to be traced: torch is not loaded for any other."""


def _mentions_torch(source: Source) -> bool:
    return TORCH in source.text


class Session:
    """The open documents, and the one loop that analyses them, the latest edited first."""

    def __init__(
        self,
        tracer: Tracer,
        listener: Listener,
        is_wanted: Callable[[Source], bool] = _mentions_torch,
        call_sites: CallSites | None = None,
        stop: Callable[[str], None] = lambda path: None,
    ) -> None:
        """`is_wanted` says of a file whether it is worth a trace; `call_sites` what other files show of it.

        `stop` ends the trace of a path.
        """
        self.documents: dict[str, Document] = {}
        self.timing = Timing()
        self.tracer = tracer
        self._listener = listener
        self._is_wanted = is_wanted
        self._refining = Refining(call_sites)
        self.rules: Mapping[str, str] = {}
        """How severe rules are by the editor's settings."""
        self._is_away = False
        self._stop = stop
        self._under_way: UnderWay | None = None
        self._learned_at = 0.0
        self._wake = asyncio.Event()
        self._edited = asyncio.Event()
        self._went_on = asyncio.Condition()
        self._loop: asyncio.Task[None] | None = None
        self._waits_since: dict[str, float] = {}
        self._tidying = Tidying(lambda: self._under_way is not None)

    def open(self, document: Document) -> None:
        """A document to be analysed, and again after every `touch`."""
        self.documents[document.uri] = document
        change_dependents(self.documents.values(), document)
        self._stop_stale(document)
        self._wake.set()
        if self._loop is None:
            self._loop = asyncio.create_task(self._run())

    def touch(self, document: Document) -> None:
        """A document has changed."""
        self._tidying.edited()
        self._waits_since.setdefault(document.uri, time.monotonic())
        change_dependents(self.documents.values(), document)
        document.change()
        self._refining.stop()
        self._stop_stale(document)
        self._edited.set()
        self._wake.set()

    def _stop_stale(self, document: Document) -> None:
        """A trace of a text that is no longer there ends, unless there will be something to see of it soon.

        So does one that nobody waits for, of whatever file, and one of another file that something is shown of.
        """
        way = self._under_way
        if way is None or way.goes_on_for(document) or way.document.known is None:
            return
        is_its_own = way.document is document
        is_wanted_less = way.is_told and not is_its_own
        if way.is_idle or is_wanted_less or (is_its_own and way.is_stale(time.monotonic(), self._learned_at)):
            self._end(way)

    def _end(self, way: UnderWay) -> None:
        way.is_stopped = True
        self._stop(way.document.path)

    async def done(self, document: Document, seconds: float) -> None:
        """Wait until all is known of a document as it is now, from other files too; no longer than so many seconds."""

        def is_done() -> bool:
            is_whole = document.is_current and not document.is_unfinished
            return is_whole and document.elsewhere_asked and not self._refining.is_under_way

        async with self._went_on:
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._went_on.wait_for(is_done), seconds)

    def look(self, is_away: bool) -> None:
        """Whether the editor has lost the focus: then little is done, and nothing that refines what is there."""
        self._is_away = is_away
        if is_away:
            self._refining.stop()
        self._wake.set()

    def judge(self, rules: Mapping[str, str]) -> None:
        """From now on rules are as severe as this says; what is open is looked at again."""
        self.rules = rules
        self.look_again(self.documents.values())

    def look_again(
        self,
        documents: Iterable[Document],
        needs_trace: Iterable[Document] = (),
        elsewhere: Iterable[Document] = (),
    ) -> None:
        """Something else than their texts has changed: what rules go by, what a trace comes through, who uses them."""
        for document in needs_trace:
            document.needs_trace = True
        for document in {*documents, *needs_trace}:
            document.change()
        for document in elsewhere:
            document.elsewhere_asked = False
        self._edited.set()
        self._wake.set()

    def close(self, document: Document) -> None:
        """A document is no longer open."""
        self.documents.pop(document.uri, None)
        self._waits_since.pop(document.uri, None)
        if self._under_way is not None and self._under_way.document is document:
            self._end(self._under_way)
        change_dependents(self.documents.values(), document)
        ask_again(self.documents.values(), document)
        self._wake.set()

    def early(self, path: str) -> Early | None:
        """Who wants to hear what a trace that is about to begin knows so far: a document that shows nothing yet, or something older."""
        way = self._under_way
        if way is None or way.document.path != path or way.is_idle:
            return None

        async def take(log: Log) -> None:
            facts = await asyncio.to_thread(lambda: facts_so_far(happened_in(log, log.file)))
            way.is_told = True
            way.is_held = way.document.is_as_in(way.snapshot)
            if way.document.glimpse(facts, way.snapshot):
                self._learned_at = time.monotonic()
                self._listener.shown(way.document, True)

        return take

    def end(self) -> None:
        """Nothing more will be analysed."""
        if self._loop is not None:
            self._loop.cancel()

    # ------------------------------------------------------------ the loop

    async def _run(self) -> None:
        while True:
            await self._wake.wait()
            await self._go_on()
            async with self._went_on:
                self._went_on.notify_all()

    async def _go_on(self) -> None:
        """Do what is most urgent now, or wait: something else may have become so meanwhile."""
        document = self._next()
        if document is None:
            await self._idle()
            return
        now = time.monotonic()
        since = self._waits_since.get(document.uri, document.changed_at)
        until = pauses.over_at(document, since, self._is_away)
        if now < until:
            await self._pause(until - now)
            return
        self._waits_since.pop(document.uri, None)
        await self._analyse(document)

    async def _pause(self, seconds: float) -> None:
        if not self._is_away:
            await asyncio.sleep(seconds)
            return
        self._wake.clear()  # the focus may return meanwhile
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._wake.wait(), seconds)
        self._wake.set()

    def _next(self) -> Document | None:
        """The document that waits for an analysis and was edited last."""
        waiting = [one for one in self.documents.values() if one.analysed != one.generation]
        return max(waiting, key=lambda one: one.changed_at, default=None)

    async def _idle(self) -> None:
        """Nothing waits: what had too little time is traced on; then other files are asked what they show of it."""
        self._wake.clear()
        unfinished = next(
            (one for one in self.documents.values() if one.is_unfinished and one.is_current), None
        )
        if unfinished is not None and not self._is_away:
            self._wake.set()
            await self._analyse(unfinished, is_idle=True)
            return
        waiting = [one for one in self.documents.values() if not one.elsewhere_asked and one.is_current]
        document = max(waiting, key=lambda one: one.changed_at, default=None)
        if document is None or document.known is None or self._refining.call_sites is None or self._is_away:
            return
        pause = pauses.before_elsewhere(document)
        edited_at = max(one.changed_at for one in self.documents.values())
        try:
            await asyncio.wait_for(self._wake.wait(), edited_at + pause - time.monotonic())
        except asyncio.TimeoutError:
            self._wake.set()
            await self._refine(document)

    async def _refine(self, document: Document) -> None:
        assert document.known is not None
        complaint = document.known.complaint
        self._listener.began(document)
        changed = await self._refining.changes(document, self.tracer, self._is_open)
        if changed is not None:
            self._listener.shown(document, changed)
        self._listener.ended(document, complaint)

    def _is_open(self, document: Document) -> bool:
        return self.documents.get(document.uri) is document

    async def _analyse(self, document: Document, is_idle: bool = False) -> None:
        document.is_unfinished = False
        is_edit = document.known is not None and not is_idle
        way = self._under_way = UnderWay(document, document.now(), time.monotonic(), is_idle, is_edit)
        try:
            await self._analyse_now(way)
        except Exception:
            log.exception("after the analysis of %s", document.uri)
            document.give_up()
        self._under_way = None

    async def _analyse_now(self, way: UnderWay) -> None:
        document, snapshot = way.document, way.snapshot
        is_first = not document.is_current
        known_before = 0 if is_first or document.known is None else len(document.known.analysis.log.events)
        changed_at, began = document.changed_at, time.time()
        self._listener.began(document)
        problem: str | None = None
        needs_trace = document.needs_trace
        try:
            analysis = await self._seen(way)
        except TracerError as error:
            problem = str(error)
            document.lacks_tracer = isinstance(error, CannotStart)
            document.pause = pauses.AFTER_TOO_SLOW if isinstance(error, TooSlow) else pauses.PAUSE
        except asyncio.CancelledError:
            raise
        except Exception as error:
            problem = f"shapewise failed on {Path(document.path).name} ({type(error).__name__}: {error})."
            log.exception("analysis of %s", document.uri)
        if not self._is_open(document):
            self._listener.ended(document, None)
            return
        if way.is_stopped:
            document.needs_trace |= needs_trace
            document.is_unfinished |= way.is_idle
            return  # the next one begins
        if problem is not None:
            document.failed(snapshot)
        else:
            document.is_unfinished = document.patience.goes_on(analysis.log, known_before)
            hints_changed = document.learn(Known(analysis), snapshot)
            way.has_facts, self._learned_at = True, time.monotonic()
            document.traced_at = began - _CLOCKS
            document.elsewhere_asked = not analysis.log.torch
            ask_again(self.documents.values(), document)
            document.lacks_tracer = False
            if analysis.log.torch:
                self._retry()
            seconds = time.monotonic() - changed_at
            if not way.is_idle:
                document.took = analysis.log.seconds
                document.pause = pauses.PAUSE if way.is_told else pauses.after(document.took)
            if is_first:
                self.timing.add(seconds, analysis.log.seconds)
            log.debug("%s: hints %.0f ms after the edit", document.path, seconds * 1000)
            self._listener.shown(document, hints_changed)
            if not (way.is_edit and document.is_unfinished):
                problem = await self._judge(analysis, document)
            # else what is said stays until more is known, which is looked for at once
        self._listener.ended(document, problem)

    def patience(self, path: str) -> float:
        """Seconds that a trace that is about to begin may take for functions that nobody calls."""
        way = self._under_way
        is_idle = way is not None and way.is_idle and way.document.path == path
        return way.document.patience.seconds if way is not None and is_idle else TYPING

    def typed(self, path: str) -> bool:
        """Whether the trace that is about to begin is of an edit: what is not done in it is gone on with while nobody edits."""
        way = self._under_way
        return way is not None and way.document.path == path and way.is_edit

    async def _judge(self, analysis: Analysis, document: Document) -> str | None:
        """Ask the rules, unless the document changes meanwhile. One sentence if they cannot say all."""
        generation = document.generation
        if document.analysed != generation:
            return None

        def is_stale() -> bool:
            return document.generation != generation

        self._edited.clear()
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._edited.wait(), pauses.before_rules(document))
        if is_stale():
            return None
        try:
            analysis = await on_a_card(analysis, self.tracer)
        except TracerError as error:
            log.info("%s", error)  # what it says without is as true
        if is_stale():
            return None
        began = time.monotonic()
        try:
            known = await asyncio.to_thread(findings, analysis, self.rules, is_stale)
        except Exception as error:
            log.exception("the rules on %s", document.uri)
            known = Known(analysis, (), f"shapewise failed on its rules ({type(error).__name__}: {error}).")
        if is_stale() or not self._is_open(document):
            return None
        document.seconds_of_rules = time.monotonic() - began
        document.judge(known)
        self._listener.judged(document)
        return known.complaint

    def _retry(self) -> None:
        """There is a tracer: what had to go without one gets its turn."""
        for document in self.documents.values():
            if document.lacks_tracer:
                document.lacks_tracer = False
                document.analysed = -1

    async def _seen(self, way: UnderWay) -> Analysis:
        """Raises TracerError. A tracer that died is tried again until the host sets the file aside."""
        document, snapshot = way.document, way.snapshot
        before = document.known.analysis if document.known else None
        still_holds = before is not None and not document.needs_trace and not written_since(document)
        still_holds = still_holds and not way.is_idle  # what is known is not all that can be
        document.needs_trace = False
        is_quick = (
            before is not None and before.called and document.seconds_elsewhere <= pauses.QUICK_ELSEWHERE
        )
        while True:
            try:
                return await aside(
                    lambda tracer: facts(
                        snapshot.source,
                        tracer,
                        self._is_wanted,
                        self._refining.call_sites if is_quick else None,
                        before.called if before and is_quick else (),
                        before if still_holds else None,
                    ),
                    self.tracer,
                    lambda: way.is_stopped,
                )
            except TracerDied as error:
                if document.generation != snapshot.generation:
                    raise
                log.info("%s", error)
