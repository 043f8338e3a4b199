"""`textDocument/hover`: a card for the tensor under the pointer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lsprotocol import types

from ..vocabulary.facts import Fact
from .documents import HINTED
from .labels import card
from .positions import from_position

if TYPE_CHECKING:
    from .server import ShapewiseServer


async def hover(ls: ShapewiseServer, params: types.HoverParams) -> types.Hover | None:
    """What is known of the innermost place around the pointer."""
    text = ls.text(params.text_document.uri)
    if text is None:
        return None
    fact = fact_at(text.facts, *from_position(text.map, text.position_codec, params.position))
    if fact is None:
        return None
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, card(fact)), text.to_range(fact.span))


def fact_at(facts: Iterable[Fact], line: int, column: int) -> Fact | None:
    """The fact of the innermost place that touches the position; names come before expressions."""
    touching = [fact for fact in facts if fact.span.contains(line, column)]
    return min(touching, key=lambda fact: (fact.kind not in HINTED, *_extent(fact)), default=None)


def _extent(fact: Fact) -> tuple[int, int, int]:
    span = fact.span
    # Of two that meet at the pointer, the one that begins there.
    return span.end_line - span.line, span.end_column - span.column, -span.column


def register(server: ShapewiseServer) -> None:
    """Announce this to the client."""
    server.feature(types.TEXT_DOCUMENT_HOVER)(hover)
