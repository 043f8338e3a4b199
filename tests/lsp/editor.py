"""An editor for the tests: what VS Code sends, and what it would show of the answers."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types
from lsprotocol.converters import get_converter
from pytest_lsp import LanguageClient

URI = "file:///project/model.py"
COMMAND = [sys.executable, "-m", "shapewise", "serve"]

MODEL = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(10, 5)

    def forward(self, x):
        h = self.fc(x)
        return h.relu()


batch = torch.randn(4, 10)
out = Net()(batch)
labels = out.argmax(1)
"""
"""A file that has hints of all kinds."""


def capabilities() -> types.ClientCapabilities:
    """What VS Code says of itself, as far as this server asks."""
    return types.ClientCapabilities(
        general=types.GeneralClientCapabilities(position_encodings=[types.PositionEncodingKind.Utf16]),
        workspace=types.WorkspaceClientCapabilities(
            inlay_hint=types.InlayHintWorkspaceClientCapabilities(refresh_support=True),
            workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True),
            did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True),
        ),
        text_document=types.TextDocumentClientCapabilities(
            publish_diagnostics=types.PublishDiagnosticsClientCapabilities(related_information=True),
            inlay_hint=types.InlayHintClientCapabilities(),
            hover=types.HoverClientCapabilities(),
        ),
        notebook_document=types.NotebookDocumentClientCapabilities(
            synchronization=types.NotebookDocumentSyncClientCapabilities()
        ),
    )


