"""`shapewise/validation`: the plan, the run that was agreed to, and its marks."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from editor import Editor
from lsprotocol import types

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

TEXT = """\
import torch

x = torch.randn(2, 3)
y = x.t()
z = x @ y @ x @ x
"""


def plain(value: Any) -> Any:
    """The answer as JSON has it."""
    if hasattr(value, "_asdict"):
        return {key: plain(item) for key, item in value._asdict().items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


async def ask(editor: Editor, method: str, **params: Any) -> dict[str, Any]:
    request = editor.client.protocol.send_request_async(f"shapewise/validation/{method}", params)
    return plain(await asyncio.wait_for(request, 120))


async def hover(editor: Editor, line: int, character: int) -> str:
    place = types.Position(line - 1, character)
    document = types.TextDocumentIdentifier(editor.uri)
    found = await editor.client.text_document_hover_async(types.HoverParams(document, place))
    assert found is not None and isinstance(found.contents, types.MarkupContent)
    return found.contents.value


async def test_nothing_runs_without_its_plan(editor, tmp_path):
    editor.uri = (tmp_path / "main.py").as_uri()
    editor.open(f"import torch\nopen({str(tmp_path / 'ran')!r}, 'w')\nx = torch.ones(2)\n")
    agreed = await ask(editor, "plan", uri=editor.uri, on="")
    assert agreed["files"] == [str(tmp_path / "main.py")] and agreed["command"].endswith("-u -q -i")
    for other in ({}, {**agreed, "command": "ssh box"}, {**agreed, "files": []}):
        refused = await ask(editor, "run", uri=editor.uri, on="", agreed=other)
        assert "agreed" in refused["why"]
    remote = await ask(editor, "plan", uri=editor.uri, on="ssh -T box")
    assert remote["command"] == "ssh -T box python3 -u -q -i"
    assert "agreed" in (await ask(editor, "run", uri=editor.uri, on="ssh -T box", agreed=agreed))["why"]
    assert not (tmp_path / "ran").exists()


async def test_marks_that_go_stale(editor, tmp_path):
    editor.uri = (tmp_path / "main.py").as_uri()
    editor.open(TEXT)
    agreed = await ask(editor, "plan", uri=editor.uri, on="")
    done = await ask(editor, "run", uri=editor.uri, on="", agreed=agreed)
    assert " 0 refuted" in done["summary"] and "ended with RuntimeError" in done["summary"]
    assert done["report"].startswith("# Validation of ") and "| Facts |" in done["report"]
    assert "✓ confirmed on " in await hover(editor, 4, 0)
    await wait_for(editor, lambda words: "Confirmed on " in words)
    editor.replace("y = x.t()", "y = x.t() ")
    assert "confirmed on" not in await hover(editor, 4, 0)
    await wait_for(editor, lambda words: words and "Confirmed on " not in words)


async def wait_for(editor: Editor, holds: Any) -> None:
    """Until what is published of the file is so."""

    def words() -> str:
        shown = editor.published.get(editor.uri)
        return " ".join(one.message for one in shown.diagnostics) if shown else ""

    for _ in range(200):
        if holds(words()):
            return
        await asyncio.sleep(0.05)
    pytest.fail(words())


async def test_what_cannot_be_run(editor, tmp_path):
    assert "no Python file" in (await ask(editor, "plan", uri="file:///nowhere.py", on=""))["why"]
    editor.uri = (tmp_path / "main.py").as_uri()
    editor.open("import torch\nx = (\n")
    assert "does not parse" in (await ask(editor, "plan", uri=editor.uri, on=""))["why"]
    editor.replace("x = (", "x = 1")
    assert "split into words" in (await ask(editor, "plan", uri=editor.uri, on="ssh 'box"))["why"]
    agreed = await ask(editor, "plan", uri=editor.uri, on="no-such-program")
    answer = await ask(editor, "run", uri=editor.uri, on="no-such-program", agreed=agreed)
    assert "cannot be run on this machine" in answer["why"]
