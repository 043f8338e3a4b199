"""The server's state, and what it does when something has happened. No request is handled here."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from .. import __version__
from ..analysis import Analysis
from ..call_sites import CallSites
from ..documents import SUFFIXES
from ..host.documentation import Documentation
from ..host.interpreter import shown
from ..host.lifecycle import State
from ..host.process import TracerProcess
from ..workspace.project import Project
from ..workspace.reach import mentions
from .configuration import Options, Settings
from .converting import converter
from .diagnostics import diagnostics
from .documents import Document
from .session import TORCH, Session
from .status import Status, StatusLine
from .texts import Text, Workspace

log = logging.getLogger(__name__)

_SECONDS_BEFORE_BUSY = 0.3
"""A trace is only worth a word in the status if it takes longer than people notice."""

_REFRESH_PAUSE = 0.02

NOTEBOOKS = types.NotebookDocumentSyncOptions(
    notebook_selector=[
        types.NotebookDocumentFilterWithCells(
            notebook=types.NotebookDocumentFilterNotebookType(notebook_type=kind),
            cells=[types.NotebookCellLanguage(language="python")],
        )
        for kind in ("jupyter-notebook", "interactive")
    ]
)


class ShapewiseServer(LanguageServer):
    """A language server that keeps an analysis of every open document."""

    def __init__(self) -> None:
        super().__init__(
            "shapewise",
            __version__,
            text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
            notebook_document_sync=NOTEBOOKS,
            converter_factory=converter,
        )
        self.options = Options()
        self.settings = Settings()
        self.status = StatusLine(self.protocol.notify)
        self._busy: asyncio.TimerHandle | None = None
        self._refresh: asyncio.TimerHandle | None = None
        self._published: dict[str, frozenset[str]] = {}
        self._problems: dict[str, str] = {}
        """One sentence by the document that has the problem; ours stands under no document."""
        self._last_problem = ""
        self._has_ended = False
        self._notes: tuple[str, ...] = ()
        self._unparsed: str | None = None
        self.project = Project()
        self.tracer = TracerProcess(on_change=self.show_status)
        self.documentation = Documentation(self.tracer.documentation)
        self.session = Session(self.tracer, self)

    def prepare(self, options: Options) -> None:
        """Take over what the client said at the start."""
        self.options, self.settings = options, options.settings
        self.project = Project(self._roots(), opened=self._opened)
        self.tracer = TracerProcess(
            options.interpreter,
            on_change=self.show_status,
            project=self.project,
            patience=lambda path: self.session.patience(path),
            early=lambda path: self.session.early(path),
            typed=lambda path: self.session.typed(path),
            has_room=True,
        )
        self.documentation = Documentation(self.tracer.documentation)
        self.session = Session(
            self.tracer,
            self,
            lambda source: mentions(self.project, source, TORCH),
            CallSites(self.project, self.tracer.stop),
            self.tracer.stop,
        )
        self.session.rules = dict(self.settings.rules)
        given = self.workspace
        self.protocol._workspace = Workspace(
            given.root_uri,
            self._text_document_sync_kind,
            list(given.folders.values()),
            given.position_encoding,
        )

    def change_roots(self) -> None:
        """The workspace has other folders: modules may be found that were not, or no more."""
        self.project.roots = self._roots()
        documents = self.session.documents.values()
        self.session.look_again(documents, needs_trace=documents, elsewhere=documents)

    def _roots(self) -> list[str]:
        folders = (to_fs_path(folder.uri) for folder in self.workspace.folders.values())
        root = self.workspace.root_path
        return [folder for folder in (*folders, root) if folder]

    def _opened(self, path: str) -> str | None:
        """The text of an open file as it is in the editor."""
        for document in list(self.session.documents.values()):
            if document.path == path and path.endswith(SUFFIXES) and document.texts:
                return document.now().source.text
        return None

    def end(self) -> None:
        """Let go of the tracer, and say nothing more."""
        self._has_ended = True
        for timer in (self._busy, self._refresh):
            if timer is not None:
                timer.cancel()
        self.session.end()
        self.tracer.kill()

    def document_of(self, uri: str) -> Document | None:
        """The document that a text belongs to: itself, or the notebook of a cell."""
        notebook = self.workspace.get_notebook_document(cell_uri=uri)
        return self.session.documents.get(uri if notebook is None else notebook.uri)

    def text(self, uri: str) -> Text | None:
        """An open text."""
        document = self.document_of(uri)
        texts: Sequence[Text] = document.texts if document else ()
        return next((text for text in texts if text.uri == uri), None)

    # ------------------------------------------------------------ what the session tells

    def shown(self, document: Document, hints_changed: bool) -> None:
        """Show the hints, if they are new."""
        if hints_changed and not document.hints_awaited:
            self.refresh_hints()
        if hints_changed and self.settings.calls:
            self.refresh_lenses()

    def judged(self, document: Document) -> None:
        """Show the findings."""
        self.publish(document)

    def began(self, document: Document) -> None:
        """Say so if it takes long."""
        loop = asyncio.get_running_loop()
        if self._busy is not None:
            self._busy.cancel()  # the one before was stopped
        self._busy = loop.call_later(_SECONDS_BEFORE_BUSY, self.show_status, True)

    def ended(self, document: Document, problem: str | None) -> None:
        """Say how it went."""
        if self._busy is not None:
            self._busy.cancel()
            self._busy = None
        self._problems.pop("", None)
        self._problems.pop(document.uri, None)
        if problem is not None and document.uri in self.session.documents:
            if problem != self._last_problem:
                log.warning("%s", problem)
            self._problems[document.uri] = self._last_problem = problem
            if not document.is_current:
                self.withdraw(document)
        analysis = document.known.analysis if document.known else None
        self._notes = analysis.log.notes if analysis else ()
        self._unparsed = _unparsed(analysis) if analysis else None
        self.show_status()

    def report_server_error(self, error: Exception, source: Any) -> None:
        """A fault of ours is for the log and the status, never for a message box."""
        if self._has_ended:
            return
        log.error("%s: %s", getattr(source, "__name__", source), error)
        self._problems[""] = f"shapewise has a fault ({type(error).__name__}); its log says more."
        self.show_status()

    # ------------------------------------------------------------ what the client is told

    def publish(self, document: Document) -> None:
        """Send the findings of a document, and take back those of texts that are no longer its."""
        by_uri = diagnostics(document, self._shows_related)
        gone = self._published.get(document.uri, frozenset()) - by_uri.keys()
        versions = {text.uri: text.version for text in document.texts}
        for uri, items in (*by_uri.items(), *((uri, []) for uri in gone)):
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(uri=uri, version=versions.get(uri), diagnostics=items)
            )
        self._published[document.uri] = frozenset(by_uri)

    def withdraw(self, document: Document) -> None:
        """Take back all findings of a document: it is closed, or nobody knows whether they still hold."""
        for uri in self._published.pop(document.uri, ()):
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri=uri, diagnostics=[]))

    def forget(self, document: Document) -> None:
        """A document is closed."""
        self.session.close(document)
        self.withdraw(document)
        if self._problems.pop(document.uri, None):
            self.show_status()

    def refresh_hints(self) -> None:
        """Have the client ask for all hints again: once, even if several documents have news."""
        workspace = self.client_capabilities.workspace
        supported = workspace and workspace.inlay_hint and workspace.inlay_hint.refresh_support
        if supported and self._refresh is None:
            loop = asyncio.get_running_loop()
            self._refresh = loop.call_later(_REFRESH_PAUSE, self._refresh_now)

    def refresh_lenses(self) -> None:
        """Have the client ask for all code lenses again."""
        workspace = self.client_capabilities.workspace
        if workspace and workspace.code_lens and workspace.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)

    def _refresh_now(self) -> None:
        self._refresh = None
        self.workspace_inlay_hint_refresh(None)

    @property
    def resolves_hints(self) -> bool:
        """Whether the client asks for the rest of a hint when somebody looks at it."""
        able = self.client_capabilities.text_document
        return bool(able and able.inlay_hint and able.inlay_hint.resolve_support)

    @property
    def shows_documents(self) -> bool:
        """Whether the client goes to a place when it is told to."""
        window = self.client_capabilities.window
        return bool(window and window.show_document and window.show_document.support)

    @property
    def versions_edits(self) -> bool:
        """Whether the client takes edits that name the version of the text they are for."""
        workspace = self.client_capabilities.workspace
        return bool(workspace and workspace.workspace_edit and workspace.workspace_edit.document_changes)

    @property
    def _shows_related(self) -> bool:
        capabilities = self.client_capabilities.text_document
        published = capabilities.publish_diagnostics if capabilities else None
        return bool(published and published.related_information)

    def show_status(self, is_busy: bool = False) -> None:
        """Send the status if it has changed."""
        if not self._has_ended:
            self.status.show(self._status(is_busy))

    def _status(self, is_busy: bool) -> Status:
        tracer = self.tracer
        why = f" ({self.options.reason})" if self.options.reason else ""
        where = "\n".join((f"{shown(tracer.python)}{why}", *self._notes))
        if tracer.state is State.FAILED and tracer.problem is not None:
            return Status("problem", str(tracer.problem), where)
        if tracer.state is State.STARTING:
            return Status("starting", "Loading torch.", where, busy=True)
        if is_busy:
            return Status("working", "Tracing.", where, busy=True)
        if self._problems:
            return Status("problem", [*self._problems.values()][-1], where)
        if tracer.hello is None:
            return Status("ready", "Waits for a file that uses torch.", where)
        if self._unparsed is not None:
            return Status("ready", self._unparsed, where)
        return Status("ready", f"torch {tracer.hello.torch}, Python {tracer.hello.python}.", where)


def _unparsed(analysis: Analysis) -> str | None:
    """One sentence on what does not parse yet, if something does not."""
    broken = analysis.repaired.broken
    if not broken:
        return None
    place = "A line" if analysis.source.cells else f"Line {broken[0].span.line}"
    return f"{place} does not parse yet ({broken[0].message.rstrip('.')}); the others keep their hints."
