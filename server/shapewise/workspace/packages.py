"""Which installed packages are interpreted: those made of torch, and small ones. By rule, for no list would be long enough."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import lru_cache

_TORCH = re.compile(rb"^[ \t]*(?:import|from)[ \t]+torch\b", re.MULTILINE)
_SHARE = 0.25
"""Of the modules of a package that lives on torch, at least so many import it. Of pandas, scipy or
scikit-learn, whose array layers know torch by name, it is below 2 %; of timm or x-transformers above 60 %."""

_FEW = 60
_SMALL = 600_000
"""Modules and bytes of a package that costs little, whatever it is."""

_MOST = 3_000
_SAMPLE = 120
_HEAD = 8_192
_NATIVE = (".so", ".pyd", ".dylib")


def is_followed(folder: str) -> bool:
    """Whether the modules of an installed package are interpreted."""
    try:
        return _is_followed(folder, os.stat(folder).st_mtime_ns)
    except OSError:
        return False


@lru_cache(maxsize=512)
def _is_followed(folder: str, stamp: int) -> bool:
    modules: list[str] = []
    size, native = 0, False
    for entry in _files(folder):
        if entry.name.endswith(".py"):
            modules.append(entry.path)
            try:
                size += entry.stat().st_size
            except OSError:
                continue
        native = native or entry.name.endswith(_NATIVE)
        if len(modules) >= _MOST:
            break
    if not modules:
        return False
    if not native and len(modules) <= _FEW and size <= _SMALL:
        return True
    sample = modules[:: max(1, len(modules) // _SAMPLE)]
    return sum(map(_imports_torch, sample)) >= _SHARE * len(sample)


def _files(folder: str) -> Iterator[os.DirEntry[str]]:
    """The files below a folder; links to folders are not followed."""
    waiting = [folder]
    while waiting:
        try:
            entries = sorted(os.scandir(waiting.pop()), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in ("tests", "test", "__pycache__"):
                    waiting.append(entry.path)
            elif entry.is_file():
                yield entry


def _imports_torch(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return _TORCH.search(file.read(_HEAD)) is not None
    except OSError:
        return False
