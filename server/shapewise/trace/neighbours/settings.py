"""yaml: settings that stand in the program's own text are read, as PyYAML's safe loader reads them."""

from __future__ import annotations

import importlib
from typing import Any

from ..stdlib.plain import is_plain
from ..unknowns import texts
from ..unknowns.unknown import Unknown, setting
from .outside import outside

_LONGEST = 10_000
"""Characters of a text that is read: some tenths of a second."""
_BRACKETS, _DASHES = 200, 8
"""In a text, and in a line: PyYAML's time goes with the square of how deep they are nested."""
_OPEN = ("<<", "!!", "? ")
"""Keys that take over another mapping, a few lines of which make more than any memory holds, or that are one; objects of Python's."""


class Loader:
    """`yaml.SafeLoader` and its like: only handed to `yaml.load`."""


def _safe_load(stream: Any) -> Any:
    if type(stream) is not str or not _is_soon_read(stream):
        return setting("what a file says")
    try:
        yaml: Any = outside(lambda: importlib.import_module("yaml"))
        read = yaml.safe_load(stream)
    except Exception:
        return Unknown("what a text says")
    return read if is_plain(read) else Unknown("what a text says")


def _is_soon_read(text: str) -> bool:
    return (
        len(text) <= _LONGEST
        and not any(one in text for one in _OPEN)
        and text.count("[") + text.count("{") <= _BRACKETS
        and all(line.count("- ") <= _DASHES for line in text.splitlines())
    )


def _load(stream: Any, *loader: Any, **named: Any) -> Any:
    return _safe_load(stream)


def _dump(data: Any, stream: Any = None, **options: Any) -> Any:
    return texts.text("text of a value") if stream is None else None


YAML: dict[str, dict[str, Any]] = {
    "yaml": {
        **dict.fromkeys(("safe_load", "full_load"), _safe_load),
        **dict.fromkeys(("load", "unsafe_load"), _load),
        **dict.fromkeys(("dump", "safe_dump"), _dump),
        **dict.fromkeys(("SafeLoader", "FullLoader", "Loader", "CSafeLoader", "CLoader"), Loader),
    }
}
