"""What one part takes by itself, in seconds: the loop that answers the editor, and the repair of a text."""

from __future__ import annotations

import asyncio
import random
import sys
import time
from asyncio import events
from collections.abc import Iterator

from inputs import model_file
from lsprotocol import types
from pygls.workspace import PositionCodec

from shapewise.host.process import TracerProcess
from shapewise.lsp import tidying
from shapewise.lsp.documents import Document
from shapewise.lsp.session import Session
from shapewise.lsp.texts import Text
from shapewise.repair import repair
from shapewise.repair.statements import judge

PATIENCE = 120.0


class _Nobody:
    """A listener of a session that shows nothing."""

    def shown(self, document: Document, hints_changed: bool) -> None: ...

    def judged(self, document: Document) -> None: ...

    def began(self, document: Document) -> None: ...

    def ended(self, document: Document, problem: str | None) -> None: ...


def holds_of_the_loop(edits: int) -> list[float]:
    """How long each callback holds the loop while a file of 500 lines is typed, in time of its processor."""
    return asyncio.run(_held(edits))


async def _held(edits: int) -> list[float]:
    tidying.prepare()  # as the server does
    spent: list[float] = []
    run = events.Handle._run

    def timed(self: events.Handle) -> None:
        began = time.thread_time()
        run(self)
        spent.append(time.thread_time() - began)

    text = Text(
        "file:///project/long.py",
        model_file(500),
        position_codec=PositionCodec(types.PositionEncodingKind.Utf16),
    )
    document = Document(text.uri, "/project/long.py", lambda: (text,))
    async with TracerProcess(sys.executable) as tracer:
        session = Session(tracer, _Nobody())
        session.open(document)
        await document.settled(PATIENCE)
        rng = random.Random(8)
        events.Handle._run = timed  # type: ignore[method-assign]
        try:
            for _ in range(edits):
                at = types.Position(rng.randrange(500), 0)
                change = types.TextDocumentContentChangePartial(
                    types.Range(at, at), rng.choice(["#", " ", "x", "(", "\n"])
                )
                text.apply_change(change)
                session.touch(document)
                await asyncio.sleep(0.01)
            await document.settled(PATIENCE)
        finally:
            events.Handle._run = run  # type: ignore[method-assign]
        session.end()
    return spent


def repaired(edits: int) -> Iterator[float]:
    """A file of 500 lines with an open bracket in its middle."""
    rows = model_file(500).split("\n")
    at = next(number for number in range(250, 500) if rows[number].endswith(")"))
    rows[at] = rows[at][:-1]
    text = "\n".join(rows)
    for _ in range(edits):
        judge.cache_clear()
        began = time.perf_counter()
        repair(text)
        yield time.perf_counter() - began
