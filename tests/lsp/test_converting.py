"""Inlay hints become JSON by a shorter way; what comes of it is the same."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import converters, types

from shapewise.lsp.converting import converter

_PLAIN = converters.get_converter()
_PARTS = [types.InlayHintLabelPart("[4"), types.InlayHintLabelPart(" 3]")]
_GO = types.Command("Go to line 3", "shapewise.goTo", arguments=["file:///a.py", 2, 0])


def _hint(**given: Any) -> types.InlayHint:
    given = {"label": "[4 3]", "kind": types.InlayHintKind.Type, "padding_left": True, **given}
    return types.InlayHint(position=types.Position(3, 7), **given)


@pytest.mark.parametrize(
    "hint",
    [
        _hint(data={"span": [1, 2, 3, 4]}),
        _hint(data={"span": [1, 2, 3, 4]}, label=_PARTS),
        _hint(data={}, kind=None, padding_left=None),
        _hint(),
        _hint(data={}, label=[types.InlayHintLabelPart("[4", command=_GO)]),
        _hint(data={}, tooltip=types.MarkupContent(types.MarkupKind.Markdown, "`x`")),
        _hint(data={}, text_edits=[types.TextEdit(types.Range(_hint().position, _hint().position), "#")]),
        _hint(data={}, padding_right=True),
    ],
)
def test_the_same_as_lsprotocol_makes(hint: types.InlayHint) -> None:
    assert converter().unstructure([hint]) == _PLAIN.unstructure([hint])
