"""`textDocument/hover`: what is known of the tensor, the op, the layer or the dim under the pointer."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from lsprotocol import types

from ..edits.text import text_map
from ..program.births import births
from ..program.operands import operands
from ..queries.hovers import dims, docs, name
from ..queries.hovers.card import card as op_card
from ..queries.hovers.run import Run
from ..queries.hovers.words import shape as written_shape
from ..queries.places import Places
from ..vocabulary.facts import Fact, TensorFact
from ..vocabulary.span import Span
from .documents import HINTED, Document, Snapshot
from .labels import ASSUMED, card, remark
from .positions import from_position
from .texts import Text
from .validation import mark

if TYPE_CHECKING:
    from .server import ShapewiseServer

_PATIENCE = 0.2
"""Seconds to wait for the analysis of a text that was just edited."""

_DOCS_PATIENCE = 0.1
"""Seconds to wait for torch's own words; they come with the next hover if the tracer is busy."""

_WORD = re.compile(r"\w+")


async def hover(ls: ShapewiseServer, params: types.HoverParams) -> types.Hover | None:
    """What is known of the innermost place around the pointer."""
    text, document = ls.text(params.text_document.uri), ls.document_of(params.text_document.uri)
    if text is None or document is None:
        return None
    if not document.is_current:
        await document.shown(_PATIENCE)
    line, column = from_position(text.map, text.position_codec, params.position)
    said = await _said(ls, document, text, line, column)
    if said is None:
        return None
    words, span = said
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, words), text.to_range(span))


async def _said(
    ls: ShapewiseServer, document: Document, text: Text, line: int, column: int
) -> tuple[str, Span] | None:
    fact = fact_at(text.facts_on(line, line), line, column)
    snapshot = document.snapshot
    part = snapshot.part_of(text.uri) if snapshot is not None and document.is_current else None
    if part is None or snapshot is None or document.places is None:
        return (card(fact), fact.span) if fact is not None else None
    if fact is None or (fact.kind not in HINTED and not _WORD.fullmatch(text.map.slice(fact.span))):
        dim = _dim(document, snapshot, line + part.above, column)
        if dim is not None:
            words, span = dim
            return words, part.inside(span)
    op = document.places.innermost(line + part.above, column)
    if op is not None and (fact is None or (fact.kind not in HINTED and fact.span.covers(part.inside(op)))):
        return await _op(ls, document, snapshot, op, fact), part.inside(op)
    if fact is None:
        return None
    more = name.told(document.places, part.outside(fact.span), fact.name, lambda span: _link(snapshot, span))
    return card(fact, more) + mark(document, part, fact), fact.span


async def _op(
    ls: ShapewiseServer, document: Document, snapshot: Snapshot, span: Span, fact: Fact | None
) -> str:
    """The card of an op, and what torch says of it."""
    assert document.places is not None
    text = text_map(snapshot.source.text).slice(span)
    runs = document.places.runs(span, ())
    written = operands(text, runs[-1].op.name)
    runs = document.places.runs(span, written)
    blocks = op_card(runs)
    blocks += [await _documented(ls, runs[-1])]
    blocks += [remark(fact)] if fact is not None else []
    if all(run.made_up for run in runs):
        blocks.append(ASSUMED)
    return "\n\n".join(filter(None, blocks))


async def _documented(ls: ShapewiseServer, run: Run) -> str:
    said = await ls.documentation.of(run.op.name, _DOCS_PATIENCE)
    if said is None:
        return ""
    signature, docstring = said
    paragraph = docs.paragraph(docstring)
    words = [f"`{docs.signature(signature)}`" if signature else "", paragraph]
    return "---\n" + "\n\n".join(filter(None, words)) if paragraph else ""


def _dim(document: Document, snapshot: Snapshot, line: int, column: int) -> tuple[str, Span] | None:
    """The name of a dim under the pointer: where it is bound, and which sizes it had."""
    written = text_map(snapshot.source.text).line(line)
    word = next((m for m in _WORD.finditer(written) if m.start() <= column <= m.end()), None)
    if word is None or not word[0].isidentifier() or document.known is None or document.places is None:
        return None
    words = None
    if not written[: word.start()].rstrip().endswith("."):
        words = _bound(document, snapshot, document.places, word[0], line)
    words = words or _named(document, snapshot, word[0], line)
    return (words, Span(line, word.start(), line, word.end())) if words is not None else None


def _bound(document: Document, snapshot: Snapshot, places: Places, word: str, line: int) -> str | None:
    """Of a name that takes the size of a tensor's dim."""
    assert document.known is not None
    repaired = document.known.analysis.repaired.text
    bound, text = births(repaired), text_map(repaired)
    born = bound.of(word, bound.scope(line))
    if born is None or born.tensor is None or born.dim is None:
        return None
    source, here = text.span(born.tensor), text.span(born.node)
    words = dims.told(word, text.slice(source), born.dim, places.bound(source), places.made_up)
    return f"{words} · {_link(snapshot, here)}" if words is not None and here.line != line else words


def _named(document: Document, snapshot: Snapshot, word: str, line: int) -> str | None:
    """Of a name that stands in the shapes of its function or class: the first tensor that has such a dim."""
    assert document.known is not None
    scope = births(document.known.analysis.repaired.text).scope(line)
    around = scope.rpartition(".")[0] or scope
    for fact in document.known.analysis.facts:
        shape = fact.value.shape if isinstance(fact.value, TensorFact) else None
        same = fact.scope == scope or fact.scope.startswith(f"{around}.")
        if fact.kind in HINTED and fact.name != word and same and shape is not None and word in shape:
            return f"**{word}** is dim {shape.index(word)} of `{fact.name} {written_shape(shape)}` · {_link(snapshot, fact.span)}"
    return None


def _link(snapshot: Snapshot, span: Span) -> str:
    """A link to a place: `[line 12](file:///model.py#L12,9)`."""
    part = snapshot.part(span.line)
    if part is None:
        return ""
    inside = part.inside(span)
    where = f"line {inside.line}" if len(snapshot.parts) == 1 else f"line {inside.line} of its cell"
    return f"[{where}]({part.text.uri}#L{inside.line},{inside.column + 1})"


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
