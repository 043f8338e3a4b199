"""The server as an editor meets it: a real process, the real tracer, real torch."""

from __future__ import annotations

import asyncio

import pytest
from editor import MODEL, Editor, capabilities, words
from lsprotocol import types

pytestmark = pytest.mark.asyncio(loop_scope="session")

WRONG = "import torch\nx = torch.randn(2, 3).t()\ny = x.view(6)\n"


async def test_what_the_server_can_do(editor):
    can = editor.capabilities
    assert can.text_document_sync.change == types.TextDocumentSyncKind.Incremental
    assert can.inlay_hint_provider and can.hover_provider
    assert can.code_action_provider.code_action_kinds == (
        types.CodeActionKind.QuickFix,
        "source.fixAll.shapewise",
    )
    assert [one.notebook.notebook_type for one in can.notebook_document_sync.notebook_selector] == [
        "jupyter-notebook",
        "interactive",
    ]
    assert can.position_encoding == types.PositionEncodingKind.Utf16


async def test_hints_stand_behind_names(editor):
    editor.open(MODEL)
    assert await editor.hints() == {
        "10:x": "[4 10]",
        "11:h": "[4 5]",
        "12:": "[4 5]",
        "15:batch": "[4 10]",
        "16:out": "[4 5]",
        "17:labels": "[4] i64",
    }


async def test_only_the_hints_of_the_range_are_sent(editor):
    editor.open(MODEL)
    await editor.hints()
    answer = await editor.client.text_document_inlay_hint_async(
        types.InlayHintParams(
            types.TextDocumentIdentifier(editor.uri),
            types.Range(types.Position(14, 0), types.Position(15, 0)),
        )
    )
    assert [(words(hint), hint.kind, hint.padding_left) for hint in answer] == [
        ("[4 10]", types.InlayHintKind.Type, True),
        ("[4 5]", types.InlayHintKind.Type, True),
    ]


async def test_an_edit_changes_the_hints(editor):
    editor.open(MODEL)
    await editor.hints()
    editor.replace("randn(4, 10)", "randn(7, 10)")
    assert (await editor.hints_now())["16:out"] == "[7 5]"


async def test_hints_stand_right_behind_emoji(editor):
    editor.open("import torch\ns = '😀é😀'; x = torch.zeros(2)  # 😀\ny = x\n")
    assert await editor.hints() == {"2:x": "[2]", "3:y": "[2]"}
    editor.replace("x = torch", "🎉' ; xx = '' ; x = torch")  # breaks the line, and moves the name
    editor.replace("🎉' ; xx = '' ; ", "a = '🎉🎉'; ")
    editor.replace("zeros(2)", "zeros(3)")
    assert await editor.hints() == {"2:x": "[3]", "3:y": "[3]"}


async def test_lines_end_where_the_editor_ends_them(editor):
    editor.open("import torch\r\n# a form feed \f and a \u2028 separator\r\nx = torch.zeros(2)\r\n")
    editor.replace("zeros(2)", "zeros(5)")
    await editor.hints()
    found = await editor.client.text_document_inlay_hint_async(
        types.InlayHintParams(
            types.TextDocumentIdentifier(editor.uri),
            types.Range(types.Position(0, 0), types.Position(9, 0)),
        )
    )
    assert [(words(hint), hint.position) for hint in found] == [("[5]", types.Position(2, 1))]


async def test_hover_is_a_card(editor):
    editor.open(WRONG)
    await editor.hints()
    assert await editor.hover("x = ") == (
        "```python\nx: [3, 2] float32 cpu\n```\n\nstride (1, 3) · **not contiguous** · no grad · 24 B\n\n"
        "Where its first elements lie in memory:\n```text\n0  3\n1  4\n2  5\n```"
    )
    assert "x: [3, 2]" in await editor.hover("x.view")
    assert await editor.hover("import") is None


async def test_a_finding_is_underlined_and_explained(editor):
    editor.open(WRONG)
    (found,) = await editor.diagnostics()
    assert (found.source, found.code, found.severity) == (
        "shapewise",
        "view-on-noncontiguous",
        types.DiagnosticSeverity.Error,
    )
    assert found.range == types.Range(types.Position(2, 4), types.Position(2, 13))
    assert "view size is not compatible" in found.message
    (related,) = found.related_information
    assert related.location.uri == editor.uri
    assert related.location.range.start.line == 1


async def test_the_layer_that_has_to_change_is_underlined_too(editor):
    editor.open(
        "import torch\nfrom torch import nn\nhead = nn.Linear(1600, 10)\nx = torch.randn(8, 3136)\ny = head(x)\n"
    )
    at_layer, at_call = sorted(await editor.diagnostics(), key=lambda one: one.range.start.line)
    assert at_call.code == at_layer.code == "layer-input-mismatch"
    assert at_layer.range == types.Range(types.Position(2, 17), types.Position(2, 21))
    assert at_layer.severity == types.DiagnosticSeverity.Information
    assert at_layer.message == "Line 5 fails for this: it would be in_features=3136."
    assert at_layer.related_information[0].location.range == at_call.range
    titles = [action.title for action in await editor.actions(at_layer)]
    assert any(title.startswith("in_features=3136") for title in titles)


