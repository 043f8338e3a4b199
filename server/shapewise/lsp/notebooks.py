"""Notebooks that are opened, edited and closed: one document each, made of their Python cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from lsprotocol import types
from pygls.uris import to_fs_path

from .documents import Document
from .texts import Text

if TYPE_CHECKING:
    from .server import ShapewiseServer


def cells(ls: ShapewiseServer, uri: str) -> Callable[[], Sequence[Text]]:
    """The Python cells of a notebook, in the order of now, whenever they are asked for."""

    def texts() -> Sequence[Text]:
        notebook = ls.workspace.get_notebook_document(notebook_uri=uri)
        if notebook is None:
            return ()
        found = (
            cast(Text, ls.workspace.get_text_document(cell.document))
            for cell in notebook.cells
            if cell.kind == types.NotebookCellKind.Code
        )
        return tuple(text for text in found if text.language_id == "python")

    return texts


async def did_open(ls: ShapewiseServer, params: types.DidOpenNotebookDocumentParams) -> None:
    """`notebookDocument/didOpen`."""
    uri = params.notebook_document.uri
    ls.session.open(Document(uri, to_fs_path(uri) or uri, cells(ls, uri), is_notebook=True))


async def did_change(ls: ShapewiseServer, params: types.DidChangeNotebookDocumentParams) -> None:
    """`notebookDocument/didChange`: cells that move, come and go, and edits within them."""
    document = ls.session.documents.get(params.notebook_document.uri)
    changes = params.change.cells
    if document is not None and changes is not None and (changes.structure or changes.text_content):
        ls.session.touch(document)


async def did_close(ls: ShapewiseServer, params: types.DidCloseNotebookDocumentParams) -> None:
    """`notebookDocument/didClose`."""
    document = ls.session.documents.get(params.notebook_document.uri)
    if document is not None:
        ls.forget(document)


def register(server: ShapewiseServer) -> None:
    """Announce these to the client."""
    server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)(did_open)
    server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)(did_change)
    server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)(did_close)
