"""Where each dim of a shape was born: the line that gave it its size or its name."""

from __future__ import annotations

import re

from lsprotocol import types

from ..edits.text import text_map
from ..program.births import births
from ..queries.origins import origin
from ..vocabulary.events import Tensor
from ..vocabulary.facts import Fact, TensorFact
from ..vocabulary.span import Span
from .documents import Document, Part, Snapshot

_NAME = re.compile(r"[^\W\d]\w*")


def birthplaces(document: Document, snapshot: Snapshot, part: Part, fact: Fact) -> dict[int, types.Location]:
    """By dim (from 0), the place to go to, where there is one other than the fact's own.

    Of a name it is where the text binds it, of a number the layer, the constructor or the op that made it.
    """
    known = document.known
    if known is None or not isinstance(fact.value, TensorFact) or fact.value.shape is None:
        return {}
    text = text_map(known.analysis.repaired.text)
    bound = births(known.analysis.repaired.text)
    here = part.outside(fact.span)
    found = {}
    for at, size in enumerate(fact.value.shape):
        span = None
        if isinstance(size, str):
            name = _NAME.search(size)
            born = bound.of(name[0], fact.scope) if name is not None else None
            span = text.span(born.node) if born is not None else None
        elif size is not None:
            span = _made(document, here, at)
        place = snapshot.place(span) if span is not None and span != here else None
        if place is not None:
            found[at] = types.Location(place[0].uri, place[1])
    return found


def _made(document: Document, here: Span, dim: int) -> Span | None:
    """The op that gave a dim its size, in the last run that came by."""
    places = document.places
    bound = places.bound(here) if places is not None else []
    if places is None or not bound or not places.is_own(bound[-1].frame):
        return None
    value = bound[-1].value
    source = origin(places.lineage, value, dim) if isinstance(value, Tensor) else None
    if source is None:
        return None
    return source.built.span if source.built is not None else source.op.span
