"""Hovers in the editor: what stands under the pointer, in a real server."""

from __future__ import annotations

import pytest
from editor import position
from lsprotocol import types

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEXT = """\
import torch
from torch import nn


def attend(q, k):
\tB, T, D = q.shape
\ts = '😀é😀'; scores = q @ k.transpose(1, 2)
\treturn scores.softmax(-1).view(B, -1)


layer = nn.Linear(8, 24)
out = attend(torch.randn(2, 5, 8), torch.randn(2, 7, 8))
"""


async def hover_at(editor, found: str, into: int = 0) -> types.Hover | None:
    text = editor.texts[editor.uri]
    assert text.count(found) == 1
    return await editor.client.text_document_hover_async(
        types.HoverParams(types.TextDocumentIdentifier(editor.uri), position(text, text.index(found) + into))
    )


def covered(editor, range_: types.Range) -> str:
    """The text under a range of the client."""
    lines = editor.texts[editor.uri].split("\n")
    assert range_.start.line == range_.end.line
    units = lines[range_.start.line].encode("utf-16-le")
    return units[range_.start.character * 2 : range_.end.character * 2].decode("utf-16-le")


async def test_an_op_tells_its_call_and_what_torch_says(editor):
    editor.open(TEXT)
    await editor.hints()
    answer = await hover_at(editor, "k.transpose", 4)
    assert answer.contents.value == (
        "```python\n[2, 7, 8].transpose(1, 2)\n→ [2, 8, 7] float32\n```\n\n"
        "A view: shares the memory of `k`, nothing is copied.\n\n"
        "Strides (56, 1, 8): where its first elements lie in memory:\n```text\n"
        " 0   8  16  24  32  40 …\n 1   9  17  25  33  41 …\n 2  10  18  26  34  42 …\n …\n```\n\n"
        "---\n`transpose(dim0, dim1) -> Tensor`\n\n"
        "Returns a tensor that is a transposed version of `input`. "
        "The given dimensions `dim0` and `dim1` are swapped."
    )
    assert covered(editor, answer.range) == "k.transpose(1, 2)"


async def test_operators_behind_emoji_and_tabs(editor):
    editor.open(TEXT)
    await editor.hints()
    answer = await hover_at(editor, "q @ k", 2)
    assert covered(editor, answer.range) == "q @ k.transpose(1, 2)"
    words = answer.contents.value
    assert "q                  2  5  8\nk.transpose(1, 2)  2  8  7\nresult             2  5  7" in words
    assert "2·2·5·7·8 = 1,120 FLOP · 280 B" in words


async def test_the_name_of_a_dim(editor):
    editor.open(TEXT)
    await editor.hints()
    answer = await hover_at(editor, "view(B", 5)
    assert answer.contents.value == f"**B** is dim 0 of `q [2, 5, 8]`: **2** · [line 6]({editor.uri}#L6,2)"
    assert covered(editor, answer.range) == "B"
    assert (await hover_at(editor, "B, T, D", 3)).contents.value == "**T** is dim 1 of `q [2, 5, 8]`: **5**"


async def test_the_name_of_a_dim_that_only_shapes_have(editor):
    text = (
        "import torch\nfrom torch import nn\n\nclass Net(nn.Module):\n"
        "    def __init__(self, wide):\n        super().__init__()\n        self.wide = wide\n"
        "        self.fc = nn.Linear(wide, 4)\n\n"
        "    def forward(self, x):\n        w = torch.zeros(self.wide, 3)\n        return self.fc(x) + w.sum()\n"
    )
    editor.open(text)
    hints = await editor.hints()
    assert hints["11:w"] == "[wide 3]"
    for found, into in (("self, wide", 6), ("Linear(wide", 8), ("self.wide,", 5)):
        words = (await hover_at(editor, found, into)).contents.value
        assert words.startswith("**wide** is dim "), words
        assert f"]({editor.uri}#L1" in words


async def test_a_layer_tells_what_it_holds(editor):
    editor.open(TEXT)
    await editor.hints()
    words = (await hover_at(editor, "nn.Linear(8", 4)).contents.value
    assert words.startswith(
        "```python\ntorch.nn.Linear(8, 24)\n```\n\n**216** parameters · 864 B\n\n---\n`Linear("
    )


async def test_names_tell_whose_memory_they_share(editor):
    editor.open("import torch\nwhole = torch.zeros(4, 6)\npart = whole[:, 1:3]\nother = whole + 1\n")
    await editor.hints()
    words = (await hover_at(editor, "part =")).contents.value
    assert f"Shares its memory with `whole` ([line 2]({editor.uri}#L2,1))." in words
    assert "```text\n 0   1\n 6   7\n12  13\n …\n```" in words
    assert "Shares" not in (await hover_at(editor, "other =")).contents.value


async def test_while_a_line_is_broken_the_others_tell_all(editor):
    editor.open(TEXT)
    await editor.hints()
    editor.replace("nn.Linear(8, 24)", "nn.Linear(8, ")
    assert "FLOP" in (await hover_at(editor, "q @ k", 2)).contents.value
