"""The beginning and the end of a session, and settings that change in between."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from lsprotocol import types

from . import configuration, timing, watching

if TYPE_CHECKING:
    from .server import ShapewiseServer


_GRACE = 1.0
"""Seconds for what threads are still at (a search through the workspace); nothing of it is needed any more."""


async def initialize(ls: ShapewiseServer, params: types.InitializeParams) -> None:
    """`initialize`: what the client says of itself."""
    ls.prepare(configuration.options(params.initialization_options))


async def initialized(ls: ShapewiseServer, params: types.InitializedParams) -> None:
    """`initialized`: from here on the client listens."""
    ls.show_status()
    await watching.watch(ls)


async def did_change_configuration(ls: ShapewiseServer, params: types.DidChangeConfigurationParams) -> None:
    """`workspace/didChangeConfiguration`."""
    settings = configuration.changed(params.settings, ls.settings)
    if settings != ls.settings:
        before, ls.settings = ls.settings, settings
        if settings.rules != before.rules:
            ls.session.judge(dict(settings.rules))
        ls.refresh_hints()
        if settings.calls != before.calls:
            ls.refresh_lenses()


async def did_change_folders(ls: ShapewiseServer, params: types.DidChangeWorkspaceFoldersParams) -> None:
    """`workspace/didChangeWorkspaceFolders`."""
    ls.change_roots()


async def look(ls: ShapewiseServer, params: object) -> None:
    """`shapewise/focus`: whether somebody looks at the editor."""
    ls.session.look(is_away=getattr(params, "focused", True) is False)


async def shutdown(ls: ShapewiseServer, params: None) -> None:
    """`shutdown`: the tracer goes first."""
    ls.end()


def leave(ls: ShapewiseServer, params: None) -> None:
    """`exit`, from clients that do not say `shutdown` before.

    Not a coroutine: pygls would read on in the meantime, and wait for one more message to end.
    """
    ls.end()
    last = threading.Timer(_GRACE, os._exit, (0,))
    last.daemon = True  # who is done before ends before
    last.start()


async def take_times(ls: ShapewiseServer, params: object) -> dict[str, float | int]:
    """`shapewise/timing`: milliseconds from edits to their hints."""
    return ls.session.timing.summary()


def register(server: ShapewiseServer) -> None:
    """Announce these to the client."""
    server.feature(types.INITIALIZE)(initialize)
    server.feature(types.INITIALIZED)(initialized)
    server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)(did_change_configuration)
    server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(did_change_folders)
    server.feature("shapewise/focus")(look)
    server.feature(types.SHUTDOWN)(shutdown)
    server.feature(types.EXIT)(leave)
    server.feature(timing.METHOD)(take_times)
