"""`textDocument/inlayHint`: behind each name what it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from .configuration import Settings
from .documents import HINTED
from .labels import card, label
from .positions import from_range, to_position
from .texts import Text

if TYPE_CHECKING:
    from .server import ShapewiseServer

_PATIENCE = 1.0
"""Seconds to wait for the hints of a new text before those of the last one are shown again."""


async def inlay_hints(ls: ShapewiseServer, params: types.InlayHintParams) -> list[types.InlayHint]:
    """The hints of the text as it is now, or else the last good ones, moved along with the edits."""
    document = ls.document_of(params.text_document.uri)
    if document is None:
        return []
    document.hints_awaited += 1
    try:
        await document.settled(_PATIENCE)
    finally:
        document.hints_awaited -= 1
    text = ls.text(params.text_document.uri)
    return [] if text is None else hints(text, params.range, ls.settings)


def hints(text: Text, range_: types.Range, settings: Settings) -> list[types.InlayHint]:
    """The hints within a range."""
    if not settings.hints:
        return []
    kinds = [kind for kind in HINTED if kind != "parameter" or settings.parameters]
    window = from_range(text.map, text.position_codec, range_)
    shown = []
    said = set()
    for fact in text.facts:
        if fact.kind not in kinds or not window.line <= fact.span.end_line <= window.end_line:
            continue
        words = label(fact.value)
        place = fact.span.end_line, fact.span.end_column
        if words is None or (place, words) in said:
            continue
        said.add((place, words))
        shown.append(
            types.InlayHint(
                position=to_position(text.map, text.position_codec, *place),
                label=words,
                kind=types.InlayHintKind.Type,
                padding_left=True,
                tooltip=types.MarkupContent(types.MarkupKind.Markdown, card(fact)),
            )
        )
    return shown


def register(server: ShapewiseServer) -> None:
    """Announce this to the client."""
    server.feature(types.TEXT_DOCUMENT_INLAY_HINT, types.InlayHintOptions(resolve_provider=False))(
        inlay_hints
    )
