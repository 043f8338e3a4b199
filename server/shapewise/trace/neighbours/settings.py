"""yaml: settings that stand in the program's own text are read, as PyYAML's safe loader reads them."""

from __future__ import annotations

import importlib
from typing import Any

from ..stdlib.plain import is_plain
from ..unknowns import texts
from ..unknowns.unknown import Unknown, setting
from .outside import outside

_LONGEST = 20_000
"""Characters of a text that is read: some tenths of a second."""
_OPEN = ("<<", "!!")
"""Keys that take over another mapping, a few lines of which make more than any memory holds; and objects of Python's."""


class Loader:
    """`yaml.SafeLoader` and its like: only handed to `yaml.load`."""


def _safe_load(stream: Any) -> Any:
    if type(stream) is not str or len(stream) > _LONGEST or any(one in stream for one in _OPEN):
        return setting("what a file says")
    try:
        yaml: Any = outside(lambda: importlib.import_module("yaml"))
        read = yaml.safe_load(stream)
    except Exception:
        return Unknown("what a text says")
    return read if is_plain(read) else Unknown("what a text says")


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