async def test_a_fix_repairs_the_text(editor):
    editor.open(WRONG)
    (found,) = await editor.diagnostics()
    (action,) = await editor.actions(found)
    assert action.kind == types.CodeActionKind.QuickFix
    assert action.is_preferred
    assert list(action.diagnostics) == [found]
    assert editor.applied(action) == {editor.uri: WRONG.replace("view", "reshape")}
    editor.replace("view", "reshape")
    assert await editor.diagnostics() == []
    assert await editor.actions(found) == []


async def test_all_findings_of_a_rule_are_fixed_by_one_action(editor):
    editor.open(WRONG + "z = x.view(-1)\nx.require_grad = True\n")
    first, second, _ = await editor.diagnostics()
    one, every = await editor.actions(second)
    assert one.title == "use reshape" and one.is_preferred
    assert every.title == "Fix all view-on-noncontiguous in this file" and not every.is_preferred
    assert "view" not in editor.applied(every)[editor.uri]
    assert "require_grad" in editor.applied(every)[editor.uri]
    assert [action.title for action in await editor.actions(first)] == [one.title, every.title]


async def test_all_safe_fixes_come_as_one_action(editor):
    editor.open(WRONG)
    await editor.diagnostics()
    (action,) = await editor.actions_of_kind("source.fixAll.shapewise")
    assert editor.applied(action) == {editor.uri: WRONG.replace("view", "reshape")}


async def test_a_finding_can_be_ignored_on_its_line(editor):
    editor.open(WRONG)
    (found,) = await editor.diagnostics()
    (action,) = [one for one in await editor.actions(found, all=True) if one.title.startswith("Ignore")]
    (text,) = editor.applied(action).values()
    assert "# shapewise: ignore[view-on-noncontiguous]" in text.splitlines()[found.range.end.line]


async def test_a_client_that_knows_no_versions_gets_plain_edits(another):
    able = capabilities()
    able.workspace.workspace_edit = None
    editor = await Editor.start(able=able)
    another.append(editor)
    editor.open(WRONG)
    (found,) = await editor.diagnostics()
    (action,) = await editor.actions(found)
    assert action.edit.document_changes is None
    assert [edit.new_text for edit in action.edit.changes[editor.uri]] == ["reshape"]


async def test_actions_of_another_kind_are_not_ours(editor):
    editor.open(WRONG)
    (found,) = await editor.diagnostics()
    answer = await editor.client.text_document_code_action_async(
        types.CodeActionParams(
            types.TextDocumentIdentifier(editor.uri),
            found.range,
            types.CodeActionContext([found], only=[types.CodeActionKind.Refactor]),
        )
    )
    assert not answer


async def test_a_fix_lands_right_behind_emoji(editor):
    editor.open("import torch\nx = torch.randn(2, 3).t()\ns = '😀😀'; y = x.view(6)\n")
    (found,) = await editor.diagnostics()
    (action,) = await editor.actions(found)
    assert "s = '😀😀'; y = x.reshape(6)\n" in editor.applied(action)[editor.uri]


async def test_a_finding_is_taken_back_when_the_file_is_closed(editor):
    editor.open(WRONG)
    await editor.diagnostics()
    editor.published.clear()
    editor.close()
    for _ in range(50):
        if editor.uri in editor.published:
            break
        await asyncio.sleep(0.05)
    assert not editor.published[editor.uri].diagnostics


async def test_a_suppressed_finding_is_not_shown(editor):
    editor.open(WRONG.replace("view(6)", "view(6)  # shapewise: ignore[view-on-noncontiguous]"))
    assert await editor.diagnostics() == []


async def test_a_bracket_that_is_not_closed_leaves_the_other_hints(editor):
    editor.open(MODEL)
    whole = await editor.hints()
    at = len(MODEL)
    for letter in "last = torch.cat([out, out":
        editor.edit(at, at, letter)
        at += 1
        await asyncio.sleep(0.01)
    found = await editor.hints_now()
    assert found == whole
    status = await editor.status("ready", begins="Line ")
    assert status["message"].endswith("the others keep their hints.")


async def test_hints_of_a_function_stay_while_its_call_is_typed(editor):
    editor.open(MODEL)
    await editor.hints()
    editor.replace("out = Net()(batch)", "out = Net()(batch")
    found = await editor.hints_now()
    assert found["10:x"] == "[4 10]"
    assert found["11:h"] == "[4 5]"
    assert "17:labels" not in found
    editor.replace("Linear(10, 5)", "Linear(10, 6)")
    assert "11:h" not in await editor.hints_now() or (await editor.hints_now())["11:h"] != "[4 5]"
    editor.replace("out = Net()(batch", "out = Net()(batch)")
    assert (await editor.hints_now())["11:h"] == "[4 6]"


async def test_hints_of_a_function_stay_while_one_of_its_calls_is_typed(editor):
    editor.open(MODEL + "more = Net()(torch.randn(7, 10))\n")
    before = await editor.hints()
    editor.replace("randn(7, 10))", "randn(7, 10)")
    found = await editor.hints_now()
    assert (found["10:x"], found["11:h"]) == (before["10:x"], before["11:h"])


