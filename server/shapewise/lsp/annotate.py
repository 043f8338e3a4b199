"""`shapewise.annotateFunction` and `shapewise.annotateFile`: shapes written into the text, as an edit to be made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from ..fixes.annotate import annotating
from ..program.births import births
from ..vocabulary.facts import Fact
from ..vocabulary.findings import Edit
from ..vocabulary.placed import moved
from .documents import Document
from .kinds import hinted
from .positions import from_position
from .texts import Text
from .workspace_edits import edits_by_text, workspace_edit

if TYPE_CHECKING:
    from .server import ShapewiseServer

FUNCTION, FILE = "shapewise.annotateFunction", "shapewise.annotateFile"

_PATIENCE = 5.0


async def annotate_function(
    ls: ShapewiseServer, uri: str, position: types.Position
) -> types.WorkspaceEdit | None:
    """The edit that writes down the shapes of the function around a position; None if there is nothing to write."""
    text = ls.text(uri)
    if text is None:
        return None
    line, _ = from_position(text.map, text.position_codec, position)
    return await _annotate(ls, uri, line)


async def annotate_file(ls: ShapewiseServer, uri: str) -> types.WorkspaceEdit | None:
    """The edit that writes down the shapes of a whole file, or of a cell and the others of its notebook."""
    return await _annotate(ls, uri, None)


async def _annotate(ls: ShapewiseServer, uri: str, line: int | None) -> types.WorkspaceEdit | None:
    document = ls.document_of(uri)
    if document is None or not await document.settled(_PATIENCE) or not document.is_current:
        return None
    snapshot, known = document.snapshot, document.known
    if snapshot is None or known is None:
        return None
    facts = [
        moved(fact, part.outside(fact.span))
        for part in snapshot.parts
        for fact, _ in hinted(part.text)
        if fact.kind != "expression"
    ]
    if line is not None:
        part = snapshot.part_of(uri)
        bound = births(known.analysis.repaired.text)
        scope = bound.scope(line + (part.above if part is not None else 0))
        facts = [fact for fact in facts if fact.scope == scope or fact.scope.startswith(f"{scope}.")]
    edits = _edits(known.analysis.repaired.text, facts, ls.settings.insert)
    return workspace_edit(snapshot, edits, ls.versions_edits)


def edits_for(document: Document, text: Text, fact: Fact, style: str) -> list[types.TextEdit]:
    """The edits that write down one fact; empty unless all of them stand in its own text as it is now."""
    snapshot, known = document.snapshot, document.known
    part = snapshot.part_of(text.uri) if snapshot is not None and document.is_current else None
    if snapshot is None or known is None or part is None:
        return []
    edits = _edits(known.analysis.repaired.text, [moved(fact, part.outside(fact.span))], style)
    by_text = edits_by_text(snapshot, edits)
    return by_text.get(text, []) if by_text is not None and len(by_text) == 1 else []


def _edits(text: str, facts: list[Fact], style: str) -> tuple[Edit, ...]:
    try:
        return annotating(text, facts, style)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()


def register(server: ShapewiseServer) -> None:
    """Announce these to the client. pygls reads the types of the arguments, so they are named here."""

    @server.command(FUNCTION)
    async def function(uri: str, position: types.Position) -> types.WorkspaceEdit | None:
        return await annotate_function(server, uri, position)

    @server.command(FILE)
    async def file(uri: str) -> types.WorkspaceEdit | None:
        return await annotate_file(server, uri)
