"""Over a function that is called from several places one chooses which call is shown."""

from __future__ import annotations

import pytest
from lsprotocol import types

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEXT = """\
import torch

class Net:
\tdef once(self, x):
\t\treturn x + 1

\t'😀'; \
x = 1
\tdef forward(self, x):
\t\ty = x.relu()
\t\treturn self.once(y)

net = Net()
net.forward(torch.zeros(2, 3))
net.forward(torch.zeros(5, 3))
"""


async def lenses(editor) -> list[tuple[int, str, types.Command]]:
    answer = await editor.client.text_document_code_lens_async(
        types.CodeLensParams(types.TextDocumentIdentifier(editor.uri))
    )
    return [(one.range.start.line, one.command.title, one.command) for one in answer or ()]


async def test_a_call_is_chosen(editor):
    def configure(calls: bool) -> None:
        editor.client.workspace_did_change_configuration(
            types.DidChangeConfigurationParams({"shapewise": {"codeLens": {"calls": calls}}})
        )

    editor.open(TEXT)
    await editor.hints()
    assert await lenses(editor) == []
    configure(True)
    try:
        shown = await lenses(editor)
        assert [(line, title) for line, title, _ in shown] == [
            (7, "● all 2 calls"),
            (7, "line 13: x [2 3]"),
            (7, "line 14: x [5 3]"),
        ]
        assert (await editor.hints_now())["9:y"] == "[B 3]"
        await run(editor, shown[2][2])
        assert [title for _, title, _ in await lenses(editor)] == [
            "all 2 calls",
            "line 13: x [2 3]",
            "● line 14: x [5 3]",
        ]
        assert (await editor.hints_now())["9:y"] == "[5 3]"
        assert "[5, 3]" in await editor.hover("y = x")
        assert "[5, 3].relu()" in await editor.hover("relu()")
        editor.replace("net = Net()", "net = Net()\n# a line more")
        assert (await editor.hints_now())["9:y"] == "[5 3]"
        await run(editor, shown[0][2])
        assert (await editor.hints_now())["9:y"] == "[B 3]"
    finally:
        configure(False)
    assert await lenses(editor) == []


async def run(editor, command: types.Command) -> None:
    await editor.client.workspace_execute_command_async(
        types.ExecuteCommandParams(command.command, list(command.arguments))
    )