async def test_fifty_edits_at_once_give_the_hints_of_the_last(editor):
    editor.open(MODEL)
    await editor.hints()
    requests = []
    for number in range(4, 54):
        editor.replace(f"randn({number}, 10)", f"randn({number + 1}, 10)")
        requests.append(asyncio.ensure_future(editor.hints_now()))
    last = await requests[-1]
    assert last["15:batch"] == "[54 10]"
    await asyncio.gather(*requests)
    assert (await editor.diagnostics()) == []


async def test_cancelled_requests_do_no_harm(editor):
    editor.open(MODEL)
    await editor.hints()
    for number in range(4, 24):
        editor.replace(f"randn({number}, 10)", f"randn({number + 1}, 10)")
        name = f"cancelled{editor.uri}{number}"
        future = editor.client.protocol.send_request(
            types.TEXT_DOCUMENT_INLAY_HINT,
            types.InlayHintParams(
                types.TextDocumentIdentifier(editor.uri),
                types.Range(types.Position(0, 0), types.Position(99, 0)),
            ),
            msg_id=name,
        )
        future.add_done_callback(lambda done: done.cancelled() or done.exception())
        editor.client.cancel_request(types.CancelParams(name))
    assert (await editor.hints_now())["15:batch"] == "[24 10]"


async def test_the_client_is_asked_to_refresh_only_when_hints_change(editor):
    editor.open(MODEL)
    await editor.hints()
    await editor.diagnostics()
    await asyncio.sleep(0.5)  # where torch loads slowly, the first hints come with a refresh of their own
    editor.refreshes = 0
    editor.edit(len(MODEL), len(MODEL), "# a comment\n")
    await editor.diagnostics()
    await asyncio.sleep(0.2)
    assert editor.refreshes == 0
    editor.replace("randn(4, 10)", "randn(3, 10)")
    await editor.diagnostics()
    await asyncio.sleep(0.2)
    assert editor.refreshes == 1


async def test_a_client_that_sends_whole_texts(editor):
    editor.open(MODEL)
    await editor.hints()
    text = MODEL.replace("randn(4, 10)", "randn(8, 10)")
    editor.texts[editor.uri] = text
    editor.versions[editor.uri] = 2
    editor.client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(2, editor.uri),
            [types.TextDocumentContentChangeWholeDocument(text)],
        )
    )
    assert (await editor.hints_now())["16:out"] == "[8 5]"


async def test_a_file_without_torch_is_left_alone(editor):
    editor.open("x = 1\n")
    assert await editor.diagnostics() == []
    assert await editor.hints_now() == {}


async def test_times_are_told(editor):
    editor.open(MODEL)
    await editor.hints()
    editor.replace("randn(4, 10)", "randn(3, 10)")
    await editor.hints_now()
    times = await editor.client.protocol.send_request_async("shapewise/timing", {})
    times = times if isinstance(times, dict) else vars(times)
    assert times["count"] >= 2
    assert 0 < times["p50"] <= times["p95"] <= times["max"]


async def test_settings_switch_hints(editor):
    editor.open(MODEL)
    await editor.hints()

    def configure(**hints: bool) -> None:
        editor.client.workspace_did_change_configuration(
            types.DidChangeConfigurationParams({"shapewise": {"inlayHints": hints}})
        )

    configure(enabled=True, parameters=False)
    assert "10:x" not in await editor.hints_now()
    configure(enabled=False)
    assert await editor.hints_now() == {}
    configure(enabled=True, parameters=True)
    assert len(await editor.hints_now()) == 6
    await asyncio.sleep(0.1)
    assert editor.refreshes >= 1


async def test_rules_are_as_severe_as_the_settings_say(editor):
    editor.open(WRONG)
    assert [one.severity for one in await editor.diagnostics()] == [types.DiagnosticSeverity.Error]

    async def becomes(wanted: list[types.DiagnosticSeverity], **rules: str) -> None:
        editor.client.workspace_did_change_configuration(
            types.DidChangeConfigurationParams({"shapewise": {"rules": rules}})
        )
        for _ in range(100):
            if [one.severity for one in await editor.diagnostics()] == wanted:
                return
            await asyncio.sleep(0.05)
        raise AssertionError(await editor.diagnostics())

    await becomes([types.DiagnosticSeverity.Hint], **{"view-on-noncontiguous": "hint"})
    await becomes([], **{"view-on-noncontiguous": "off", "no-such-rule": "error", "device-mismatch": "loud"})
    await becomes([types.DiagnosticSeverity.Error])


async def test_why_there_is_no_hint_on_a_line(editor):
    editor.open("import torch\nx = torch.zeros(3)\ny = unheard_of.call(x)\nz = (1,\n")
    await editor.hints()

    async def why(line: int) -> str | None:
        answer = await editor.client.protocol.send_request_async(
            "shapewise/why", {"textDocument": {"uri": editor.uri}, "line": line - 1}
        )
        return answer["why"]

    assert await why(2) is None
    assert "unheard_of" in await why(3)
    assert (await why(4)).startswith("This does not parse yet")
