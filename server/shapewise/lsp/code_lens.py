"""`textDocument/codeLens`: over a function that is called from several places, which of the calls is shown."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from ..edits.text import text_map
from ..program.births import births
from ..queries.calls import Call
from ..queries.values import value_fact
from ..repair import repair
from .documents import Document
from .labels import label

if TYPE_CHECKING:
    from .server import ShapewiseServer

COMMAND = "shapewise.showCall"

_MOST = 4
"""Calls that are offered; the others can only be seen together."""

_PATIENCE = 1.0


async def code_lens(ls: ShapewiseServer, params: types.CodeLensParams) -> list[types.CodeLens] | None:
    """For each function with several calls: all of them, or one."""
    document = ls.document_of(params.text_document.uri)
    if document is None or not ls.settings.calls:
        return None
    await document.shown(_PATIENCE)
    if not document.calls:
        return None
    snapshot = document.now()
    text = (await asyncio.to_thread(repair, snapshot.source.text)).text
    lenses = []
    for scope, calls in document.calls.items():
        function = births(text).function(scope) if len(calls) > 1 else None
        place = snapshot.place(text_map(text).span(function)) if function is not None else None
        if place is None or place[0].uri != params.text_document.uri:
            continue
        start = types.Range(place[1].start, place[1].start)
        shown = document.chosen.get(scope)
        shown = shown if shown is not None and shown < len(calls) else None
        options = [
            (None, f"all {len(calls)} calls"),
            *enumerate(map(_said, calls[:_MOST], [document] * _MOST)),
        ]
        for number, words in options:
            title = f"● {words}" if number == shown else words
            arguments = [params.text_document.uri, scope, number]
            lenses.append(types.CodeLens(start, command=types.Command(title, COMMAND, arguments=arguments)))
    return lenses


async def show_call(ls: ShapewiseServer, uri: str, scope: str, number: int | None) -> None:
    """Show a function as one of its calls has it; with None as all have it."""
    document = ls.document_of(uri)
    if document is not None and document.choose(scope, number):
        ls.refresh_hints()
        ls.refresh_lenses()


def _said(call: Call, document: Document) -> str:
    snapshot = document.snapshot
    part = snapshot.part(call.line) if snapshot is not None else None
    if snapshot is None or part is None or call.file != document.path:
        where = f"{Path(call.file).name}:{call.line}"
    else:
        cell = f"cell {snapshot.parts.index(part) + 1}, " if len(snapshot.parts) > 1 else ""
        where = f"{cell}line {part.inside(call.site).line}"
    fact = value_fact(call.given[1]) if call.given is not None else None
    shape = label(fact) if fact is not None else None
    return f"{where}: {call.given[0]} {shape}" if call.given is not None and shape else where


def register(server: ShapewiseServer) -> None:
    """Announce these to the client. pygls reads the types of a command's arguments, so they are named here."""
    server.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=False))(code_lens)

    @server.command(COMMAND)
    async def command(uri: str, scope: str, number: int | None) -> None:
        await show_call(server, uri, scope, number)