class Editor:
    """Texts, edits in UTF-16 as VS Code counts, and the server's answers."""

    def __init__(self, client: LanguageClient) -> None:
        self.client = client
        self.uri = URI
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.statuses: list[dict[str, Any]] = []
        self.messages: list[types.ShowMessageParams] = []
        self.refreshes = 0
        self.published: dict[str, types.PublishDiagnosticsParams] = {}
        self.registered: list[types.Registration] = []
        self.news = asyncio.Event()
        self.capabilities: types.ServerCapabilities | None = None

    @classmethod
    async def start(
        cls,
        options: dict[str, Any] | None = None,
        able: types.ClientCapabilities | None = None,
        command: Sequence[str] = COMMAND,
    ) -> Editor:
        client = LanguageClient(converter_factory=get_converter)
        editor = cls(client)
        for method, function in editor._features().items():
            client.feature(method)(function)
        await client.start_io(*command)
        result = await client.initialize_session(
            types.InitializeParams(capabilities=able or capabilities(), initialization_options=options)
        )
        editor.capabilities = result.capabilities
        return editor

    def _features(self) -> dict[str, Any]:
        def status(params: dict[str, Any]) -> None:
            self.statuses.append(params)
            self.news.set()

        def show(params: types.ShowMessageParams) -> None:
            self.messages.append(params)

        def register(params: types.RegistrationParams) -> None:
            self.registered.extend(params.registrations)

        def refresh(params: Any) -> None:
            self.refreshes += 1
            self.news.set()

        def publish(params: types.PublishDiagnosticsParams) -> None:
            self.published[params.uri] = params
            self.news.set()

        return {
            types.WINDOW_SHOW_MESSAGE: show,
            types.CLIENT_REGISTER_CAPABILITY: register,
            "shapewise/status": status,
            types.WORKSPACE_INLAY_HINT_REFRESH: refresh,
            types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: publish,
        }

    async def stop(self) -> None:
        await asyncio.wait_for(self.client.shutdown_session(), 10)
        await self.client.stop()

    # ------------------------------------------------------------ texts

    def open(self, text: str, uri: str | None = None) -> None:
        uri = uri or self.uri
        self.texts[uri], self.versions[uri] = text, 1
        self.client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "python", 1, text))
        )

    def close(self, uri: str | None = None) -> None:
        uri = uri or self.uri
        self.client.text_document_did_close(
            types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri))
        )

    def replace(self, old: str, new: str, uri: str | None = None) -> None:
        """Replace the only place where `old` stands."""
        uri = uri or self.uri
        text = self.texts[uri]
        assert text.count(old) == 1, (old, text)
        start = text.index(old)
        self.edit(start, start + len(old), new, uri)

    def edit(self, start: int, end: int, new: str, uri: str | None = None) -> None:
        uri = uri or self.uri
        text = self.texts[uri]
        change = types.TextDocumentContentChangePartial(
            range=types.Range(position(text, start), position(text, end)), text=new
        )
        self.texts[uri] = text[:start] + new + text[end:]
        self.versions[uri] += 1
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self.versions[uri], uri), [change]
            )
        )

    def written(self, path: Path, kind: types.FileChangeType = types.FileChangeType.Changed) -> None:
        """Somebody else has written, made or deleted a file."""
        event = types.FileEvent(path.as_uri(), kind)
        self.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))

    # ------------------------------------------------------------ notebooks

    def cell(self, notebook: str, number: int) -> str:
        return f"vscode-notebook-cell:{notebook.removeprefix('file:')}#W{number}sZmlsZQ=="

    def open_notebook(self, cells: list[str], uri: str) -> list[str]:
        uris = [self.cell(uri, number) for number in range(len(cells))]
        for cell, text in zip(uris, cells):
            self.texts[cell], self.versions[cell] = text, 1
        self.client.notebook_document_did_open(
            types.DidOpenNotebookDocumentParams(
                types.NotebookDocument(
                    uri,
                    "jupyter-notebook",
                    1,
                    [types.NotebookCell(types.NotebookCellKind.Code, cell) for cell in uris],
                ),
                [types.TextDocumentItem(cell, "python", 1, self.texts[cell]) for cell in uris],
            )
        )
        return uris

    def replace_in_cell(self, old: str, new: str, cell: str, notebook: str) -> None:
        text = self.texts[cell]
        assert text.count(old) == 1, (old, text)
        start = text.index(old)
        change = types.TextDocumentContentChangePartial(
            range=types.Range(position(text, start), position(text, start + len(old))), text=new
        )
        self.texts[cell] = text.replace(old, new)
        self.versions[cell] += 1
        document = types.VersionedTextDocumentIdentifier(self.versions[cell], cell)
        self._change_notebook(
            notebook,
            types.NotebookDocumentCellChanges(
                text_content=[types.NotebookDocumentCellContentChanges(document, [change])]
            ),
        )

    def move_cell(self, cell: str, start: int, to: int, notebook: str) -> None:
        """Take the cell at one place and put it at another, as VS Code says it: out, then in."""
        for at, cells in ((start, []), (to, [types.NotebookCell(types.NotebookCellKind.Code, cell)])):
            change = types.NotebookCellArrayChange(start=at, delete_count=1 - len(cells), cells=cells)
            self._change_notebook(
                notebook,
                types.NotebookDocumentCellChanges(
                    structure=types.NotebookDocumentCellChangeStructure(change)
                ),
            )

    def delete_cell(self, cell: str, at: int, notebook: str) -> None:
        change = types.NotebookCellArrayChange(start=at, delete_count=1, cells=[])
        self._change_notebook(
            notebook,
            types.NotebookDocumentCellChanges(
                structure=types.NotebookDocumentCellChangeStructure(
                    change, did_close=[types.TextDocumentIdentifier(cell)]
                )
            ),
        )

    def _change_notebook(self, uri: str, cells: types.NotebookDocumentCellChanges) -> None:
        self.client.notebook_document_did_change(
            types.DidChangeNotebookDocumentParams(
                types.VersionedNotebookDocumentIdentifier(2, uri),
                types.NotebookDocumentChangeEvent(cells=cells),
            )
        )

    # ------------------------------------------------------------ answers

    async def hints(self, uri: str | None = None, within: float = 30.0) -> dict[str, str]:
        """The labels by the name (with its line) that they stand behind, asked for until there are any."""
        uri = uri or self.uri
        deadline = asyncio.get_running_loop().time() + within
        while True:
            found = await self.hints_now(uri)
            if found:
                await self._all_shown(uri)
                return await self.hints_now(uri)
            if asyncio.get_running_loop().time() > deadline:
                return found

    async def _all_shown(self, uri: str) -> None:
        """Of a file just opened there are first hints before there are all. Fixes wait for these."""
        loop, uri = asyncio.get_running_loop(), uri or self.uri
        document = types.TextDocumentIdentifier(uri)
        start = types.Range(types.Position(0, 0), types.Position(0, 0))
        for _ in range(10):
            began = loop.time()
            await self.client.text_document_code_action_async(
                types.CodeActionParams(document, start, types.CodeActionContext([]))
            )
            if loop.time() < began + 1.9:
                return

    async def hints_now(self, uri: str | None = None) -> dict[str, str]:
        uri = uri or self.uri
        text = self.texts[uri]
        answer = await self.client.text_document_inlay_hint_async(
            types.InlayHintParams(
                types.TextDocumentIdentifier(uri),
                types.Range(types.Position(0, 0), types.Position(text.count("\n") + 1, 0)),
            )
        )
        return {name_before(text, hint.position): words(hint) for hint in answer or ()}

    async def hover(self, at: str, uri: str | None = None) -> str | None:
        uri = uri or self.uri
        text = self.texts[uri]
        answer = await self.client.text_document_hover_async(
            types.HoverParams(types.TextDocumentIdentifier(uri), position(text, text.index(at)))
        )
        return answer.contents.value if answer else None

    async def diagnostics(self, uri: str | None = None, within: float = 30.0) -> list[types.Diagnostic]:
        """Those of the text as it is now."""
        uri = uri or self.uri

        async def current() -> list[types.Diagnostic]:
            while True:
                params = self.published.get(uri)
                if params is not None and params.version == self.versions[uri]:
                    return list(params.diagnostics)
                self.news.clear()
                await self.news.wait()

        return await asyncio.wait_for(current(), within)

    async def withdrawn(self, uri: str, within: float = 30.0) -> None:
        """Wait until there is nothing published of a text."""

        async def reached() -> None:
            while self.published[uri].diagnostics:
                self.news.clear()
                await self.news.wait()

        await asyncio.wait_for(reached(), within)

    async def status(self, state: str, within: float = 30.0, begins: str = "") -> dict[str, Any]:
        """The status once it is in a state, with a message that begins so."""

        async def reached() -> dict[str, Any]:
            while True:
                last = self.statuses[-1] if self.statuses else {"state": None}
                if last["state"] == state and last["message"].startswith(begins):
                    return last
                self.news.clear()
                await self.news.wait()

        return await asyncio.wait_for(reached(), within)

    async def actions_of_kind(self, kind: str) -> list[types.CodeAction]:
        """What is offered for the whole text, of a kind."""
        whole = types.Range(types.Position(0, 0), types.Position(100_000, 0))
        answer = await self.client.text_document_code_action_async(
            types.CodeActionParams(
                types.TextDocumentIdentifier(self.uri), whole, types.CodeActionContext([], only=[kind])
            )
        )
        return list(answer or ())

    async def actions(
        self, diagnostic: types.Diagnostic, uri: str | None = None, all: bool = False
    ) -> list[types.CodeAction]:
        """What is offered for a diagnostic; without what is always offered, unless `all` is wanted."""
        uri = uri or self.uri
        answer = await self.client.text_document_code_action_async(
            types.CodeActionParams(
                types.TextDocumentIdentifier(uri),
                diagnostic.range,
                types.CodeActionContext(diagnostics=[diagnostic]),
            )
        )
        return [one for one in answer or () if all or not one.title.startswith("Ignore ")]

    def applied(self, action: types.CodeAction) -> dict[str, str]:
        """The texts that an action changes, once it is applied."""
        texts = {}
        for change in action.edit.document_changes:
            uri = change.text_document.uri
            assert change.text_document.version == self.versions[uri]
            text = self.texts[uri]
            for edit in sorted(change.edits, key=lambda edit: -offset(text, edit.range.start)):
                start, end = offset(text, edit.range.start), offset(text, edit.range.end)
                text = text[:start] + edit.new_text + text[end:]
            texts[uri] = text
        return texts


def words(hint: types.InlayHint) -> str:
    """The label of a hint as it is shown."""
    return hint.label if isinstance(hint.label, str) else "".join(part.value for part in hint.label)


def position(text: str, at: int) -> types.Position:
    """An offset as VS Code counts."""
    start = text.rfind("\n", 0, at) + 1
    return types.Position(text.count("\n", 0, at), len(text[start:at].encode("utf-16-le")) // 2)


def offset(text: str, at: types.Position) -> int:
    lines = text.split("\n")
    units = lines[at.line].encode("utf-16-le")[: at.character * 2]
    return sum(len(line) + 1 for line in lines[: at.line]) + len(units.decode("utf-16-le"))


def name_before(text: str, at: types.Position) -> str:
    """`3:x` for a hint behind the name x on line 3."""
    end = offset(text, at)
    start = end
    while start and (text[start - 1].isidentifier() or text[start - 1].isdigit() or text[start - 1] == "."):
        start -= 1
    return f"{at.line + 1}:{text[start:end]}"
