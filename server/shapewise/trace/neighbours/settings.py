"""yaml: settings that stand in the program's own text are read, as PyYAML's safe loader reads them."""

from __future__ import annotations

import importlib
from typing import Any

from ..stdlib.settings import reading
from ..unknowns import texts
from ..unknowns.unknown import setting
from .outside import outside

_DASHES = 8
"""In a line: PyYAML's time goes with the square of how deep a text is nested."""
_OPEN = ("<<", "!!", "? ")
"""Keys that take over another mapping, a few lines of which make more than any memory holds, or that are one; objects of Python's."""


class Loader:
    """`yaml.SafeLoader` and its like: only handed to `yaml.load`."""


def _parsed(text: str) -> Any:
    yaml: Any = outside(lambda: importlib.import_module("yaml"))
    return yaml.safe_load(text)


_read = reading(_parsed)


def _safe_load(stream: Any) -> Any:
    if type(stream) is not str or any(one in stream for one in _OPEN):
        return setting("what a file says")
    if any(line.count("- ") > _DASHES for line in stream.splitlines()):
        return setting("what a file says")
    return _read(stream)


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
