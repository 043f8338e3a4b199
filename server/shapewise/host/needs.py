"""What the tracer needs in the middle of a trace, and what it is told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..repair import Broken
from ..workspace.project import Imports, Refused


def module_for(need: Any, imports: Imports, library: Sequence[str]) -> dict[str, Any] | None:
    """The answer to a `need`. The text is left out if it is the one that the tracer has."""
    name = need.get("name") if isinstance(need, dict) else None
    if not isinstance(name, str):
        raise ValueError("a need of nothing")
    found = imports.find(name, library)
    if found is None:
        return None
    if isinstance(found, Refused):
        return {"why": found.why}
    answer: dict[str, Any] = {
        "file": found.file,
        "digest": found.digest,
        "package": found.package,
        "own": found.own,
    }
    if found.digest != need.get("digest"):
        answer.update(text=found.text, broken=broken_names(found.broken))
    return answer


def broken_names(broken: Sequence[Broken]) -> list[list[Any]]:
    """Blanked statements as they go over the wire: the line, and the names unknown from there."""
    return [[one.span.line, list(one.names)] for one in broken]
