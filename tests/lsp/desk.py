"""A session with one file open in it, in process, with a tracer made up."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import replace

from lsprotocol import types
from pygls.workspace import PositionCodec

from shapewise.analysis import Analysis, Tracer
from shapewise.call_sites import CallSites
from shapewise.host.process import Early
from shapewise.lsp.documents import Document
from shapewise.lsp.session import Session
from shapewise.lsp.texts import Text
from shapewise.repair import Repaired
from shapewise.vocabulary.events import Bound, Frame, Log, Modes, Tensor
from shapewise.vocabulary.facts import Fact, TensorFact
from shapewise.vocabulary.span import Span
from shapewise.workspace.project import Project

CODEC = PositionCodec(types.PositionEncodingKind.Utf16)
HEAD = "import torch\n"


class Numbers:
    """A tracer for which `x = 3` is a tensor of shape [3]."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.before: Callable[[str], object] = lambda text: None
        self.knows: Callable[[str], bool] = lambda text: True
        self.seconds = self.seconds_on_a_card = 0.0
        self.on_cards: list[str] = []
        self.stopped: list[str] = []
        self.ended = asyncio.Event()
        self.begun: Callable[[str], Early | None] = lambda path: None

    def stop(self, path: str) -> None:
        self.stopped.append(path)
        self.ended.set()

    async def trace(
        self, path: str, repaired: Repaired, called: Sequence[str] = (), card: bool = False
    ) -> Log:
        (self.on_cards if card else self.texts).append(repaired.text)
        self.ended.clear()
        if early := self.begun(path):
            await early(self._log(path, repaired.text.split("\n")[:2]))
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self.ended.wait(), self.seconds_on_a_card if card else self.seconds)
        self.before(repaired.text)
        return self._log(path, repaired.text.split("\n") if self.knows(repaired.text) else [])

    def _log(self, path: str, lines: Sequence[str]) -> Log:
        events = []
        for number, line in enumerate(lines, start=1):
            name, _, value = line.partition(" = ")
            if value.strip().isdigit():
                size = int(value)
                tensor = Tensor(number, (size,), "float32", "cpu", (1,), True, False, True, number, 0, 4)
                span = Span(number, 0, number, len(name))
                events.append(Bound(0, span, "binding", name, tensor, Modes()))
        frames = (Frame(0, path, "<module>"),)
        asks = any("cuda" in line for line in lines)
        return Log(path, "3.11", "2.13", self.seconds, frames, tuple(events), asks_for_card=asks)


class Listener:
    def __init__(self) -> None:
        self.problems: list[str | None] = []
        self.changes: list[bool] = []

    def shown(self, document: Document, hints_changed: bool) -> None:
        self.changes.append(hints_changed)

    def judged(self, document: Document) -> None:
        pass

    def began(self, document: Document) -> None:
        pass

    def ended(self, document: Document, problem: str | None) -> None:
        self.problems.append(problem)


class Elsewhere(CallSites):
    """Another file that shows `y` on line 2, once it has been traced for a while."""

    def __init__(self) -> None:
        super().__init__(Project())
        self.began = 0
        self.seconds = 0.0

    async def refined(self, analysis: Analysis, tracer: Tracer, search: bool = True) -> Analysis:
        self.began += 1
        self.is_stopped = False
        for _ in range(round(self.seconds * 100)):
            if not self.is_stopped:
                await asyncio.sleep(0.01)
        fact = Fact("binding", "f", "y", Span(2, 0, 2, 1), TensorFact((1,)))
        return replace(analysis, facts=(*analysis.facts, fact), called=("f",), seconds_elsewhere=self.seconds)


class Desk:
    """A session, and one file open in it."""

    def __init__(self, text: str, elsewhere: Elsewhere | None = None) -> None:
        self.tracer = Numbers()
        self.listener = Listener()
        self.session = Session(self.tracer, self.listener, call_sites=elsewhere, stop=self.tracer.stop)
        self.text = Text("file:///project/a.py", HEAD + text, position_codec=CODEC)
        self.document = Document(self.text.uri, "/project/a.py", lambda: (self.text,))
        self.session.open(self.document)

    def type(self, line: int, column: int, text: str, over: int = 0) -> None:
        """Write on a line (from 0, HEAD is 0), over some characters."""
        self.text.apply_change(
            types.TextDocumentContentChangePartial(
                types.Range(types.Position(line, column), types.Position(line, column + over)), text
            )
        )
        self.session.touch(self.document)

    def hints(self) -> dict[str, object]:
        return {
            f"{fact.span.line}:{fact.name}": fact.value.shape[0]
            for fact in self.text.facts
            if fact.kind == "binding"
        }

    async def settled(self) -> None:
        assert await self.document.settled(5)


async def until(condition: Callable[[], object]) -> None:
    """Wait for it, five seconds at most."""
    for _ in range(500):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never came to that")
