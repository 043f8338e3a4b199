"""The files of a folder that are the user's own: no environments, caches or hidden folders."""

from __future__ import annotations

import os
from collections.abc import Container, Iterator
from itertools import islice

from ..documents import SUFFIXES

_SKIPPED = {"node_modules", "__pycache__", "site-packages", "venv"}


def listed(top: str, without: Container[str] = (), most: int | None = None) -> Iterator[str]:
    """Python files and notebooks below a folder, in order.

    Folders named in `without` are left out; `most` is how many folders are looked into.
    """
    for folder, folders, files in islice(os.walk(top), most):
        folders[:] = sorted(
            name
            for name in folders
            if _is_visible(folder, name) and os.path.join(folder, name) not in without
        )
        for name in sorted(files):
            if name.endswith(SUFFIXES) and not name.startswith("."):
                yield os.path.join(folder, name)


def _is_visible(folder: str, name: str) -> bool:
    if name.startswith(".") or name in _SKIPPED:
        return False
    return not os.path.exists(os.path.join(folder, name, "pyvenv.cfg"))
