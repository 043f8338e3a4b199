"""A hundred changes with requests and cancels among them: the last version counts, and nobody waits."""

from __future__ import annotations

import asyncio
import random

import pytest
from editor import Editor
from lsprotocol import types
from pygls.workspace import PositionCodec

from .test_server import MODEL

CODEC = PositionCodec(types.PositionEncodingKind.Utf16)
BLOCK = """
class Net{0}(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 8)
    def forward(self, x):
        h = self.layer(x)
        return h.relu()

y{0} = Net{0}()(torch.randn(4, 8))
"""

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]


def edited(text: str, rng: random.Random) -> tuple[int, int, str]:
    at = rng.randrange(len(text) + 1)
    return rng.choice(
        [(at, at, "x"), (at, at, "("), (at, at, "\n"), (at, min(len(text), at + 2), ""), (at, at, "😀")]
    )


async def test_only_the_last_version_counts(editor):
    rng = random.Random(8)
    editor.open(MODEL)
    await editor.hints()
    for number in range(100):
        start, end, new = edited(editor.texts[editor.uri], rng)
        editor.edit(start, end, new)
        where = types.TextDocumentIdentifier(editor.uri)
        whole = types.Range(types.Position(0, 0), types.Position(99, 0))
        for method, params in (
            (types.TEXT_DOCUMENT_INLAY_HINT, types.InlayHintParams(where, whole)),
            (
                types.TEXT_DOCUMENT_HOVER,
                types.HoverParams(where, types.Position(rng.randrange(30), rng.randrange(20))),
            ),
            (
                types.TEXT_DOCUMENT_CODE_ACTION,
                types.CodeActionParams(where, whole, types.CodeActionContext([])),
            ),
        ):
            if rng.random() < 0.7:
                name = f"storm{number}{method}"
                future = editor.client.protocol.send_request(method, params, msg_id=name)
                future.add_done_callback(lambda done: done.cancelled() or done.exception())
                if rng.random() < 0.4:
                    editor.client.cancel_request(types.CancelParams(name))
        if rng.random() < 0.2:
            await asyncio.sleep(rng.uniform(0, 0.05))
    text = editor.texts[editor.uri]
    editor.edit(0, len(text), MODEL.replace("randn(4, 10)", "randn(77, 10)"))
    assert (await editor.hints_now())["15:batch"] == "[77 10]"
    assert await editor.diagnostics(within=120) == []
    assert not editor.messages


async def test_a_file_that_is_deleted_while_it_is_open_keeps_its_hints(editor, tmp_path):
    file, beside = tmp_path / "model.py", tmp_path / "layers.py"
    file.write_text("import torch\nfrom layers import WIDTH\nx = torch.zeros(2, WIDTH)\n")
    beside.write_text("WIDTH = 3\n")
    editor.uri = file.as_uri()
    editor.open(file.read_text())
    assert (await editor.hints())["3:x"] == "[2 3]"
    file.unlink()
    editor.replace("zeros(2, WIDTH)", "zeros(4, WIDTH)")
    assert (await editor.hints_now())["3:x"] == "[4 3]"
    beside.unlink()
    tmp_path.rmdir()
    editor.replace("zeros(4, WIDTH)", "zeros(5, 6)")
    assert (await editor.hints_now())["3:x"] == "[5 6]"


async def test_two_windows_on_one_folder(editor, another, tmp_path):
    second = await Editor.start()
    another.append(second)
    uri = (tmp_path / "model.py").as_uri()
    for one, size in ((editor, 3), (second, 4)):
        one.uri = uri
        one.open(f"import torch\nx = torch.zeros(2, {size})\n")
    assert (await editor.hints())["2:x"] == "[2 3]"
    assert (await second.hints())["2:x"] == "[2 4]"
