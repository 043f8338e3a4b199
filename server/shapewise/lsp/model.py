"""`shapewise/model`: the layers within a call of a model, and the memory along it, for a view of its own.

A trace of its own measures them, when the view is open and the document has changed; the answer is
kept until it changes again.
"""

from __future__ import annotations

import ast
import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from ..host.errors import TracerError
from ..parsing import parse
from ..repair import repair
from ..source import Source
from ..vocabulary.events import Log
from ..workspace.callers import Callers
from .documents import Document, Snapshot
from .given import given
from .model_view import Places, View, sketched, view
from .positions import from_position

if TYPE_CHECKING:
    from .server import ShapewiseServer

METHOD = "shapewise/model"

_PATIENCE = 6.0
"""Seconds to wait for what other files show of one that was just opened or edited."""

_PROGRAMS = 3
"""Files that use a class which are tried, if its own does not call it."""


class _Measures:
    """Logs in which layers were measured, of one document until it changes."""

    def __init__(self) -> None:
        self._of: tuple[str, int] = ("", -1)
        self._logs: dict[str, Log] = {}

    async def logs(self, ls: ShapewiseServer, document: Document, snapshot: Snapshot) -> AsyncIterator[Log]:
        """Of the document, then of the programs that use it, each made when it is asked for. Raises TracerError."""
        if self._of != (document.uri, snapshot.generation):
            self._of, self._logs = (document.uri, snapshot.generation), {}
        logs = self._logs
        if document.path not in logs:
            logs[document.path] = await self._log(ls, snapshot.source)
        yield logs[document.path]
        await ls.session.done(document, _PATIENCE)
        for path in (document.known.analysis.callers if document.known else ())[:_PROGRAMS]:
            if path not in logs:
                source = await asyncio.to_thread(Callers(ls.project).program, path)
                if source is None:
                    continue
                logs[path] = await self._log(ls, source)
            yield logs[path]

    async def _log(self, ls: ShapewiseServer, source: Source) -> Log:
        repaired = await asyncio.to_thread(repair, source.text)
        return await ls.tracer.trace(source.path, repaired, measure=True)


async def model(ls: ShapewiseServer, params: Any, measures: _Measures) -> View:
    """What is to be seen at a position: `{"why": one sentence}` if there is nothing.

    `params`: `textDocument`, `position`; `choice`, the key of one of the calls that an earlier answer
    offered; `type`, the class that it was about, for when the position has moved since.
    """
    uri = given(given(params, "textDocument"), "uri")
    document = ls.document_of(uri) if isinstance(uri, str) else None
    if document is None:
        return {"why": "This is no Python file that shapewise follows."}
    snapshot = document.now()
    line, column = _position(ls, snapshot, uri, given(params, "position"))
    name: str | None = given(params, "type") or class_at(snapshot.source.text, line)
    place = (document.path, line, column) if line else None
    calls, failed = False, False
    try:
        async for log in measures.logs(ls, document, snapshot):
            found = view(log, Places(snapshot, document.path), place, name, given(params, "choice"))
            if found is not None:
                return found
            calls = calls or bool(log.measured and log.measured.calls)
            failed = failed or log.measured is None
    except TracerError as error:
        return {"why": str(error)}
    if name is not None and document.known is not None and document.is_current:
        found = sketched(document.known.analysis.log, Places(snapshot, document.path), name)
        if found is not None:
            return found
    if failed:
        return {"why": "What the layers of this file do could not be measured."}
    return {"why": _why(name, calls)}


def _position(ls: ShapewiseServer, snapshot: Snapshot, uri: str, position: Any) -> tuple[int, int]:
    """Line and column within the document; line 0 if there is none."""
    part, text = snapshot.part_of(uri), ls.text(uri)
    if part is None or text is None or position is None:
        return 0, 0
    place = types.Position(int(given(position, "line")), int(given(position, "character")))
    line, column = from_position(text.map, text.position_codec, place)
    return line + part.above, column


def class_at(text: str, line: int) -> str | None:
    """The name of the innermost class around a line."""
    try:
        tree = parse(repair(text).text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    around = [node for node in _classes(tree) if node.lineno <= line <= (node.end_lineno or node.lineno)]
    return max(around, key=lambda node: node.lineno).name if around else None


def _classes(tree: ast.AST) -> Iterator[ast.ClassDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))


def _why(name: str | None, calls: bool) -> str:
    if name is not None:
        return (
            f"No run of {name} was found, so its sizes are not known. "
            f"Call it once in this file or in a test, {name}(...)(torch.randn(...)) for instance."
        )
    if calls:
        return "Put the cursor into a class or onto a call of a model."
    return "No layer is called in this file."


def register(server: ShapewiseServer) -> None:
    """Announce this to the client."""
    measures = _Measures()

    async def request(ls: ShapewiseServer, params: Any) -> View:
        return await model(ls, params, measures)

    server.feature(METHOD)(request)
