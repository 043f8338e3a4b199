"""`shapewise/why`: why there is no hint on a line, for the status of the editor."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from ..queries.silence import silence
from .given import given
from .kinds import hinted

if TYPE_CHECKING:
    from .server import ShapewiseServer

METHOD = "shapewise/why"


async def why(ls: ShapewiseServer, params: Any) -> dict[str, str | None]:
    """`{"why": a sentence, or null where there is a hint, or nothing to be said}`.

    `params`: `textDocument` and `line`, from 0.
    """
    uri, line = given(given(params, "textDocument"), "uri"), int(given(params, "line") or 0) + 1
    return {"why": await _why(ls, uri, line)}


async def _why(ls: ShapewiseServer, uri: Any, line: int) -> str | None:
    document = ls.document_of(uri) if isinstance(uri, str) else None
    if document is None or document.known is None or document.snapshot is None or not document.is_current:
        return None
    text, part = ls.text(uri), document.snapshot.part_of(uri)
    if text is None or part is None:
        return None
    analysis = document.known.analysis
    if not analysis.log.torch:
        return "This file uses no torch, and is not followed."
    kinds = {kind for fact, kind in hinted(text) if fact.span.line <= line <= fact.span.end_line}
    if kinds:
        if not ls.settings.enabled:
            return "Hints are off (shapewise.inlayHints.enabled)."
        off = sorted(kind for kind in kinds if not ls.settings.shows(kind))
        return f"These hints are off (shapewise.inlayHints.{off[0]})." if len(off) == len(kinds) else None
    there = line + part.above
    for broken in analysis.repaired.broken:
        if broken.span.line <= there <= broken.span.end_line:
            return f"This does not parse yet: {broken.message.rstrip('.')}."
    return await asyncio.to_thread(silence, analysis.log, analysis.repaired.text, there)


def register(server: ShapewiseServer) -> None:
    """Announce this to the client."""
    server.feature(METHOD)(why)
