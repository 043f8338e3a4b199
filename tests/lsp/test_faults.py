"""When things go wrong: a tracer that is killed, a Python without torch, an editor that goes away."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from editor import MODEL, Editor
from lsprotocol import types

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_the_status_names_torch_and_python(editor):
    editor.open(MODEL)
    await editor.hints()
    status = await editor.status("ready")
    assert status["message"].startswith("torch ")
    assert status["busy"] is False


async def test_the_tracer_is_killed_and_hints_come_back(editor):
    editor.open(MODEL)
    before = await editor.hints()
    for pid in tracers_of(editor.client._server.pid):
        os.kill(pid, 9)
    assert await editor.hints_now() == before
    editor.replace("randn(4, 10)", "randn(6, 10)")
    deadline = time.monotonic() + 30
    while (await editor.hints_now()).get("16:out") != "[6 5]":
        assert time.monotonic() < deadline
    assert (await editor.status("ready"))["message"].startswith("torch ")


def tracers_of(pid: int) -> list[int]:
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        direct = file.read().split()
    threads = os.listdir(f"/proc/{pid}/task")
    for thread in threads:
        with open(f"/proc/{pid}/task/{thread}/children") as file:
            direct += file.read().split()
    return sorted({int(one) for one in direct})


@pytest.fixture
def bare(tmp_path) -> Path:
    """A Python without any package."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "bare")], check=True)
    return tmp_path / "bare"


async def test_a_python_without_torch_is_a_sentence_in_the_status(another, bare):
    editor = await Editor.start({"interpreter": str(bare), "reason": "from the settings"})
    another.append(editor)
    editor.open(MODEL)
    status = await editor.status("problem")
    assert status["message"].startswith(f"This Python has no torch: {bare}")
    assert "pip install torch" in status["message"]
    assert "from the settings" in status["detail"]
    assert await editor.hints_now() == {}
    assert await editor.hover("batch") is None
    editor.replace("randn(4, 10)", "randn(6, 10)")
    assert await editor.hints_now() == {}


async def test_no_python_at_all_is_a_sentence_in_the_status(another):
    editor = await Editor.start({"interpreter": "/no/such/python"})
    another.append(editor)
    editor.open(MODEL)
    status = await editor.status("problem")
    assert (
        status["message"]
        == "There is no Python at /no/such/python. Name your Python (shapewise.interpreter, --interpreter)."
    )


async def test_options_that_make_no_sense_are_ignored(another):
    editor = await Editor.start({"interpreter": 7, "settings": [], "reason": {}})
    another.append(editor)
    assert (await editor.status("ready"))["message"]


@pytest.mark.parametrize("moment", ["starting", "tracing"])
async def test_an_editor_that_goes_away_takes_server_and_tracer_along(moment, capfd):
    editor = await Editor.start()
    editor.open(MODEL)
    await (editor.status("starting") if moment == "starting" else editor.hints())
    server = editor.client._server
    await asyncio.sleep(0.3)
    children = tracers_of(server.pid)
    assert children
    server._transport.get_pipe_transport(0).close()
    await asyncio.wait_for(server.wait(), 5)
    deadline = time.monotonic() + 5
    while any(os.path.exists(f"/proc/{pid}") for pid in children):
        assert time.monotonic() < deadline, "a tracer is left over"
        await asyncio.sleep(0.1)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("moment", ["starting", "tracing"])
async def test_goodbye_is_quiet(moment, capfd):
    editor = await Editor.start()
    editor.open(MODEL)
    await (editor.status("starting") if moment == "starting" else editor.hints())
    await editor.stop()
    assert capfd.readouterr().err == ""
    assert editor.client._server.returncode is not None


BUSY = """
import time
from shapewise import analysis
from shapewise.lsp.main import main
analysis.repair = lambda text: time.sleep(60)
main()
"""


async def test_goodbye_waits_for_no_thread():
    editor = await Editor.start(command=(sys.executable, "-c", BUSY))
    editor.open(MODEL)
    await asyncio.sleep(0.5)
    await editor.stop()
    assert editor.client._server.returncode is not None


async def test_what_makes_no_sense_is_no_message_box(editor):
    editor.client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(2, "file:///never/opened.py"),
            [types.TextDocumentContentChangeWholeDocument("x")],
        )
    )
    status = await editor.status("problem")
    assert status["message"] == "shapewise has a fault (JsonRpcInternalError); its log says more."
    for body in (b"{", b'{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": 7}'):
        editor.client._server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    editor.open(MODEL)
    assert await editor.hints()
    assert (await editor.status("ready"))["message"].startswith("torch ")
    assert not editor.messages
