"""Hints in the editor: their kinds and switches, where their dims lead, what a double click writes."""

from __future__ import annotations

import ast

import pytest
from editor import Editor, capabilities, name_before, offset, words
from lsprotocol import types

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEXT = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.fc = nn.Linear(d, 3)
        self.scale = torch.ones(3)

    def forward(self, x):
        '😀é'; h = (self.fc(x)
\t\t.relu()  # 😀
\t\t.transpose(0, 1))
        for row in h:
            s = row
        return h @ h.t()


def free(x):
    B, T, D = x.shape
    return x.view(B, T * D)


out = Net(4)(torch.ones(2, 4))
"""


@pytest.fixture
async def resolving(another):
    able = capabilities()
    able.text_document.inlay_hint = types.InlayHintClientCapabilities(
        resolve_support=types.ClientInlayHintResolveOptions(["tooltip", "textEdits", "label.location"])
    )

    async def start(**settings: object) -> Editor:
        editor = await Editor.start({"settings": {"inlayHints": settings}}, able)
        another.append(editor)
        editor.open(TEXT)
        await editor.hints()
        return editor

    return start


async def all_hints(editor: Editor) -> dict[str, types.InlayHint]:
    whole = types.Range(types.Position(0, 0), types.Position(1000, 0))
    answer = await editor.client.text_document_inlay_hint_async(
        types.InlayHintParams(types.TextDocumentIdentifier(editor.uri), whole)
    )
    return {name_before(editor.texts[editor.uri], hint.position): hint for hint in answer}


async def test_every_kind_has_its_switch(editor):
    editor.open(TEXT)
    expected = {
        "attributes": {"9:self.scale": "[3]"},
        "parameters": {"11:x": "[2 4]", "20:x": "[B T D] ?"},
        "variables": {"12:h": "[3 2]~", "16:s": "[2]~", "25:out": "[3 3]"},
        "chains": {"12:": "[2 3]", "13:": "[2 3]"},
        "loops": {"15:row": "[2]~"},
        "returns": {"17:": "[3 3]", "22:": "[B D·T] ?"},
    }
    every = {name: label for kind in expected.values() for name, label in kind.items()}
    assert await editor.hints() == every
    try:
        for kind, own in expected.items():
            configure(editor, **{kind: False})
            assert await editor.hints_now() == {n: label for n, label in every.items() if n not in own}, kind
            configure(editor, **{kind: True})
        configure(editor, nonContiguous=False)
        assert (await editor.hints_now())["12:h"] == "[3 2]"
    finally:
        configure(editor, **dict.fromkeys(expected, True), nonContiguous=True)


def configure(editor: Editor, **hints: object) -> None:
    editor.client.workspace_did_change_configuration(
        types.DidChangeConfigurationParams({"shapewise": {"inlayHints": hints}})
    )


async def test_dims_lead_to_where_they_were_born(resolving):
    editor = await resolving()
    found = await all_hints(editor)
    assert found["12:h"].tooltip is None and found["12:h"].text_edits is None

    async def born(name: str) -> list[tuple[str, str]]:
        hint = await editor.client.inlay_hint_resolve_async(found[name])
        lines = TEXT.split("\n")
        return [
            (
                part.value.strip(" ["),
                lines[part.location.range.start.line][part.location.range.start.character :],
            )
            for part in hint.label
            if part.location is not None
        ]

    assert await born("22:") == [("B", "B, T, D = x.shape"), ("D·T", "D = x.shape")]
    assert await born("12:h") == [("3", "nn.Linear(d, 3)"), ("2", "torch.ones(2, 4))")]
    assert await born("25:out") == [("3", "nn.Linear(d, 3)"), ("3", "nn.Linear(d, 3)")]


async def test_a_client_that_can_be_sent_to_a_place_is_sent_there(another):
    able = capabilities()
    able.window = types.WindowClientCapabilities(
        show_document=types.ShowDocumentClientCapabilities(support=True)
    )
    editor = await Editor.start(able=able)
    another.append(editor)
    shown: list[types.ShowDocumentParams] = []

    @editor.client.feature(types.WINDOW_SHOW_DOCUMENT)
    def show(params: types.ShowDocumentParams) -> types.ShowDocumentResult:
        shown.append(params)
        editor.news.set()
        return types.ShowDocumentResult(True)

    editor.open(TEXT)
    await editor.hints()
    hint = (await all_hints(editor))["12:h"]
    part = next(part for part in hint.label if part.value == "[3")
    assert part.location is None and part.command.title == "Go to line 8"
    editor.news.clear()
    await editor.client.workspace_execute_command_async(
        types.ExecuteCommandParams(part.command.command, list(part.command.arguments))
    )
    while not shown:
        await editor.news.wait()
    (params,) = shown
    assert (params.uri, params.selection.start) == (
        editor.uri,
        types.Position(7, TEXT.split("\n")[7].index("nn.")),
    )


async def test_the_tooltip_tells_all(resolving):
    editor = await resolving()
    found = await all_hints(editor)
    hint = await editor.client.inlay_hint_resolve_async(found["12:h"])
    assert hint.tooltip.value.startswith(
        "```python\nh: [3, 2] float32 cpu\n```\n\nstride (1, 3) · **not contiguous**"
    )


@pytest.mark.parametrize("style", ["comment", "jaxtyping"])
async def test_a_double_click_writes_legal_python(resolving, style):
    editor = await resolving(insert=style)
    for name, hint in (await all_hints(editor)).items():
        hint = await editor.client.inlay_hint_resolve_async(hint)
        text = TEXT
        for edit in sorted(hint.text_edits or (), key=lambda edit: -offset(TEXT, edit.range.start)):
            text = (
                text[: offset(TEXT, edit.range.start)] + edit.new_text + text[offset(TEXT, edit.range.end) :]
            )
        ast.parse(text)
        line = text.split("\n")[hint.position.line + (0 if style == "comment" else text.count("jaxtyping"))]
        if name == "25:out":
            assert (
                line
                == {
                    "comment": "out = Net(4)(torch.ones(2, 4))  # (3, 3)",
                    "jaxtyping": 'out: Float[torch.Tensor, "3 3"] = Net(4)(torch.ones(2, 4))',
                }[style]
            )
        assert (text == TEXT) == (words(hint) == "" or not hint.text_edits)


async def test_a_hint_of_another_moment_is_left_as_it_is(resolving):
    editor = await resolving()
    found = await all_hints(editor)
    editor.replace("out = ", "\nout = ")
    hint = await editor.client.inlay_hint_resolve_async(found["25:out"])
    assert hint.tooltip is None and hint.text_edits is None


async def test_a_function_or_a_file_is_annotated_at_once(editor):
    editor.open(TEXT)
    await editor.hints()
    assert {"shapewise.annotateFunction", "shapewise.annotateFile"} <= {
        *editor.capabilities.execute_command_provider.commands
    }

    async def annotated(command: str, *arguments: object) -> str:
        edit = await editor.client.workspace_execute_command_async(
            types.ExecuteCommandParams(command, [editor.uri, *arguments])
        )
        (change,) = edit["documentChanges"]
        text = TEXT
        for one in sorted(change["edits"], key=lambda one: -one["range"]["start"]["line"]):
            start, end = (offset(TEXT, types.Position(**one["range"][side])) for side in ("start", "end"))
            text = text[:start] + one["newText"] + text[end:]
        assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(TEXT))
        return text

    whole = await annotated("shapewise.annotateFile")
    assert "\t\t.transpose(0, 1))  # (3, 2)\n" in whole
    assert "x.view(B, T * D)  # (B, D*T)\n" in whole
    assert "self.scale = torch.ones(3)  # (3,)\n" in whole
    part = await annotated("shapewise.annotateFunction", {"line": 20, "character": 6})
    assert part == TEXT.replace("def free(x):", "def free(x):  # x: (B, T, D)").replace(
        "x.view(B, T * D)", "x.view(B, T * D)  # (B, D*T)"
    )
