"""A file whose modules are open in the editor too."""

from __future__ import annotations

import asyncio

import pytest
from lsprotocol import types

pytestmark = pytest.mark.asyncio(loop_scope="session")

MODEL = """\
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(10, 5)

    def forward(self, x):
        return self.fc(x)
"""
MAIN = "import torch\nfrom net import Net\nout = Net()(torch.zeros(4, 10))\n"


async def refreshed(editor):
    """The server has asked the editor to ask for all hints again."""
    for _ in range(300):
        if editor.refreshes:
            editor.refreshes = 0
            return
        await asyncio.sleep(0.1)
    raise AssertionError("nobody asked for a refresh")


async def test_an_edit_of_an_imported_file_reaches_what_imports_it(editor, tmp_path):
    (tmp_path / "net.py").write_text(MODEL)
    (tmp_path / "main.py").write_text(MAIN)
    main, net = (tmp_path / "main.py").as_uri(), (tmp_path / "net.py").as_uri()
    editor.open(MAIN, main)
    assert (await editor.hints(main))["3:out"] == "[4 5]"
    editor.open(MODEL, net)
    await editor.hints_now(net)
    editor.refreshes = 0
    editor.replace("10, 5", "10, 7", net)
    await refreshed(editor)
    assert await editor.hints(main) == {"3:out": "[4 7]"}
    editor.close(net)  # without saving
    await refreshed(editor)
    assert await editor.hints(main) == {"3:out": "[4 5]"}


async def test_a_module_that_others_write_reaches_what_imports_it(editor, tmp_path):
    net, main = tmp_path / "net.py", (tmp_path / "main.py").as_uri()
    editor.open(MAIN, main)
    await editor.diagnostics(main)
    assert await editor.hints_now(main) == {}
    net.write_text(MODEL)
    editor.written(net, types.FileChangeType.Created)
    await refreshed(editor)
    assert await editor.hints(main) == {"3:out": "[4 5]"}
    net.write_text(MODEL.replace("10, 5", "10, 7"))
    editor.written(net)
    await refreshed(editor)
    assert await editor.hints(main) == {"3:out": "[4 7]"}


@pytest.mark.parametrize("setting", ['ignore = ["view-on-noncontiguous"]', 'exclude = ["wrong.py"]'])
async def test_settings_that_are_written_into_pyproject_hold_at_once(editor, tmp_path, setting):
    (watched,) = editor.registered
    assert {"globPattern": "**/pyproject.toml"} in watched.register_options["watchers"]
    uri = (tmp_path / "wrong.py").as_uri()
    editor.open("import torch\nx = torch.zeros(2, 3).t().view(6)\n", uri)
    assert await editor.diagnostics(uri)
    settings = tmp_path / "pyproject.toml"
    settings.write_text(f"[tool.shapewise]\n{setting}\n")
    editor.written(settings, types.FileChangeType.Created)
    await editor.withdrawn(uri)


async def test_a_file_without_a_word_of_torch_that_imports_a_model_is_traced(editor, tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "__init__.py").write_text("from .made import batch\n")
    (tmp_path / "deep" / "made.py").write_text("import torch\nbatch = torch.zeros(3, 2)\n")
    uri = (tmp_path / "script.py").as_uri()
    editor.open("from deep import batch\nx = batch.mean(0)\n", uri)
    assert await editor.hints(uri) == {"2:x": "[2]"}


async def test_what_fails_in_another_file_is_told_at_the_call(editor, tmp_path):
    (tmp_path / "own.py").write_text("def flat(x):\n    return x.mT.view(-1)\n")
    uri = (tmp_path / "caller.py").as_uri()
    editor.open("import torch, own\nx = own.flat(torch.zeros(2, 3))\n", uri)
    (told,) = await editor.diagnostics(uri)
    assert told.range.start.line == 1
    assert told.message.endswith(f"{tmp_path / 'own.py'}, line 2")
