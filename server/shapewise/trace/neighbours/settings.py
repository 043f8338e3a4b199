"""yaml: settings that stand in the program's own text are read, as PyYAML's safe loader reads them."""

from __future__ import annotations

import importlib
from typing import Any

from ..outside import outside
from ..stdlib import AT_THE_START
from ..stdlib.settings import reading
from ..unknowns import texts
from ..unknowns.unknown import Unknown, setting

_DASHES = 8
"""In a line: PyYAML's time goes with the square of how deep a text is nested."""
_OPEN = ("<<", "!!", "? ")
"""Keys that take over another mapping, a few lines of which make more than any memory holds, or that are one; objects of Python's."""


class _Changed:
    """Whether this trace has told PyYAML to read otherwise than it does: anything may be among what it reads then."""

    now = False


def _as_it_is(file: str) -> None:
    _Changed.now = False


AT_THE_START.append(_as_it_is)


def _change(*args: Any, **options: Any) -> None:
    _Changed.now = True


class Loader:
    """`yaml.SafeLoader` and its like: only handed to `yaml.load`."""


for _name in "constructor multi_constructor implicit_resolver path_resolver".split():
    setattr(Loader, f"add_{_name}", staticmethod(_change))


def _parsed(text: str) -> Any:
    yaml: Any = outside(lambda: importlib.import_module("yaml"))
    return yaml.safe_load(text)


_read = reading(_parsed)


def _safe_load(stream: Any) -> Any:
    if _Changed.now:
        return Unknown("what a file says")
    if type(stream) is not str or any(one in stream for one in _OPEN):
        return setting("what a file says")
    if any(line.count("- ") > _DASHES for line in stream.splitlines()):
        return setting("what a file says")
    return _read(stream)


def _load(stream: Any, *loader: Any, **named: Any) -> Any:
    if any(one is not Loader for one in (*loader, *named.values())):
        return Unknown("what a file says")  # a loader of the program's own
    return _safe_load(stream)


def _dump(data: Any, stream: Any = None, **options: Any) -> Any:
    return texts.text("text of a value") if stream is None else None


YAML: dict[str, dict[str, Any]] = {
    "yaml": {
        **dict.fromkeys(("safe_load", "full_load"), _safe_load),
        **dict.fromkeys(("load", "unsafe_load"), _load),
        **dict.fromkeys(("dump", "safe_dump"), _dump),
        **dict.fromkeys(("add_constructor", "add_multi_constructor", "add_implicit_resolver"), _change),
        **dict.fromkeys(("SafeLoader", "FullLoader", "Loader", "CSafeLoader", "CLoader"), Loader),
    }
}
