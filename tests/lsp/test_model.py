"""`shapewise/model`: which call it is about, and what is said of it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from editor import Editor

pytestmark = pytest.mark.asyncio(loop_scope="session")

NET = """\
import torch
from torch import nn


class Part(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(10, 10)

    def forward(self, x):
        return torch.relu(self.fc(x))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Part()
        self.head = nn.Linear(10, 5)

    def forward(self, x):
        s = "😀"; y = self.part(x)
        return self.head(y)
"""
CALLS = """

net = Net()
out = net(torch.randn(4, 10))
net.eval()
other = net(torch.randn(2, 10))
"""


async def ask(editor: Editor, line: int, character: int = 0, **more: Any) -> dict[str, Any]:
    return plain(
        await asyncio.wait_for(
            editor.client.protocol.send_request_async(
                "shapewise/model",
                {
                    "textDocument": {"uri": editor.uri},
                    "position": {"line": line - 1, "character": character},
                    **more,
                },
            ),
            60,
        )
    )


def plain(value: Any) -> Any:
    """The answer as JSON has it."""
    if hasattr(value, "_asdict"):
        return {key: plain(item) for key, item in value._asdict().items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def names(answer: dict[str, Any]) -> list[tuple[int, str]]:
    return [(row["depth"], row["name"]) for row in answer["rows"]]


async def test_a_call_shows_the_layers_in_it(editor):
    editor.open(NET + CALLS)
    answer = await ask(editor, 26, 8)
    assert answer["type"] == "Net" and answer["place"]["line"] == 26
    assert names(answer) == [(0, "Net"), (1, "part"), (2, "fc"), (2, "torch.relu"), (1, "head")]
    net, part, fc, relu, head = answer["rows"]
    assert (net["parameters"], fc["parameters"], head["parameters"]) == (165, 110, 55)
    assert (fc["flops"], head["flops"], net["flops"]) == (2 * 4 * 10 * 10, 2 * 4 * 10 * 5, 1200)
    assert fc["output"] == "[4 10]" and head["bytes"] == 4 * 5 * 4
    assert relu["kept"] == 160 and relu["parameters"] is None
    # Line and column as the editor counts: the emoji is two units.
    assert part["place"]["range"] == {
        "start": {"line": 20, "character": 22},
        "end": {"line": 20, "character": 34},
    }
    assert answer["memory"]["live"][answer["memory"]["peak"]] == max(answer["memory"]["live"])


async def test_a_class_shows_its_first_call_and_offers_the_others(editor):
    editor.open(NET + CALLS)
    answer = await ask(editor, 15)
    assert answer["type"] == "Net" and answer["training"]
    assert [one["label"] for one in answer["choices"]] == [
        "line 26 · gives [4 5] · train",
        "line 28 · gives [2 5] · eval",
    ]
    other = await ask(editor, 1, type="Net", choice=answer["choices"][1]["key"])
    assert not other["training"] and other["rows"][0]["output"] == "[2 5]"


async def test_a_call_of_a_part_shows_the_part(editor):
    editor.open(NET + CALLS)
    answer = await ask(editor, 21, 24)
    assert names(answer) == [(0, "part"), (1, "fc"), (1, "torch.relu")]


async def test_elsewhere_the_largest_call_of_the_file_is_shown(editor):
    editor.open(NET + CALLS)
    assert (await ask(editor, 1))["type"] == "Net"


async def test_a_class_that_nothing_calls_is_said_in_a_sentence(editor):
    editor.open(
        "from torch import nn\n\nclass Odd(nn.Module):\n    def forward(self, x):\n        return x.nothing()\n"
    )
    answer = await ask(editor, 4)
    assert answer["why"].startswith("No run of Odd was found")


async def test_a_class_that_nothing_calls_has_names_for_its_dims(editor):
    editor.open(
        "import torch\nfrom torch import nn\n\n\nclass Part(nn.Module):\n    def __init__(self, width, hidden):\n"
        "        super().__init__()\n        self.up = nn.Linear(width, hidden)\n        self.down = nn.Linear(hidden, width)\n\n"
        "    def forward(self, x):\n        B, T, C = x.shape\n        h = torch.relu(self.up(x))\n        return x + self.down(h)\n"
    )
    answer = await ask(editor, 5)
    assert answer["assumed"] and answer["memory"] is None
    assert [(row["depth"], row["name"], row["type"], row["output"]) for row in answer["rows"]] == [
        (0, "Part", "Part", "[B T C]"),
        (1, "up", "Linear", "[B T hidden]"),
        (1, "torch.relu", None, "[B T hidden]"),
        (1, "down", "Linear", "[B T C]"),
        (1, "+", None, "[B T C]"),
    ]


async def test_an_edit_is_seen(editor):
    editor.open(NET + CALLS)
    assert (await ask(editor, 15))["rows"][0]["output"] == "[4 5]"
    editor.replace("randn(4, 10)", "randn(7, 10)")
    assert (await ask(editor, 15))["rows"][0]["output"] == "[7 5]"


async def test_what_is_no_model_is_said_too(editor):
    editor.open("import torch\nx = torch.zeros(3)\n")
    assert (await ask(editor, 2))["why"] == "No layer is called in this file."


async def test_a_class_that_another_file_calls(editor, tmp_path):
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "net.py").write_text(NET)
    (tmp_path / "main.py").write_text("import torch\nfrom net import Net\nout = Net()(torch.zeros(3, 10))\n")
    editor.uri = (tmp_path / "net.py").as_uri()
    editor.open(NET)
    for _ in range(100):  # who uses it is looked for when nothing else is to do
        answer = await ask(editor, 15)
        if "rows" in answer:
            break
        await asyncio.sleep(0.1)
    assert answer["rows"][0]["output"] == "[3 5]"
    assert answer["place"]["file"] == "main.py" and answer["place"]["line"] == 3


async def test_a_model_in_the_cells_of_a_notebook(editor):
    top, bottom = NET.split("\n\n\nclass Net")
    cells = ["%load_ext autoreload\n" + top, "class Net" + bottom, CALLS.strip()]
    uris = editor.open_notebook(cells, "file:///project/layers.ipynb")
    await editor.hints(uris[2])
    editor.uri = uris[1]
    answer = await ask(editor, 3)
    assert answer["type"] == "Net"
    places = {row["name"]: (uris.index(row["place"]["uri"]), row["place"]["line"]) for row in answer["rows"]}
    assert places["Net"] == (2, 2)
    assert places["part"] == (1, 8)
    assert places["fc"][0] == 0
