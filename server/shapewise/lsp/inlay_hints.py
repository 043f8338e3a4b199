"""`textDocument/inlayHint`: behind each name what it holds. `inlayHint/resolve`: all that is told of one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from ..vocabulary.facts import Fact, TensorFact, ValueFact
from ..vocabulary.span import Span
from .annotate import edits_for
from .birthplaces import birthplaces
from .configuration import Settings
from .documents import Document
from .kinds import hinted
from .labels import card, hinted_value, label, parts
from .positions import from_range, to_position
from .texts import Text
from .validation import mark

if TYPE_CHECKING:
    from .server import ShapewiseServer

GO_TO = "shapewise.goTo"
"""The command that goes to a place: its text, line and character, from 0."""

_PATIENCE = 1.0
"""Seconds to wait for the hints of a new text before those of the last one are shown again."""


async def inlay_hints(ls: ShapewiseServer, params: types.InlayHintParams) -> list[types.InlayHint]:
    """The hints of the text as it is now, or else the last good ones, moved along with the edits."""
    document = ls.document_of(params.text_document.uri)
    if document is None:
        return []
    document.hints_awaited += 1
    try:
        await document.has_hints(_PATIENCE)
    finally:
        document.hints_awaited -= 1
    text = ls.text(params.text_document.uri)
    if text is None:
        return []
    shown = hints(text, params.range, ls.settings)
    if not ls.resolves_hints:
        for hint, fact in shown:
            complete(ls, hint, fact, document, text)
    return [hint for hint, _ in shown]


def hints(text: Text, range_: types.Range, settings: Settings) -> list[tuple[types.InlayHint, Fact]]:
    """The hints within a range, without what is only told when it is asked for."""
    if not settings.enabled:
        return []
    window = from_range(text.map, text.position_codec, range_)
    shown = []
    said = set()
    for fact, kind in hinted(text, window.line, window.end_line):
        if not settings.shows(kind):
            continue
        words, pieces = _written(hinted_value(fact), settings.non_contiguous)
        place = fact.span.end_line, fact.span.end_column
        if words is None or (place, words) in said:
            continue
        said.add((place, words))
        shown.append(
            (
                types.InlayHint(
                    position=to_position(text.map, text.position_codec, *place),
                    label=pieces or words,
                    kind=types.InlayHintKind.Type,
                    padding_left=True,
                    data={
                        "uri": text.uri,
                        "revision": text.revision,
                        "span": list(fact.span),
                        "kind": fact.kind,
                        "name": fact.name,
                    },
                ),
                fact,
            )
        )
    return shown


async def resolve(ls: ShapewiseServer, hint: types.InlayHint) -> types.InlayHint:
    """The hint with its tooltip, its links and its edits; as it is if the text has changed since."""
    asked = _asked(hint.data)
    text, document = (ls.text(asked["uri"]), ls.document_of(asked["uri"])) if asked else (None, None)
    if text is None or document is None or asked["revision"] != text.revision:
        return hint
    span = Span(*asked["span"])
    fact = next(
        (
            one
            for one in text.facts_on(span.line, span.end_line)
            if (one.span, one.kind, one.name) == (span, asked["kind"], asked["name"])
        ),
        None,
    )
    if fact is not None:
        complete(ls, hint, fact, document, text)
        hint.text_edits = edits_for(document, text, fact, ls.settings.insert) or None
    return hint


def complete(ls: ShapewiseServer, hint: types.InlayHint, fact: Fact, document: Document, text: Text) -> None:
    """Add the card, and to each dim where it was born.

    VS Code takes a location for a place whose definition is wanted: a command goes to the place itself.
    """
    snapshot = document.snapshot
    part = snapshot.part_of(text.uri) if snapshot is not None and document.is_current else None
    hint.tooltip = types.MarkupContent(types.MarkupKind.Markdown, card(fact) + mark(document, part, fact))
    if snapshot is None or part is None:
        return
    if isinstance(hint.label, (list, tuple)) and isinstance(fact.value, TensorFact):
        born = birthplaces(document, snapshot, part, fact)
        hint.label = [
            types.InlayHintLabelPart(piece.value) for piece in hint.label
        ]  # other hints have the same
        for piece, (_, dim) in zip(hint.label, parts(hinted_value(fact), ls.settings.non_contiguous)):
            place = born.get(dim) if dim is not None else None
            if place is not None and ls.shows_documents:
                start = place.range.start
                title = f"Go to line {start.line + 1}"
                piece.command = types.Command(
                    title, GO_TO, arguments=[place.uri, start.line, start.character]
                )
            else:
                piece.location = place


@lru_cache(maxsize=8192)
def _written(value: ValueFact, marked: bool) -> tuple[str | None, Sequence[types.InlayHintLabelPart] | None]:
    """The label, and in parts if one of them may lead to where its dim was born."""
    words = label(value, marked)
    if not isinstance(value, TensorFact) or not value.shape:
        return words, None
    return words, [types.InlayHintLabelPart(text) for text, _ in parts(value, marked)]


def _asked(data: Any) -> dict[str, Any]:
    """The data of a hint of ours, whatever the wire has made of it; empty if it is none."""
    given = data if isinstance(data, dict) else getattr(data, "_asdict", dict)()
    return given if {"uri", "revision", "span", "kind", "name"} <= given.keys() else {}


def register(server: ShapewiseServer) -> None:
    """Announce these to the client. pygls reads the types of a command's arguments, so they are named here."""
    server.feature(types.TEXT_DOCUMENT_INLAY_HINT, types.InlayHintOptions(resolve_provider=True))(inlay_hints)
    server.feature(types.INLAY_HINT_RESOLVE)(resolve)

    @server.command(GO_TO)
    async def go_to(uri: str, line: int, character: int) -> None:
        start = types.Position(line, character)
        server.window_show_document(
            types.ShowDocumentParams(uri, take_focus=True, selection=types.Range(start, start)),
        )
