"""A file whose functions only other files call: its own facts first, then what these show."""

from __future__ import annotations

import asyncio

import pytest

pytestmark = pytest.mark.asyncio(loop_scope="session")

NET = """\
from torch import nn


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, 5)

    def forward(self, x):
        y = self.fc(x)
        return y.relu()
"""
MAIN = "import torch\nfrom net import Net\nout = Net(10)(torch.zeros(4, 10))\n"


async def hinted(editor, uri, place, words):
    """The hint of a place becomes this one."""
    for _ in range(150):
        hints = await editor.hints(uri)
        if hints.get(place) == words:
            return hints
        await asyncio.sleep(0.1)
    raise AssertionError(hints)


@pytest.fixture
def project(editor, tmp_path):
    opened = []

    def lay(name, text, is_open=False):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        (tmp_path / "pyproject.toml").touch()
        if is_open:
            editor.open(text, path.as_uri())
            opened.append(path.as_uri())
        return path.as_uri()

    yield lay
    for uri in opened:
        editor.close(uri)


async def test_a_script_on_disk_shows_what_it_is_given(editor, project):
    project("main.py", MAIN)
    net = project("net.py", NET, is_open=True)
    hints = await hinted(editor, net, "10:y", "[4 5]")
    assert hints["9:x"] == "[4 10]"


async def test_an_edit_of_the_file_is_followed(editor, project):
    project("main.py", MAIN)
    net = project("net.py", NET, is_open=True)
    await hinted(editor, net, "10:y", "[4 5]")
    editor.replace("width, 5", "width, 6", net)
    await hinted(editor, net, "10:y", "[4 6]")
    editor.replace("        return", "        z = y.mean(0)\n        return", net)
    await hinted(editor, net, "11:z", "[6]")


async def test_a_caller_counts_as_it_stands_in_the_editor(editor, project):
    net = project("net.py", NET, is_open=True)
    await editor.hints_now(net)
    main = project("main.py", MAIN, is_open=True)
    await hinted(editor, net, "10:y", "[4 5]")
    editor.replace("4, 10", "8, 10", main)
    await hinted(editor, net, "10:y", "[8 5]")


async def test_a_caller_that_fails_takes_nothing_else_away(editor, project):
    project("main.py", MAIN.replace("4, 10", "4, 11"))
    net = project("net.py", "import torch\nhere = torch.zeros(3)\n" + NET, is_open=True)
    await hinted(editor, net, "2:here", "[3]")
    await asyncio.sleep(1.0)
    assert (await editor.hints(net))["2:here"] == "[3]"
    assert await editor.diagnostics(net) == []


async def test_what_is_half_typed_in_the_file_does_not_lose_its_callers(editor, project):
    project("main.py", MAIN)
    net = project("net.py", NET, is_open=True)
    await hinted(editor, net, "10:y", "[4 5]")
    editor.replace("nn.Linear(width, 5)", "nn.Linear(width, 5, no)", net)
    await asyncio.sleep(1.5)
    editor.replace("nn.Linear(width, 5, no)", "nn.Linear(width, 6)", net)
    await hinted(editor, net, "10:y", "[4 6]")


async def test_of_a_caller_that_only_defines_nothing_is_expected(editor, project):
    project("defines.py", "from net import Net\n\nclass Other(Net):\n    pass\n")
    project(
        "tests/test_net.py",
        "import torch\nfrom net import Net\n\ndef test():\n    Net(3)(torch.zeros(2, 3))\n",
    )
    net = project("net.py", NET, is_open=True)
    await hinted(editor, net, "10:y", "[2 5]")
