from __future__ import annotations

import itertools
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

sys.path.insert(0, str(Path(__file__).parent))
from desk import Desk, Elsewhere
from editor import Editor

_NUMBERS = itertools.count()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def running() -> AsyncIterator[Editor]:
    """One server for all tests: torch is loaded once."""
    editor = await Editor.start()
    yield editor
    await editor.stop()


@pytest_asyncio.fixture(loop_scope="session")
async def editor(running: Editor) -> AsyncIterator[Editor]:
    """An editor with no file open; its own are closed afterwards."""
    running.uri = f"file:///project/model{next(_NUMBERS)}.py"
    running.refreshes = 0
    yield running
    for uri in list(running.texts):
        if uri.startswith("file:"):
            running.close(uri)
    running.texts.clear()


@pytest_asyncio.fixture(loop_scope="session")
async def another() -> AsyncIterator[list[Editor]]:
    """Servers of a test's own: whoever puts one in here need not stop it."""
    started: list[Editor] = []
    yield started
    for one in started:
        await one.stop()


@pytest_asyncio.fixture
async def desk():
    desks = []

    def make(text: str, elsewhere: Elsewhere | None = None) -> Desk:
        desks.append(Desk(text, elsewhere))
        return desks[-1]

    yield make
    for one in desks:
        one.session.end()
