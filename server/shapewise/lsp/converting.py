"""How answers become JSON: as lsprotocol says, but for inlay hints, of which there are thousands at every keystroke."""

from __future__ import annotations

from typing import Any

from cattrs import Converter
from lsprotocol import types
from pygls.protocol import default_converter


def converter() -> Converter:
    """pygls' own, but quicker on hints."""
    made: Converter = default_converter()  # type: ignore[no-untyped-call]
    usual = made.get_unstructure_hook(types.InlayHint)

    def hint(one: types.InlayHint) -> dict[str, Any]:
        """A hint that has only what `inlay_hints.hints` gives it takes a tenth of the usual way's time."""
        label = one.label
        rest = one.tooltip, one.text_edits, one.padding_right
        if any(part is not None for part in rest) or type(one.data) is not dict:
            return usual(one)  # type: ignore[no-any-return]
        if not isinstance(label, str):
            if any(part.tooltip or part.location or part.command for part in label):
                return usual(one)  # type: ignore[no-any-return]
            label = [{"value": part.value} for part in label]  # type: ignore[misc]
        form: dict[str, Any] = {
            "position": {"line": one.position.line, "character": one.position.character},
            "label": label,
        }
        if one.kind is not None:
            form["kind"] = one.kind.value
        if one.padding_left is not None:
            form["paddingLeft"] = one.padding_left
        form["data"] = one.data
        return form

    made.register_unstructure_hook(types.InlayHint, hint)
    return made
