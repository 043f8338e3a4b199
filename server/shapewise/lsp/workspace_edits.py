"""Edits of a document as the client makes them: by text, and in its positions."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from ..vocabulary.findings import Edit
from .documents import Snapshot
from .texts import Text


def workspace_edit(snapshot: Snapshot, edits: Sequence[Edit], versioned: bool) -> types.WorkspaceEdit | None:
    """Edits as one to be made: with the versions they are for, if the client knows what those are.

    None where there are none, or one reaches over two texts.
    """
    by_text = edits_by_text(snapshot, edits)
    if not by_text:
        return None
    if not versioned:
        return types.WorkspaceEdit(changes={text.uri: edits for text, edits in by_text.items()})
    return types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(
                types.OptionalVersionedTextDocumentIdentifier(uri=text.uri, version=text.version), list(edits)
            )
            for text, edits in by_text.items()
        ]
    )


def edits_by_text(snapshot: Snapshot, edits: Sequence[Edit]) -> dict[Text, list[types.TextEdit]] | None:
    """The edits as the client makes them, by text; None if one reaches over two texts."""
    by_text: dict[Text, list[types.TextEdit]] = {}
    for edit in edits:
        place = snapshot.place(edit.span)
        if place is None:
            return None
        text, range_ = place
        by_text.setdefault(text, []).append(types.TextEdit(range_, edit.text))
    return by_text
