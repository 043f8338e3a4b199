"""Documents that are opened, edited and closed. The texts themselves are kept by `texts`."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from lsprotocol import types

from .documents import Document
from .texts import Text

if TYPE_CHECKING:
    from .server import ShapewiseServer


async def did_open(ls: ShapewiseServer, params: types.DidOpenTextDocumentParams) -> None:
    """`textDocument/didOpen`."""
    uri = params.text_document.uri
    # A cell belongs to its notebook, whoever opens it once more as a text.
    if params.text_document.language_id != "python" or uri.startswith("vscode-notebook-cell:"):
        return
    text = cast(Text, ls.workspace.get_text_document(uri))
    ls.session.open(Document(uri, text.path or uri, lambda: (text,)))


async def did_change(ls: ShapewiseServer, params: types.DidChangeTextDocumentParams) -> None:
    """`textDocument/didChange`."""
    document = ls.session.documents.get(params.text_document.uri)
    if document is not None:
        ls.session.touch(document)


async def did_close(ls: ShapewiseServer, params: types.DidCloseTextDocumentParams) -> None:
    """`textDocument/didClose`."""
    document = ls.session.documents.get(params.text_document.uri)
    if document is not None:
        ls.forget(document)


def register(server: ShapewiseServer) -> None:
    """Announce these to the client."""
    server.feature(types.TEXT_DOCUMENT_DID_OPEN)(did_open)
    server.feature(types.TEXT_DOCUMENT_DID_CHANGE)(did_change)
    server.feature(types.TEXT_DOCUMENT_DID_CLOSE)(did_close)
