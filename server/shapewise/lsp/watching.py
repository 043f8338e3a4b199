"""Files that others than this editor write: settings of projects, and modules that open documents import."""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.uris import to_fs_path

from ..config import FILE
from ..workspace.project import INSTALLED
from .documents import Document

if TYPE_CHECKING:
    from .server import ShapewiseServer

_WATCHED = ("**/*.py", "**/*.ipynb", f"**/{FILE}")


async def watch(ls: ShapewiseServer) -> None:
    """Ask the client to tell of such files, if it can."""
    workspace = ls.client_capabilities.workspace
    able = workspace.did_change_watched_files if workspace else None
    if able is None or not able.dynamic_registration:
        return
    watchers = [types.FileSystemWatcher(glob_pattern=pattern) for pattern in _WATCHED]
    method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
    options = types.DidChangeWatchedFilesRegistrationOptions(watchers=watchers)
    await ls.client_register_capability_async(
        types.RegistrationParams([types.Registration(method, method, options)])
    )


async def did_change_files(ls: ShapewiseServer, params: types.DidChangeWatchedFilesParams) -> None:
    """`workspace/didChangeWatchedFiles`. What is open here is as the editor has it, whatever is written."""
    documents = [*ls.session.documents.values()]
    opened = {document.path for document in documents}
    events = [(to_fs_path(event.uri) or "", event.type) for event in params.changes]
    modules = {path: kind for path, kind in events if path not in opened and _is_module(path)}
    changed = {path for path, kind in modules.items() if kind is types.FileChangeType.Changed}
    come_or_gone = modules.keys() - changed
    names = {_name(path) for path in come_or_gone}
    ls.session.look_again(
        documents if any(Path(path).name == FILE for path, _ in events) else (),
        needs_trace=[one for one in documents if _imports(one, modules.keys(), names)],
        elsewhere=[one for one in documents if come_or_gone or _is_used_by(one, changed)],
    )


def _is_module(path: str) -> bool:
    """Whether it may be one of the user's own: of what is being installed there are thousands of news."""
    return Path(path).name != FILE and INSTALLED.isdisjoint(Path(path).parts)


def _imports(document: Document, paths: Set[str], names: Set[str]) -> bool:
    """Whether its trace came through one of the files, or would if there were one of such a name."""
    if document.known is None:
        return False
    analysis = document.known.analysis
    return not paths.isdisjoint(analysis.log.files) or any(name in analysis.source.text for name in names)


def _is_used_by(document: Document, paths: Set[str]) -> bool:
    return document.known is not None and not paths.isdisjoint(document.known.analysis.callers)


def _name(path: str) -> str:
    """How a file is named where it is imported."""
    file = Path(path)
    return file.parent.name if file.stem == "__init__" else file.stem


def register(server: ShapewiseServer) -> None:
    """Announce this to the client."""
    server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(did_change_files)
