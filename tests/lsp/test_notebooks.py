"""Notebooks, as an editor sends them to the real server."""

from __future__ import annotations

import pytest
from lsprotocol import types

pytestmark = pytest.mark.asyncio(loop_scope="session")

NOTEBOOK = "file:///project/study.ipynb"


async def test_cells_of_a_notebook_know_each_other(editor):
    first, second, third = editor.open_notebook(
        [
            "%matplotlib inline\nimport torch\n!pip list",
            "s = '😀'; x = torch.randn(2, 3).t()",
            "y = x.view(6)\ny",
        ],
        NOTEBOOK,
    )
    assert await editor.hints(second) == {"1:x": "[3 2]~"}
    assert await editor.hints_now(first) == {}
    (found,) = await editor.diagnostics(third)
    assert found.range == types.Range(types.Position(0, 4), types.Position(0, 13))
    assert found.related_information[0].location.uri == second
    assert await editor.diagnostics(second) == []
    (action,) = await editor.actions(found, third)
    assert editor.applied(action) == {third: "y = x.reshape(6)\ny"}
    assert "x: [3, 2]" in await editor.hover("x.view", third)

    editor.replace_in_cell("randn(2, 3)", "randn(2, 4)", second, NOTEBOOK)
    assert await editor.hints_now(second) == {"1:x": "[4 2]~"}

    editor.replace_in_cell("view(6)", "reshape(8)", third, NOTEBOOK)
    assert await editor.hints_now(third) == {"1:y": "[8]"}
    assert await editor.diagnostics(third) == []

    editor.move_cell(third, 2, 1, NOTEBOOK)
    assert await editor.hints_now(third) == {}
    assert await editor.hints_now(second) == {"1:x": "[4 2]~"}

    editor.move_cell(third, 1, 2, NOTEBOOK)
    assert await editor.hints_now(third) == {"1:y": "[8]"}
    editor.replace_in_cell("reshape(8)", "view(8)", third, NOTEBOOK)
    assert len(await editor.diagnostics(third)) == 1
    editor.delete_cell(third, 2, NOTEBOOK)
    editor.replace_in_cell("randn(2, 4)", "randn(2, 5)", second, NOTEBOOK)
    assert await editor.hints_now(second) == {"1:x": "[5 2]~"}
    await editor.withdrawn(third)
    editor.client.notebook_document_did_close(
        types.DidCloseNotebookDocumentParams(
            types.NotebookDocumentIdentifier(NOTEBOOK),
            [types.TextDocumentIdentifier(first), types.TextDocumentIdentifier(second)],
        )
    )


async def test_a_cell_that_moves_above_what_it_needs_loses_its_hint_though_another_is_broken(editor):
    notebook = "file:///project/moved.ipynb"
    _, second, _ = editor.open_notebook(["import torch\nx = torch.zeros(3)", "y = x + 1", "z = ("], notebook)
    assert await editor.hints(second) == {"1:y": "[3]"}
    editor.move_cell(second, 1, 0, notebook)
    assert await editor.hints_now(second) == {}
    editor.client.notebook_document_did_close(
        types.DidCloseNotebookDocumentParams(types.NotebookDocumentIdentifier(notebook), [])
    )
