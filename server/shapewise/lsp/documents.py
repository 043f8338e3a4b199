"""What is analysed as one: a file, or a notebook with its cells one below the other."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsprotocol import types

from ..analysis import Analysis, still_holds
from ..notebooks import CodeCell, joined
from ..queries.calls import Call, calls, seen_through
from ..queries.facts import facts_of as facts_in
from ..queries.places import Places
from ..same_code import is_same
from ..source import Source
from ..vocabulary.events import SHORT, Log
from ..vocabulary.facts import Fact
from ..vocabulary.findings import Finding, Fix
from ..vocabulary.placed import moved
from ..vocabulary.span import Span
from .patience import Patience
from .shifting import shifted_lines
from .texts import Text

if TYPE_CHECKING:
    from .validation import Verdicts

_NEWLINE = re.compile(r"\r\n?")
_SURROGATE = re.compile("[\ud800-\udfff]")
_ENDLESS = 1 << 60

HINTED = ("binding", "parameter")
"""The kinds of facts that belong to a name rather than to an expression."""


@dataclass(frozen=True, slots=True)
class Part:
    """A text's place within its document: it fills `lines` lines from `first_line` (from 1)."""

    text: Text
    revision: int
    first_line: int
    lines: int

    @property
    def above(self) -> int:
        """How many lines of the document stand above this text."""
        return self.first_line - 1

    def holds(self, line: int) -> bool:
        """Whether a line of the document is one of this text's."""
        return 0 <= line - self.first_line < self.lines

    def inside(self, span: Span) -> Span:
        """A span of the document, in lines of this text."""
        return span.down(-self.above) if self.above else span

    def outside(self, span: Span) -> Span:
        """A span of this text, in lines of the document."""
        return span.down(self.above) if self.above else span


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A document at one moment."""

    generation: int
    source: Source
    parts: tuple[Part, ...]

    def part(self, line: int) -> Part | None:
        """The text in which a line of the document stands."""
        return next((part for part in self.parts if part.holds(line)), None)

    def shared_out(self, facts: Sequence[Fact]) -> list[Sequence[Fact]]:
        """The facts of each text, in its own lines."""
        if len(self.parts) == 1 and self.parts[0].first_line == 1:  # thousands, at every keystroke
            return [facts]
        found: dict[str, list[Fact]] = {part.text.uri: [] for part in self.parts}
        for fact in facts:
            part = self.part(fact.span.line)
            if part is not None:
                found[part.text.uri].append(moved(fact, part.inside(fact.span)))
        return [tuple(found[part.text.uri]) for part in self.parts]

    def part_of(self, uri: str) -> Part | None:
        """The place of a text."""
        return next((part for part in self.parts if part.text.uri == uri), None)

    def place(self, span: Span) -> tuple[Text, types.Range] | None:
        """Where the client sees a span. Only good while the document is as it was."""
        part = self.part(span.line)
        if part is None or not part.holds(span.end_line):
            return None
        return part.text, part.text.to_range(part.inside(span))


@dataclass(frozen=True, slots=True)
class Known:
    """What there is to say of a document: `findings` are those that its project wants to hear of.

    They come a moment later than the facts, and are empty until then.
    `complaint`: one sentence on what kept us from saying all, a broken pyproject.toml for instance.
    """

    analysis: Analysis
    findings: tuple[Finding, ...] = ()
    complaint: str | None = None


class Document:
    """An open file or notebook: its texts, and the latest that is known of it."""

    def __init__(
        self, uri: str, path: str, texts: Callable[[], Sequence[Text]], is_notebook: bool = False
    ) -> None:
        self.uri = uri
        self.path = path
        self._texts = texts
        self._is_notebook = is_notebook
        self.generation = 0
        self.changed_at = 0.0
        self.pause = 0.0
        """Seconds without an edit before it is analysed; a file just opened need not wait."""
        self.analysed = -1
        """The generation that was last analysed, with or without success."""
        self.lacks_tracer = False
        """Whether the last analysis failed because there was no tracer to be had."""
        self.seconds_of_rules = 0.0
        """What the rules took the last time."""
        self.known: Known | None = None
        self.snapshot: Snapshot | None = None
        """The moment that `known` is about."""
        self._confirmed: tuple[Text, ...] = ()
        """The texts, in their order, when all of them was last known anew."""
        self._places: Places | None = None
        self._calls: dict[str, tuple[Call, ...]] | None = None
        self.chosen: dict[str, int] = {}
        """Of the functions of which only one call is shown, the number of that call."""
        self.fix_holds: dict[tuple[Finding, Fix], Fix | None] = {}
        """Which of its fixes have been tried, and whether they hold."""
        self.needs_trace = False
        """Whether something else than its text has changed that its trace depends on."""
        self.traced_at = 0.0
        """The time before which what it imports was read."""
        self.is_unfinished = False
        """Whether another trace of the same text would say more."""
        self.patience = Patience()
        self.took = 0.0
        """Seconds of the last trace that an edit asked for."""
        self.holds = False
        """Whether the facts are known to be those of the text as it is now, though it was edited since."""
        self.elsewhere_asked = True
        """Whether other files of the workspace have been asked what they show of this one."""
        self.seconds_elsewhere = 0.0
        """What their traces last took."""
        self.hints_awaited = 0
        """How many requests for hints wait for the next analysis."""
        self.verdicts: Verdicts | None = None
        """What a real run said of it; stale as soon as it changes."""
        self._has_hints = asyncio.Event()
        self._is_seen = asyncio.Event()
        self._settled = asyncio.Event()
        self.change()

    @property
    def texts(self) -> Sequence[Text]:
        """The texts of the document, in its order."""
        return self._texts()

    @property
    def is_current(self) -> bool:
        """Whether the analysis is about the document as it is now."""
        return self.snapshot is not None and self.snapshot.generation == self.generation

    @property
    def places(self) -> Places | None:
        """What ran where, as far as `known` says."""
        if self._places is None and self.known is not None and self.known.analysis.runs is not None:
            analysis = self.known.analysis
            self._places = Places(self._shown(analysis), len(analysis.log.frames))
        return self._places

    @property
    def calls(self) -> dict[str, tuple[Call, ...]]:
        """The places that call its functions, by scope."""
        if self._calls is None and self.known is not None and self.known.analysis.runs is not None:
            self._calls = calls(self.known.analysis.runs)
        return self._calls or {}

    def choose(self, scope: str, number: int | None) -> bool:
        """Show a function as one of its calls has it, or as all have it. Whether that is another than before."""
        before = self.chosen.get(scope)
        if number is None:
            self.chosen.pop(scope, None)
        else:
            self.chosen[scope] = number
        if before == number or self.known is None:
            return False
        self.refine(self.known)
        return True

    def _shown(self, analysis: Analysis) -> Log:
        """The runs of which hints and hovers tell."""
        runs = analysis.runs or analysis.log
        return seen_through(runs, self.chosen) if self.chosen else runs

    def change(self) -> None:
        """The document is no longer what it was."""
        self.generation += 1
        self.patience.renew()
        self.changed_at = time.monotonic()
        for event in (self._has_hints, self._is_seen, self._settled):
            event.clear()
        self.holds = self._still_holds()
        if self.holds:
            self._see()

    def _still_holds(self) -> bool:
        """Whether the facts are those of the document as it is now: nothing but comments and spaces was edited since."""
        return (
            self.known is not None
            and not self.needs_trace
            and all(text.is_whole for text in self.texts)
            and still_holds(self.known.analysis, self.now().source)
        )

    def is_as_in(self, snapshot: Snapshot) -> bool:
        """Whether what is true of that moment is true now: nothing but comments and spaces was edited since."""
        if snapshot.generation == self.generation:
            return True
        return not self.needs_trace and is_same(snapshot.source.text, self.now().source.text)

    async def has_hints(self, seconds: float) -> bool:
        """Wait until there are facts of the document as it is now, be they the first of many. Whether that came in time."""
        return await _within(seconds, self._has_hints)

    async def shown(self, seconds: float) -> bool:
        """Wait until the facts of the document as it is now are known. Whether that came in time."""
        return await _within(seconds, self._is_seen)

    async def settled(self, seconds: float) -> bool:
        """Wait until all is known of the document as it is now, the findings too. Whether that came in time."""
        return await _within(seconds, self._settled)

    def now(self) -> Snapshot:
        """The document as it is."""
        texts = self.texts
        if self._is_notebook:
            source = joined(self.path, (CodeCell(i, text.source, 0, 0) for i, text in enumerate(texts)))
            places = [(cell.first_line, cell.lines) for cell in source.cells]
        else:
            source = Source(self.path, _plain(texts[0].source) if texts else "")
            places = [(1, _ENDLESS)]
        parts = (Part(text, text.revision, *place) for text, place in zip(texts, places))
        return Snapshot(self.generation, source, tuple(parts))

    def failed(self, snapshot: Snapshot) -> None:
        """There is no analysis of that moment: of what was known, only what comes before the edits stays.

        While the document has changed again, all of it stays: the next analysis is under way.
        """
        is_untouched = True
        for part in snapshot.parts:
            if snapshot.generation == self.generation:
                part.text.drop_touched(everything=not is_untouched)
            is_untouched = is_untouched and not part.text.touched
            part.text.forget(part.revision)
        self._is_analysed(snapshot)
        self._settle(snapshot)

    def give_up(self) -> None:
        """Nobody need wait any more for what is to be said of the document as it is."""
        self.analysed = self.generation
        self._see()
        self._settled.set()

    def learn(self, known: Known, snapshot: Snapshot) -> bool:
        """Take over the facts of an analysis. Whether any is another than those held before."""
        analysis = known.analysis
        before = [(text, text.facts) for text in self.texts]
        shown = facts_in(self._shown(analysis)) if self.chosen else analysis.facts
        keep_before = self._keep_before(analysis, snapshot)
        unfinished = analysis.log.unfinished if self.is_unfinished else ()
        is_short = self.is_unfinished and SHORT in analysis.log.notes
        if not any(keep_before):
            self._confirmed = tuple(part.text for part in snapshot.parts)
        for part, own, line in zip(snapshot.parts, snapshot.shared_out(shown), keep_before):
            part.text.renew(own, part.revision, line, unfinished, is_short)
        self.known, self.snapshot, self.fix_holds = known, snapshot, {}
        self._places = None
        self._calls = None
        self._is_analysed(snapshot)
        return any(text.facts != facts for text, facts in before)

    def glimpse(self, facts: Sequence[Fact], snapshot: Snapshot) -> bool:
        """Show what is known so far of a moment of which nothing else is. Whether there is anything new, and it is true now."""
        if not self.is_as_in(snapshot):
            return False
        before = [text.facts for text in self.texts]
        for part, own in zip(snapshot.parts, snapshot.shared_out(facts)):
            part.text.take(own, part.revision)
        self._has_hints.set()
        return before != [text.facts for text in self.texts]

    def show_held(self) -> None:
        """What was glimpsed is true of the document as it is: nobody need wait for the rest."""
        self._has_hints.set()

    def judge(self, known: Known) -> None:
        """Take over the findings of the analysis that was taken over last."""
        assert self.snapshot is not None
        self.known = known
        self._settle(self.snapshot)

    def refine(self, known: Known) -> bool:
        """Take over what other files show of the moment that `known` is about. Whether any hint is another."""
        assert self.snapshot is not None
        holds = self.fix_holds
        changed = self.learn(known, self.snapshot)
        self.fix_holds = holds
        return changed

    def _is_analysed(self, snapshot: Snapshot) -> None:
        self.analysed = snapshot.generation
        if snapshot.generation != self.generation:
            self.holds = self._still_holds()
        if self.holds or snapshot.generation == self.generation:
            self._see()

    def _see(self) -> None:
        self._has_hints.set()
        self._is_seen.set()

    def _settle(self, snapshot: Snapshot) -> None:
        if snapshot.generation == self.generation:
            self._settled.set()

    def _keep_before(self, analysis: Analysis, snapshot: Snapshot) -> list[int]:
        """For each text the line before which older facts still hold; 0 where none do.

        Older facts hold as long as nothing but the broken statements themselves was edited since, and no cell has moved.
        What comes behind the first of them may depend on it.
        """
        broken: dict[str, list[tuple[int, int]]] = {}
        for one in analysis.repaired.broken:
            part = snapshot.part(one.span.line)
            if part is None:
                continue
            span = part.inside(one.span)
            lines = span.line, span.end_line
            for edit in part.text.since(part.revision):
                lines = shifted_lines(lines, edit)
            broken.setdefault(part.text.uri, []).append(lines)
        if not broken or self._confirmed != tuple(part.text for part in snapshot.parts):
            return [0] * len(snapshot.parts)
        for part in snapshot.parts:
            stretches = broken.get(part.text.uri, ())
            for first, last in part.text.touched:
                if not any(start <= first and last <= end for start, end in stretches):
                    return [0] * len(snapshot.parts)
        keep, is_before = [], True
        for part in snapshot.parts:
            stretches = broken.get(part.text.uri, ())
            keep.append(min((first for first, _ in stretches), default=_ENDLESS) if is_before else 0)
            is_before = is_before and not stretches
        return keep


async def _within(seconds: float, event: asyncio.Event) -> bool:
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except asyncio.TimeoutError:
        return False
    return True


def _plain(text: str) -> str:
    """Line ends as LF, and no half of a character pair, which nothing can encode."""
    if "\r" in text:
        text = _NEWLINE.sub("\n", text)
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)
